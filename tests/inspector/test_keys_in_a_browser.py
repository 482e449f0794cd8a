"""The keys of a session's page, in a real browser: all that a mouse does there."""

from typing import Any

import pytest
from django.test import Client

from sessions_app.access.models import User
from tests.builders import make_session, make_user, react_rounds, says, system, user
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser, compress, page_of

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), *needs_chromium]

WIDE = {"width": 1400, "height": 800}


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_rows_are_walked_pinned_and_followed_to_the_other_side(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), user(), *react_rounds(20), says("Done."), owner=ann)
    compress(session_id, "digest")
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        press(page, "g", "g")
        expect(page.locator("#f-1 .seq")).to_be_focused()
        press(page, "j", "j")
        expect(page.locator("#f-3 .seq")).to_be_focused()
        expect(page.locator(".lights #c-3.lit")).to_be_visible()
        press(page, "l")
        expect(page.locator("#c-3 .seq")).to_be_focused()
        press(page, "j", "h")
        expect(page.locator("#frame-rows > [data-at='4'] .seq")).to_be_focused()
        press(page, "p", "j", "Shift+P")
        expect(page.locator("#pinned")).to_contain_text("2 of them")
        press(page, "Escape")
        expect(page.locator("#pinned")).to_be_empty()
        press(page, "Shift+G")
        expect(page.locator("#f-43")).to_be_in_viewport()
        press(page, "Enter")
        page.wait_for_url("**/frames/*/")
        page.go_back()
        expect(page.locator("#f-43")).to_be_in_viewport()
        assert opened.faults == []


def test_j_and_k_load_further_rows_at_the_ends_of_a_page(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), *(user(f"Question {n}") for n in range(249)), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id, "?after_seq=150"))
        page.focus("#f-151 .seq")
        press(page, "k")
        expect(page.locator("#f-150 .seq")).to_be_focused()
        page.goto(page_of(session_id, "?before_seq=101"))
        page.focus("#f-100 .seq")
        press(page, "j")
        expect(page.locator("#f-101 .seq")).to_be_focused()
        assert opened.faults == []


def test_versions_hits_and_panels_have_keys_which_typing_does_not_press(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user("A needle."), *react_rounds(6), user("The needle?"), owner=ann)
    compress(session_id, "digest")
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        press(page, "[")
        expect(page.locator("#context-title")).to_contain_text("Context v1")
        press(page, "]")
        expect(page.locator("#context-title")).to_contain_text("Context v2")
        press(page, "/")
        expect(page.locator("#text")).to_be_focused()
        page.keyboard.type("jnpc needle")
        press(page, "Escape")
        expect(page.locator("#text")).to_have_value("jnpc needle")
        expect(page.locator("#text")).not_to_be_focused()
        page.locator("#text").fill("needle")
        press(page, "Enter")
        expect(page.locator(".hits")).to_contain_text("2 of 2")
        press(page, "Escape", "Shift+N")
        expect(page.locator(".hits")).to_contain_text("1 of 2")
        expect(page.locator("#f-2")).to_be_in_viewport()
        press(page, "n")
        expect(page.locator(".hits")).to_contain_text("2 of 2")
        press(page, "c")
        expect(page.locator("#panel-title")).to_have_text("Compress the window")
        press(page, "?")
        expect(page.locator("#keys")).to_be_visible()
        press(page, "Escape")
        expect(page.locator("#keys")).to_be_hidden()
        expect(page.locator("#panel-title")).to_be_visible()
        press(page, "Escape")
        expect(page.locator("#panel")).to_be_empty()
        expect(page.locator("#control-compress")).to_be_focused()
        press(page, "Control+c")
        expect(page.locator("#panel")).to_be_empty()
        assert opened.faults == []


def test_the_keys_go_on_from_what_was_found_or_jumped_to(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), user("A needle."), *react_rounds(6), user("The needle?"), owner=ann)
    compress(session_id, "digest")
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        assert page.evaluate("document.activeElement === document.body")
        page.locator("#text").fill("needle")
        press(page, "Enter")
        expect(page.locator("#f-15 .seq")).to_be_focused()
        press(page, "Shift+N")
        expect(page.locator("#f-2 .seq")).to_be_focused()
        press(page, "n")
        expect(page.locator("#f-15 .seq")).to_be_focused()
        page.locator("#jump").fill("7")
        press(page, "Enter")
        expect(page.locator("#f-7 .seq")).to_be_focused()
        press(page, "j")
        expect(page.locator("#f-8 .seq")).to_be_focused()
        page.locator("#stop-1").focus()
        press(page, "Enter")
        expect(page.locator("#context-title")).to_contain_text("Context v1")
        expect(page.locator("#stop-1")).to_be_focused()
        page.goto(page_of(session_id, "?frame=7&do=rename"))
        expect(page.locator("#title")).to_be_focused()
        assert opened.faults == []
