"""The controls of a session's page in a real browser, and what the page looks like after each of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from sessions_app import engine
from sessions_app.access.models import User
from tests.builders import calls, make_session, make_user, react_rounds, system, user
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


def test_a_compression_is_seen_before_it_is_applied_and_the_rail_grows(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user(), *react_rounds(60), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id, "?frame=60"))
        page.locator("#f-61 .who").click()
        expect(page.locator("#pinned")).to_contain_text("#61")
        page.locator("#control-compress").click()
        page.locator("#strategy-digest").click()
        page.get_by_role("button", name="Preview").click()
        expect(page.locator(".preview .strip-cells")).to_be_visible()
        expect(page.locator(".stop")).to_have_count(1)
        assert "pin=f61" in page.url
        page.reload()
        expect(page.locator("#panel-title")).to_have_text("Compress the window")
        expect(page.locator("#f-61.pinned")).to_be_in_viewport()
        page.get_by_role("button", name="Apply").click()
        expect(page.locator(".stop-shown")).to_contain_text("v2 · digest")
        expect(page.locator("#panel")).to_be_empty()
        expect(page.locator("#ribbons .ribbon").first).to_be_attached()
        page.go_back()
        expect(page.locator("#panel-title")).to_be_visible()
        assert opened.faults == []


def test_two_versions_are_compared(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), user(), *react_rounds(40), owner=ann)
    compress(session_id, "digest")
    engine.restore(session_id=session_id, version=1)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id, "?frame=20"))
        page.locator("#compare-with").select_option("2")
        page.locator("#compare").click()
        expect(page.locator("#difference")).to_contain_text("v2")
        expect(page.locator("#f-20")).to_be_in_viewport()
        assert "compare=2" in page.url and "frame=" in page.url
        page.locator("#stop-1").click()
        expect(page.locator("#context-title")).to_contain_text("Context v1")
        expect(page.locator("#f-20")).to_be_in_viewport()
        page.go_back()
        expect(page.locator("#difference")).to_contain_text("v2")
        assert opened.faults == []


def test_history_is_switched_off_a_session_recovered_appended_to_exported_and_deleted(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), calls("x", name="deploy"), owner=ann)
    compress(session_id)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.locator("#change-history").click()
        expect(page.locator("#panel")).to_contain_text("v1")
        page.get_by_role("button", name="Stop keeping history").click()
        expect(page.locator("#versions")).to_contain_text("history is not kept")
        page.get_by_role("link", name="Recover 1").click()
        expect(page.locator(".body-recovery")).to_contain_text("deploy")
        page.get_by_role("button", name="Recover 1 call").click()
        expect(page.locator("#f-16.row-recovery")).to_be_in_viewport()
        page.locator("#more-controls").click()
        page.get_by_role("link", name="Append messages").click()
        page.locator("#messages").fill('{"role": "assistant", "content": "By hand."}')
        page.get_by_role("button", name="Append").click()
        expect(page.locator("#f-17")).to_contain_text("By hand.")
        expect(page.locator("#f-17")).to_be_in_viewport()
        page.locator("#more-controls").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="Export messages (JSONL)").click()
        lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
        assert "By hand." in json.dumps(json.loads(lines[-1]))
        page.locator("#more-controls").click()
        page.get_by_role("link", name="Delete").click()
        page.locator("#confirm").fill(session_id)
        page.get_by_role("button", name="Delete for good").click()
        page.wait_for_url("**/")
        expect(page.get_by_role("heading", level=1)).to_have_text("Sessions")
        assert opened.faults == []
