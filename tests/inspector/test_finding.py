"""Filters leave frames out; a search leads from hit to hit."""

import re

import pytest
from django.test import Client

from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.pages import Page, browser, compress, page_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def opened() -> tuple[Client, str]:
    ann = make_user("ann")
    session_id = make_session(
        user("Find the needle."),
        calls("a", name="grep"),
        reply("a", "no match", is_error=True),
        calls("b", name="cat"),
        reply("b", "hay and a NEEDLE"),
        says("针在草堆里。"),
        user("Good. Once more."),
        calls("d", name="deploy"),
        owner=ann,
    )
    return browser(ann), session_id


def frames(page: Page) -> list[str]:
    return [i for i in page.ids if re.fullmatch(r"f-\d+", i)]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?role=tool", ["f-3", "f-5"]),
        ("?tool=cat", ["f-4", "f-5"]),
        ("?only=errors", ["f-3"]),
        ("?only=errors&tool=cat", []),
        ("?only=open", ["f-8"]),
        ("?only=dropped", []),
    ],
)
def test_a_filter_leaves_the_others_out(opened: tuple[Client, str], query: str, shown: list[str]) -> None:
    client, session_id = opened
    assert frames(Page.of(client.get(page_of(session_id, query)))) == shown


def test_the_tools_of_the_session_are_offered(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    page = Page.of(client.get(page_of(session_id, "?tool=cat")))
    options = [a["value"] for a in page.all("option") if a.get("value") not in ("", None)]
    assert options[:2] == ["cat", "grep"]


def test_a_tool_that_is_asked_for_is_offered_even_where_it_never_replied(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    page = Page.of(client.get(page_of(session_id, "?tool=deploy")))
    assert [a["value"] for a in page.all("option") if "selected" in a] == ["deploy"]
    assert frames(page) == ["f-8"]


def test_a_search_leaves_no_frame_out_and_stands_at_the_newest_hit(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    page = Page.of(client.get(page_of(session_id, "?q=needle")))
    assert len(frames(page)) == 8
    assert "2 of 2" in page.text("bands")
    hits = [a["id"] for _, a in page.elements if "row-hit" in (a.get("class") or "")]
    assert hits == ["f-1", "f-5"]


def test_the_word_is_marked_where_the_row_shows_it_and_told_where_it_does_not() -> None:
    ann = make_user("ann")
    session_id = make_session(user("A NEEDLE <b>here</b>."), says("x" * 300 + " needle"), owner=ann)
    response = browser(ann).get(page_of(session_id, "?q=needle"))
    assert "A <mark>NEEDLE</mark> &lt;b&gt;here&lt;/b&gt;." in text_of(response)
    page = Page.of(response)
    assert "found further in" in page.text("f-2")
    assert "found further in" not in page.text("f-1")


def test_more_hits_than_are_stepped_through_are_said_to_be_more() -> None:
    ann = make_user("ann")
    session_id = make_session(*[user("needle") for _ in range(210)], owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, "?q=needle")))
    assert "200 of 200+ in #11–#210" in page.text("bands")
    (further,) = page.all("a", id="search-further")
    assert "10 of 10 in #1–#10" in Page.of(browser(ann).get(further["href"] or "")).text("bands")


def test_hits_are_stepped_through(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    page = Page.of(client.get(page_of(session_id, "?q=needle")))
    (earlier,) = page.all("a", id="hit-earlier")
    assert not page.all("a", id="hit-later")
    assert (earlier["href"] or "").endswith("#f-1")
    first = Page.of(client.get(earlier["href"] or ""))
    assert "1 of 2" in first.text("bands")
    assert first.all("a", id="hit-later") and not first.all("a", id="hit-earlier")


@pytest.mark.parametrize("word", ["针", "草堆"])
def test_one_and_two_chinese_characters_are_found(opened: tuple[Client, str], word: str) -> None:
    client, session_id = opened
    assert "1 of 1" in Page.of(client.get(page_of(session_id, f"?q={word}"))).text("bands")


def test_a_search_within_a_filter_counts_what_fits_both(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    page = Page.of(client.get(page_of(session_id, "?q=needle&role=tool")))
    assert frames(page) == ["f-3", "f-5"]
    assert "1 of 1" in page.text("bands")


def test_a_search_without_a_hit_says_so(opened: tuple[Client, str]) -> None:
    client, session_id = opened
    page = Page.of(client.get(page_of(session_id, "?q=haystack")))
    assert "no hit" in page.text("bands")
    assert len(frames(page)) == 8


@pytest.mark.parametrize("query", ["?only=everything", "?pin=x", "?band=left", "?compare=x", "?hit=-1"])
def test_what_no_filter_knows_is_a_bad_request(opened: tuple[Client, str], query: str) -> None:
    client, session_id = opened
    assert client.get(page_of(session_id, query)).status_code == 400


def test_of_a_window_that_is_gone_no_frame_is_said_to_be_left_out() -> None:
    ann = make_user("ann")
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann, keep_context_history=False)
    compress(session_id)
    page = Page.of(browser(ann).get(page_of(session_id, "?version=1&only=dropped")))
    assert frames(page) == []
    assert "No frame fits these filters" in page.text("frames")
    assert "f-3" in frames(Page.of(browser(ann).get(page_of(session_id, "?only=dropped"))))
