"""Images that a message holds: shown when asked for, and only if their bytes really are an image."""

import base64
from typing import Any

import pytest

from inspector.presenters import images
from sessions_app.access.models import User
from sessions_app.models import RawFrame
from tests.builders import Msg, make_session, make_user, react_rounds, system, user
from tests.inspector.pages import Page, browser, compress, page_of

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
JPEG = b"\xff\xd8\xff\xe0" + bytes(40)
GIF = b"GIF89a<script>alert(1)</script>"
WEBP = b"RIFF\x20\0\0\0WEBPVP8 " + bytes(40)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def openai(data: str, media_type: str = "image/png") -> Msg:
    return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}


def anthropic(data: str, media_type: str = "image/png") -> Msg:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def holding(*parts: Msg) -> Msg:
    return {"role": "user", "content": [{"type": "text", "text": "look"}, *parts]}


def image(ann: User, part: Msg) -> Any:
    session_id = make_session(holding(part), owner=ann)
    return browser(ann).get(page_of(session_id, "frames/1/images/1/"))


@pytest.mark.parametrize("form", [openai, anthropic])
@pytest.mark.parametrize(
    ("data", "real"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp")]
)
def test_an_image_is_served_as_what_its_bytes_are(ann: User, form: Any, data: bytes, real: str) -> None:
    response = image(ann, form(encoded(data), "text/html"))
    assert (response.status_code, response.content, response["Content-Type"]) == (200, data, real)
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"


def test_an_address_may_be_the_member_itself(ann: User) -> None:
    part = {"type": "input_image", "image_url": f"data:image/png;base64,{encoded(PNG)}"}
    assert image(ann, part).content == PNG


def test_base64_may_have_line_breaks(ann: User) -> None:
    assert image(ann, anthropic("\r\n".join(encoded(PNG)))).content == PNG


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (openai(encoded(SVG)), "no PNG"),
        (openai(encoded(b"<html>")), "no PNG"),
        (openai(encoded(b"RIFF\0\0\0\0WAVE")), "no PNG"),
        (openai(""), "no PNG"),
        (openai("%%%"), "no PNG"),
        (openai(encoded(PNG) + "%"), "no base64"),
        (openai(encoded(PNG)[:-1] + "é"), "no base64"),
        (openai(encoded(PNG)[:-3]), "no base64"),
        ({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}, "no such image"),
        ({"type": "image_url", "image_url": {"url": "data:image/png,%89PNG"}}, "no such image"),
        ({"type": "document", "source": {"media_type": "application/pdf", "data": encoded(PNG)}}, "no such image"),
        ({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}, "no such image"),
        ({"type": "image", "source": 5}, "no such image"),
    ],
)
def test_what_is_no_image_is_not_served(ann: User, part: Msg, why: str) -> None:
    response = image(ann, part)
    assert response.status_code == 404
    assert why in Page.of(response).text("main")


def test_an_image_that_is_too_large_is_not_served(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "LARGEST", len(PNG) - 1)
    session_id = make_session(holding(openai(encoded(PNG))), owner=ann)
    client = browser(ann)
    assert "is larger than" in Page.of(client.get(page_of(session_id, "frames/1/images/1/"))).text("main")
    assert not Page.of(client.get(page_of(session_id, "frames/1/?images=1"))).all("img")


def test_images_are_counted_apart_from_other_parts(ann: User) -> None:
    remote = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    session_id = make_session(holding(remote, openai(encoded(PNG)), remote, openai(encoded(GIF))), owner=ann)
    assert browser(ann).get(page_of(session_id, "frames/1/images/2/")).content == GIF


@pytest.mark.parametrize("rest", ["frames/1/images/2/", "frames/1/images/0/", "frames/2/images/1/"])
def test_an_image_that_is_not_there_is_not_found(ann: User, rest: str) -> None:
    session_id = make_session(holding(openai(encoded(PNG))), owner=ann)
    assert browser(ann).get(page_of(session_id, rest)).status_code == 404


@pytest.mark.case(68)
def test_a_damaged_message_holds_no_image(ann: User) -> None:
    session_id = make_session(holding(openai(encoded(PNG))), owner=ann)
    RawFrame.objects.filter(session_id=session_id).update(message="garbage")
    assert browser(ann).get(page_of(session_id, "frames/1/images/1/")).status_code == 404


def test_the_page_names_images_and_loads_none(ann: User) -> None:
    session_id = make_session(holding(openai(encoded(PNG)), openai(encoded(SVG), "image/svg+xml")), owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, "frames/1/")))
    assert not page.all("img")
    assert "1: image/png, 48 B" in page.text("main")
    assert "2: 59 B, said to be image/svg+xml · Its bytes are no PNG, JPEG, GIF or WebP." in page.text("main")
    assert page_of(session_id, "frames/1/?images=1#images-title") in page.links


def test_a_lie_about_the_kind_is_told(ann: User) -> None:
    session_id = make_session(holding(openai(encoded(PNG), "image/svg+xml")), owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, "frames/1/")))
    assert "image/png, 48 B, though said to be image/svg+xml" in page.text("main")


def test_the_page_draws_what_is_an_image_when_asked(ann: User) -> None:
    remote = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    session_id = make_session(holding(openai(encoded(SVG)), openai(encoded(PNG)), remote), owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, "frames/1/?images=1&as=markdown")))
    (drawn,) = page.all("img")
    assert drawn["src"] == page_of(session_id, "frames/1/images/2/")
    assert drawn["alt"] == "Image 2: image/png, 48 B"
    assert page_of(session_id, "frames/1/?as=markdown#images-title") in page.links


def test_a_message_that_is_a_frame_word_for_word_shows_the_images_of_the_frame(ann: User) -> None:
    session_id = make_session(system(), holding(openai(encoded(PNG))), *react_rounds(6), owner=ann)
    compress(session_id)
    page = Page.of(browser(ann).get(page_of(session_id, "context/2/2/?images=1")))
    (drawn,) = page.all("img")
    assert drawn["src"] == page_of(session_id, "frames/2/images/1/")


def test_an_image_of_another_is_not_found(ann: User) -> None:
    session_id = make_session(holding(openai(encoded(PNG))), user(), owner=ann)
    assert browser().get(page_of(session_id, "frames/1/images/1/")).status_code == 404
