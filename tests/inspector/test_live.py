"""What a page that follows its session is told."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.pages import Page, browser, compress, page_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def opened() -> tuple[Client, str]:
    ann = make_user("ann")
    return browser(ann), make_session(system(), user(), *react_rounds(4), owner=ann)


def poll_of(client: Client, session_id: str, query: str = "") -> str:
    """What the page asks for next."""
    page = Page.of(client.get(page_of(session_id, query)))
    (live,) = [a for t, a in page.elements if a.get("id") == "live"]
    assert live["data-url"]
    return live["data-url"]


def rows(response: Any) -> list[str]:
    return [i for i in Page.of(response).ids if re.fullmatch(r"[fc]-\d+", i)]


def test_an_unchanged_session_answers_nothing_at_the_cost_of_its_row(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 204
    # The login and its user; the session by its primary key.
    assert len(captured) == 3
    assert "WHERE" in captured[2]["sql"] and '"session_id" = ' in captured[2]["sql"]


def test_new_frames_and_messages_come_for_the_ends_of_the_bands(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[says("All done."), user("Thanks.")])
    response = client.get(f"{url}&last=10&last_position=10")
    assert rows(response) == ["f-11", "f-12", "c-11", "c-12"]
    assert "frames 12" in Page.of(response).text("head")


def test_a_page_that_does_not_show_the_tail_gets_the_counters_alone(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[says("All done.")])
    response = client.get(url)
    assert rows(response) == []
    assert 'data-last="11"' in text_of(response)


def test_what_was_told_once_is_not_told_again(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[says("All done.")])
    told = Page.of(client.get(f"{url}&last=10"))
    (live,) = [a for t, a in told.elements if a.get("id") == "live"]
    assert client.get(f"{live['data-url']}&last=11").status_code == 204


def test_a_call_that_was_answered_meanwhile_is_drawn_again() -> None:
    ann = make_user("ann")
    client, session_id = browser(ann), make_session(user(), calls("a", name="deploy"), owner=ann)
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[reply("a")])
    page = Page.of(client.get(f"{url}&last=2&last_position=2"))
    assert "open" not in page.text("f-2")
    assert "↪ #3" in page.text("f-2")
    (row,) = [a for _, a in page.elements if a.get("id") == "f-2"]
    assert row["hx-swap-oob"] == "true"


def test_a_late_reply_that_took_a_place_in_the_window_is_drawn_there() -> None:
    ann = make_user("ann")
    client, session_id = browser(ann), make_session(user(), calls("a", name="deploy"), owner=ann)
    engine.recover(session_id=session_id)
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[reply("a", "deployed after all")])
    page = Page.of(client.get(f"{url}&last=3&last_position=3"))
    assert "deployed after all" in page.text("c-3")
    assert "= #3" not in page.text("c-3")


def test_the_size_of_the_window_moves_with_it(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    written = engine.append(session_id=session_id, messages=[says("All done. " * 20)])
    told = Page.of(client.get(f"{url}&last=10")).text("context-tokens")
    assert told == f"{written.state.context_tokens} tokens"


def test_a_new_title_is_news_and_brings_no_rows(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    engine.change(session_id=session_id, expected=engine.ANY_HEAD, title="Another name")
    response = client.get(f"{url}&last=10&last_position=10")
    assert "Another name" in Page.of(response).text("head")
    assert rows(response) == []


def test_a_window_that_was_superseded_stays_and_says_so(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    compress(session_id, protect_rounds=1)
    page = Page.of(client.get(f"{url}&last=10&last_position=10"))
    assert "v2 is the window now" in page.text("superseded")
    assert [a["id"] for a in page.all("a", aria_current="true") if (a.get("id") or "").startswith("stop")] == ["stop-1"]
    # It goes on being so.
    (live,) = [a for t, a in page.elements if a.get("id") == "live"]
    engine.append(session_id=session_id, messages=[says("More.")])
    later = client.get(f"{live['data-url']}&last=10&last_position=10")
    assert rows(later) == ["f-11"]
    assert "later" in Page.of(later).text("f-11")


def test_a_filtered_page_does_not_grow(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    page = Page.of(client.get(page_of(session_id, "?role=tool")))
    (live,) = [a for t, a in page.elements if a.get("id") == "live"]
    assert "data-frames-grow" not in live


def test_more_than_a_page_of_new_frames_leaves_the_rest_to_scrolling(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[says(), *[m for _ in range(100) for m in (user(), says())]])
    response = client.get(f"{url}&last=10")
    assert len(rows(response)) == 100
    assert [a["href"] for a in Page.of(response).all("a", rel="next")]


def test_whose_session_was_deleted_is_told(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    assert client.get(url).status_code == 404


def test_a_page_of_a_session_that_was_made_again_is_told_nothing_of_the_new_one() -> None:
    ann = make_user("ann")
    client, session_id = browser(ann), make_session(user(), says(), owner=ann)
    url = poll_of(client, session_id)
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    make_session(*[user(f"Other {n}") for n in range(4)], owner=ann, session_id=session_id)
    assert client.get(f"{url}&last=2&last_position=2").status_code == 404


def test_a_reader_who_is_elsewhere_in_the_frames_is_sent_no_row_but_those_of_the_end(
    opened: tuple[Client, str],
) -> None:
    client, session_id = opened
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[says("All done.")])
    assert rows(client.get(f"{url}&last_position=10")) == ["c-11"]


def test_the_recovery_frame_that_a_late_reply_follows_is_drawn_again() -> None:
    ann = make_user("ann")
    client, session_id = browser(ann), make_session(user(), calls("a", name="deploy"), owner=ann)
    engine.recover(session_id=session_id)
    url = poll_of(client, session_id)
    engine.append(session_id=session_id, messages=[reply("a", "deployed after all")])
    page = Page.of(client.get(f"{url}&last=3&last_position=3"))
    assert "≈ C3" in page.text("f-3")
    assert rows(client.get(f"{url}&last=3&last_position=3")) == ["f-4", "f-2", "f-3", "c-3"]


def test_what_the_model_saw_is_never_said_to_be_superseded(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    url = poll_of(client, session_id, "?at_seq=5")
    compress(session_id, protect_rounds=1)
    page = Page.of(client.get(f"{url}&last=10"))
    assert page.text("superseded") == ""
