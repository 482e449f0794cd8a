"""The whole text of a message: plain text that no browser takes for a page."""

from typing import Any

import pytest

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.models import RawFrame
from tests.builders import call, calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.pages import Page, browser, compress, page_of
from tests.inspector.test_hostile_text import MARKUP, STRANGE, awful

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def whole(user: User, session_id: str, rest: str) -> str:
    response: Any = browser(user).get(page_of(session_id, rest))
    assert response.status_code == 200
    return str(response.getvalue().decode())


def assert_inert(response: Any) -> None:
    assert response.status_code == 200
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response["Content-Disposition"].startswith("inline; filename=")
    assert "no-store" in response["Cache-Control"]


def test_a_text_is_given_whole(ann: User) -> None:
    body = "word \N{GRINNING FACE} 中\r\n" * 30_000
    session_id = make_session(user(body), owner=ann)
    assert whole(ann, session_id, "frames/1/text/") == body


def test_it_is_sent_in_pieces(ann: User) -> None:
    session_id = make_session(user("x" * 1_000_000), owner=ann)
    response: Any = browser(ann).get(page_of(session_id, "frames/1/text/"))
    assert max(map(len, response.streaming_content)) <= 64 * 1024


def test_the_texts_of_parts_stand_below_each_other_and_calls_follow(ann: User) -> None:
    one, two = ({"type": "text", "text": text} for text in ("one", "two"))
    parts = [one, {"type": "image_url", "image_url": {"url": "x:"}}, two]
    calling = {**calls("a"), "content": parts, "tool_calls": [call("a", "f", '{"x": 1}'), call("b", "g", '{"y": "ab')]}
    session_id = make_session(user(), calling, owner=ann)
    assert whole(ann, session_id, "frames/2/text/") == 'one\ntwo\n\nf({"x": 1})\ng({"y": "ab)\n'


def test_calls_without_a_text_stand_alone(ann: User) -> None:
    session_id = make_session(user(), calls("a"), owner=ann)
    assert whole(ann, session_id, "frames/2/text/") == "run({})\n"


def test_a_part_can_be_asked_for(ann: User) -> None:
    session_id = make_session(user(), {**calls("a", "b", text="t"), "reasoning_content": "why"}, owner=ann)
    assert whole(ann, session_id, "frames/2/text/?part=reasoning") == "why"
    assert whole(ann, session_id, "frames/2/text/?call=2") == "run({})"


@pytest.mark.parametrize("query", ["?part=reasoning", "?part=x", "?call=2", "?call=0", "?call=a", "?call=1&part=x"])
def test_a_part_that_is_not_there_is_not_found(ann: User, query: str) -> None:
    session_id = make_session(user(), calls("a"), owner=ann)
    assert browser(ann).get(page_of(session_id, f"frames/2/text/{query}")).status_code == 404


def test_the_text_of_a_summary_is_given_whole(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id, "digest")
    summary = engine.reads.current_window(session_id).window[2].message
    assert whole(ann, session_id, "context/2/3/text/") == summary.body


def test_a_message_reads_as_the_model_saw_it(ann: User) -> None:
    session_id = make_session(user(), calls("a"), owner=ann)
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "late")])
    assert "late" in whole(ann, session_id, "context/1/3/text/")
    assert "The result of run is unknown" in whole(ann, session_id, "context/1/3/text/?at_seq=4")


@pytest.mark.case(68)
@pytest.mark.parametrize(
    "stored",
    ["garbage {", "[1]", '{"role": "assistant", "tool_calls": 5}', '{"role": "assistant", "tool_calls": [{"id": 1}]}'],
)
def test_of_a_damaged_message_the_stored_text_is_given(ann: User, stored: str) -> None:
    session_id = make_session(user(), says(), owner=ann)
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message=stored)
    for rest in ("frames/2/text/", "context/1/2/text/"):
        assert whole(ann, session_id, rest) == stored


@pytest.mark.case(57)
def test_what_utf8_cannot_carry_shows_as_a_replacement(ann: User) -> None:
    session_id = make_session(user("a\0b \ud800c"), owner=ann)
    assert whole(ann, session_id, "frames/1/text/") == "a\ufffdb \ufffdc"


@pytest.mark.case(87)
@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_no_text_is_taken_for_a_page(ann: User, text: str) -> None:
    session_id = make_session(*awful(text), owner=ann)
    client = browser(ann)
    for n in range(1, 6):
        assert_inert(client.get(page_of(session_id, f"frames/{n}/text/")))
        assert_inert(client.get(page_of(session_id, f"context/1/{n}/text/")))


def test_the_name_of_the_file_is_safe(ann: User) -> None:
    session_id = make_session(user(MARKUP), owner=ann, session_id="a~b@c:d.e")
    response = browser(ann).get(page_of(session_id, "frames/1/text/"))
    assert response["Content-Disposition"] == 'inline; filename="session-a_b_c_d.e-frame-1.txt"'


@pytest.mark.parametrize(
    "rest", ["frames/2/text/", "context/1/2/text/", "context/2/1/text/", "context/1/1/text/?at_seq=9"]
)
def test_what_is_not_there_has_no_text(ann: User, rest: str) -> None:
    assert browser(ann).get(page_of(make_session(user(), owner=ann), rest)).status_code == 404


def test_a_window_that_is_not_kept_has_no_text(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann, keep_context_history=False)
    compress(session_id)
    assert browser(ann).get(page_of(session_id, "context/1/1/text/")).status_code == 404


def test_the_page_links_to_all_of_what_it_cuts(ann: User) -> None:
    calling = {**calls("a", text="t" * 200_001), "reasoning_content": "r" * 200_001}
    calling["tool_calls"] = [call("a", "f", "a" * 200_001)]
    session_id = make_session(user(), calling, owner=ann)
    client = browser(ann)
    page = Page.of(client.get(page_of(session_id, "frames/2/")))
    shown = [a["href"] for a in page.all("a") if a.get("class") == "show-all"]
    assert shown == [page_of(session_id, f"frames/2/text/{query}") for query in ("?part=reasoning", "", "?call=1")]
    assert "t" * 200_001 not in page.text("main") and "a" * 200_001 not in page.text("main")
