"""Whatever a session holds is text on the page, and every page can be sent."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from sessions_app import engine
from tests.builders import make_session, make_user, reply, user
from tests.inspector.pages import Page, browser, page_of, text_of

pytestmark = pytest.mark.django_db

MANNER = "?as=markdown&images=1"
MARKUP = "</code></pre></textarea><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 }}{% now %}'\"&amp;"
STRANGE = [
    MARKUP,
    "a\0b",
    "\ud800 \udc88",
    "\\u0000 \\ud800",
    "javascript:alert(1)",
    "[x](javascript:alert(1)) <a href='javascript:alert(1)'>",
    "\u202e\u2066 right to left",
    "中文 😀 e\u0301",
    "]]>\x1b[31m\x01\x7f\r\n\t",
]


def awful(text: str) -> list[dict[str, Any]]:
    call = {"id": f"c{text}", "type": "function", "function": {"name": text, "arguments": text}}
    return [
        {"role": "system", "content": text, text: {text: text}},
        {"role": "user", "content": [{"type": text, "text": text}], "name": text},
        {"role": "assistant", "content": text, "tool_calls": [call]},
        reply(f"c{text}", text, status="error"),
        {"role": "assistant", "content": text, "tool_calls": [{**call, "id": f"d{text}"}]},
    ]


def urls(session_id: str) -> list[str]:
    rests = ["", "?do=recover", "?do=append", "?version=1", "?at_seq=5", "?role=tool", "?do=compress&strategy=digest"]
    rests += [
        f"{place}/{n}/{query}" for place in ("frames", "context/1") for n in range(1, 6) for query in ("", MANNER)
    ]
    return [page_of(session_id, rest) for rest in rests]


def assert_harmless(response: Any, url: str) -> None:
    assert response.status_code == 200, url
    page = Page.of(response)
    assert all(a.get("src") for a in page.all("script")), url
    assert not page.all("img"), url
    assert not [a for _, a in page.elements for name in a if name.startswith("on")], url
    assert not [link for link in page.links if urlsplit(link).scheme], url


@pytest.mark.case(59)
@pytest.mark.case(87)
@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_text_of_any_kind_is_text_on_every_page(text: str) -> None:
    ann = make_user("ann")
    session_id = make_session(*awful(text), owner=ann, metadata=[{text: text}] * 5)
    client = browser(ann)
    for url in urls(session_id):
        response = client.get(url)
        assert_harmless(response, url)
    fragment = client.get(page_of(session_id), headers={"HX-Request": "true", "HX-Target": "session"})
    assert_harmless(fragment, "fragment")


@pytest.mark.case(87)
def test_titles_labels_and_ids_are_text() -> None:
    ann = make_user("ann")
    make_session(user(), owner=ann, session_id="a~b@c:d.e", title=MARKUP[:200], labels=["<b>bold</b>", "javascript:x"])
    client = browser(ann)
    for url in (
        "/",
        "/?label=%3Cb%3Ebold%3C/b%3E",
        "/?q=%3Cscript%3E",
        "/sessions/a~b@c:d.e/",
        "/sessions/a~b@c:d.e/?do=rename",
    ):
        assert_harmless(client.get(url), url)
    assert "&lt;script&gt;alert(1)" in text_of(client.get("/"))


@pytest.mark.case(57)
def test_what_the_page_cannot_carry_shows_as_a_replacement() -> None:
    ann = make_user("ann")
    session_id = make_session(user("a\0b \ud800c"), owner=ann)
    client = browser(ann)
    assert "a\ufffdb \ufffdc" in Page.of(client.get(page_of(session_id))).text("f-1")
    # The JSON on the frame's page is exact: what cannot be shown stands there escaped.
    assert '"a\\u0000b \\ud800c"' in Page.of(client.get(page_of(session_id, "frames/1/"))).text("main")


@pytest.mark.parametrize("query", ["?q=%00", "?q=%ED%A0%80", "?tool=%00", "?tool=%5C", "?q=%25_%5C", "?q=%22"])
def test_any_filter_can_be_asked_for(query: str) -> None:
    ann = make_user("ann")
    session_id = make_session(user('100%_\\ "quoted"'), owner=ann)
    assert browser(ann).get(page_of(session_id, query)).status_code == 200


@pytest.mark.parametrize("name", ["..", "%00", "a%2Fb", "é", "x" * 300, "%ED%A0%80"])
def test_an_id_that_none_can_have_is_not_found(name: str) -> None:
    assert browser().get(f"/sessions/{name}/").status_code == 404


def test_a_refusal_that_names_hostile_text_is_text() -> None:
    ann = make_user("ann")
    session_id = make_session(user(), {**awful(MARKUP)[2]}, owner=ann)
    head = engine.reads.session_state(session_id).head
    form = {"head": f"{head.next_msg_seq}.1.{head.incarnation}", "messages": '{"role": "user", "content": "a"}'}
    response = browser(ann).post(page_of(session_id, "append/"), form)
    assert response.status_code == 409
    page = Page.of(response)
    assert not page.all("img")
    assert all(a.get("src") for a in page.all("script"))
