"""A session's page in a real browser while others write to the session: an agent, and a second person."""

import re
from typing import Any

import pytest
from django.test import Client

from sessions_app import engine
from sessions_app.access.models import User
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser, compress, page_of

pytestmark = [pytest.mark.django_db(transaction=True), *needs_chromium]

WIDE = {"width": 1400, "height": 800}
TOP_OF = "(id) => document.getElementById(id).getBoundingClientRect().top"


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


def ask(page: Any) -> None:
    """The page asks by itself every two seconds; one who comes back to it need not wait."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def test_frames_and_messages_that_are_written_meanwhile_come_to_the_end_and_stay_in_view(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user(), *react_rounds(30), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        expect(page.locator("#following")).to_be_visible()
        expect(page.locator("#f-62")).to_be_in_viewport()
        engine.append(session_id=session_id, messages=[calls("x", name="deploy")])
        expect(page.locator("#f-63")).to_be_in_viewport()
        expect(page.locator("#c-63")).to_be_in_viewport()
        expect(page.locator("#head .chip")).to_have_text("awaiting tools · 1 open")
        expect(page.get_by_role("link", name="Recover 1")).to_be_visible()
        expect(page.locator("#frames-span")).to_have_text("#1–#63 of 63")
        expect(page.locator("[role=status]", has_text="1 new frame")).to_have_count(1)
        expect(page.locator("#new-frames")).to_be_hidden()
        engine.append(session_id=session_id, messages=[reply("x", "deployed"), says("It is out.")])
        ask(page)
        expect(page.locator("#f-65")).to_be_in_viewport()
        expect(page.locator("#head .chip")).to_have_text("settled")
        assert opened.faults == []


def test_nothing_moves_under_a_reader_and_a_pill_counts_what_came(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), user(), *react_rounds(60), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id, "?frame=50"))
        expect(page.locator("#f-50")).to_be_in_viewport()
        page.focus("#f-50 .seq")
        before = page.evaluate(TOP_OF, "f-50")
        engine.append(session_id=session_id, messages=[user("And now?")])
        ask(page)
        pill = page.locator("#new-frames")
        expect(pill).to_have_text("1 new frame")
        engine.append(session_id=session_id, messages=[says("Wait."), user("No.")])
        compress(session_id, "digest")
        ask(page)
        expect(pill).to_have_text("3 new frames")
        expect(page.locator("#versions")).to_contain_text("digest")
        expect(page.locator("#superseded")).to_contain_text("v2 is the window now")
        assert page.evaluate(TOP_OF, "f-50") == before
        expect(page.locator("#f-50 .seq")).to_be_focused()
        pill.click()
        expect(page.locator("#f-125")).to_be_in_viewport()
        expect(pill).to_be_hidden()
        assert opened.faults == []


def test_an_open_menu_and_a_half_filled_form_outlive_what_comes(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), user(), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.locator("#more-controls").click()
        page.get_by_role("link", name="Append messages").click()
        page.locator("#messages").fill("[half")
        engine.append(session_id=session_id, messages=[says("One.")])
        ask(page)
        expect(page.locator("#f-3")).to_be_in_viewport()
        expect(page.locator("#messages")).to_have_value("[half")
        expect(page.locator("#messages")).to_be_focused()
        page.locator("#more-controls").click()
        engine.append(session_id=session_id, messages=[user("Two.")])
        ask(page)
        expect(page.get_by_role("link", name="Rename, label")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#more-controls")).to_be_focused()
        ask(page)
        expect(page.locator("#f-4")).to_be_attached()
        expect(page.locator("#more-controls")).to_be_focused()
        expect(page.locator("#messages")).to_have_value("[half")
        assert opened.faults == []


def test_the_later_of_two_is_told_what_moved_and_goes_on_from_there(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        first, second = opened.page, opened.page.context.new_page()
        for page in (first, second):
            page.goto(page_of(session_id, "?do=append"))
            page.locator("#messages").fill('{"role": "user", "content": "From here."}')
        # It must not have been told before: the second tab does not follow.
        second.route("**/live/**", lambda route: route.abort())
        first.get_by_role("button", name="Append").click()
        expect(first.locator("#f-15")).to_contain_text("From here.")
        expect(first.locator("#panel")).to_be_empty()
        second.get_by_role("button", name="Append").click()
        expect(second.locator("#panel .refusal")).to_contain_text("frame 15")
        expect(second.locator("#f-15")).to_be_attached()
        expect(second.locator("#messages")).to_have_value(re.compile("From here"))
        second.get_by_role("button", name="Append").click()
        expect(second.locator("#f-16")).to_contain_text("From here.")
        assert [fault for fault in opened.faults if "ERR_FAILED" not in fault] == []
