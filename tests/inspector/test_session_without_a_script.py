"""A session's page in a real browser that runs no script: reading, paging, finding, compressing, recovering."""

from typing import Any

import pytest
from django.test import Client

from sessions_app.access.models import User
from tests.builders import calls, make_session, make_user, react_rounds, says, system, user
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser, page_of

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), *needs_chromium]


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


def test_pages_are_turned_and_frames_found_by_links_and_forms(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), *(user(f"Question {n}") for n in range(249)), owner=ann)
    with window(live_server, client, java_script_enabled=False) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.locator("#frames-older a").click()
        expect(page.locator("#frames-span")).to_have_text("#51–#150 of 250")
        page.locator("#jump").fill("7")
        page.locator("#jump").press("Enter")
        expect(page.locator("#f-7")).to_be_attached()
        page.locator("#text").fill("Question 13")
        page.get_by_role("button", name="Find").click()
        expect(page.locator(".hits")).to_contain_text("11 of 11")
        page.locator("#hit-earlier").click()
        expect(page.locator(".hits")).to_contain_text("10 of 11")
        expect(page.locator(".row:target")).to_contain_text("Question 138")


def test_a_row_leads_to_its_other_side_and_the_pin_is_in_the_address(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), says(), owner=ann)
    with window(live_server, client, java_script_enabled=False) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.locator("#f-4 .mark").click()
        assert page.url.endswith("?pin=f4#f-4")
        expect(page.locator("#c-4.lit")).to_be_visible()
        expect(page.locator("#pinned")).to_contain_text("frame #4")
        page.get_by_role("link", name="unpin").click()
        expect(page.locator("#pinned")).to_be_empty()
        page.locator("#f-5").get_by_role("link", name="model saw").click()
        expect(page.locator("#context")).to_contain_text("What the model saw when frame 5 was written.")
        expect(page.locator("#context-rows > .row")).to_have_count(4)


def test_a_window_is_compressed_and_a_stuck_session_recovered_by_forms(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), calls("x", name="deploy"), owner=ann)
    with window(live_server, client, java_script_enabled=False) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.get_by_role("link", name="Recover 1").click()
        expect(page.locator(".open-calls")).to_contain_text("deploy")
        expect(page.locator(".body-recovery")).to_contain_text("deploy")
        page.get_by_role("button", name="Recover 1 call").click()
        expect(page.get_by_text("1 call was recovered.")).to_be_visible()
        expect(page.locator("#f-16.row-recovery")).to_be_attached()
        page.locator("#control-compress").click()
        page.locator("#strategy-sliding_window").click()
        page.get_by_role("button", name="Preview").click()
        expect(page.locator(".preview .strip-cells")).to_be_visible()
        page.get_by_role("button", name="Apply").click()
        expect(page.locator(".stop-shown")).to_contain_text("v2")
        page.locator("#stop-1").click()
        page.get_by_role("button", name="Restore v1").click()
        expect(page.locator(".stop-shown")).to_contain_text("v3")
