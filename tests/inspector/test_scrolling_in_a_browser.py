"""How long scrolling through a session holds a real browser up, and what happens where rows cannot be had."""

import json
from typing import Any

import pytest
from django.test import Client

from sessions_app import engine
from sessions_app.access.models import User
from tests.builders import call, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.chromium import browser_of_this_process, expect, needs_chromium, window
from tests.inspector.pages import browser, compress, page_of

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), *needs_chromium]

WIDE = {"width": 1400, "height": 800}


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


def longest_task(trace: bytes) -> float:
    """In milliseconds of the processor, which other programs of the machine do not lengthen as they do the time."""
    events = json.loads(trace)["traceEvents"]
    pages = {
        (e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    tasks = [e for e in events if e["name"] == "ThreadControllerImpl::RunTask" and (e["pid"], e["tid"]) in pages]
    assert len(tasks) > 100
    return float(max(e.get("tdur", 0) for e in tasks)) / 1000


def test_no_task_of_the_page_takes_longer_than_50_ms_while_one_scrolls(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), user(), *react_rounds(299), owner=ann)
    compress(session_id, "digest")
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.locator("#frames-scroller").hover(position={"x": 200, "y": 200})
        browser_of_this_process().start_tracing(page=page, categories=["toplevel"])
        while page.locator("#f-100").count() == 0:
            page.mouse.wheel(0, -1200)
            page.wait_for_timeout(20)
        while page.locator("#f-600").count() == 0:
            page.mouse.wheel(0, 1200)
            page.wait_for_timeout(20)
        longest = longest_task(browser_of_this_process().stop_tracing())
        assert longest < 50, longest
        assert opened.faults == []


def test_rows_that_cannot_be_had_are_said_and_can_be_asked_for_again(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), *(user(f"Question {n}") for n in range(249)), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.route("**/*before_seq*", lambda route: route.fulfill(status=503, body="<!doctype html><p>No."))
        page.evaluate("document.getElementById('frames-scroller').scrollTop = 0")
        expect(page.locator("#trouble")).to_contain_text("could not be loaded")
        page.unroute_all()
        page.locator("#frames-older a").click()
        expect(page.locator("#f-51")).to_be_attached()
        assert opened.faults == []


def test_the_failures_of_one_tool_are_found_and_followed_into_a_version(
    live_server: Any, ann: User, client: Client
) -> None:
    rounds = []
    for n in range(30):
        name = "run_tests" if n % 2 else "read_file"
        rounds += [
            {"role": "assistant", "content": None, "tool_calls": [call(f"c{n}", name)]},
            reply(f"c{n}", f"Result {n}.", is_error=n % 3 == 0),
        ]
    session_id = make_session(system(), user(), *rounds, says(), owner=ann)
    compress(session_id, "digest")
    engine.restore(session_id=session_id, version=1)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.get_by_role("link", name="errors", exact=True).click()
        expect(page.locator("#frame-rows > .row")).to_have_count(10)
        page.locator("#tool").select_option("run_tests")
        page.get_by_role("button", name="Find").click()
        expect(page.locator("#frame-rows > .row")).to_have_count(5)
        assert "tool=run_tests" in page.url and "only=errors" in page.url
        page.locator("#stop-2").click()
        expect(page.locator("#context-title")).to_contain_text("Context v2")
        expect(page.locator("#frame-rows > .row")).to_have_count(5)
        expect(page.locator("#frame-rows > .row.fate-summarised").first).to_be_visible()
        page.locator("#frame-rows > .row.fate-summarised .mark").first.click()
        expect(page.locator("#context-rows > .lit.kind-summary")).to_be_in_viewport()
        engine.append(session_id=session_id, messages=[user("And now?")])
        page.evaluate("dispatchEvent(new Event('focus'))")
        expect(page.locator("#head")).to_contain_text("head 65 · v3")
        expect(page.locator("#frame-rows > .row")).to_have_count(5)
        expect(page.locator("#new-frames")).to_be_hidden()
        page.reload()
        expect(page.locator("#context-rows > .lit.kind-summary")).to_be_in_viewport()
        page.go_back()
        page.wait_for_load_state("networkidle")
        page.go_back()
        expect(page.locator("#context-title")).to_contain_text("Context v3")
        expect(page.locator("#frame-rows > .row")).to_have_count(5)
        assert opened.faults == []
