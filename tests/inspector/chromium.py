"""A real browser on the server of the test. Its tests are skipped where the machine has none.

How a test in the browser is written:

    pytestmark = [pytest.mark.django_db(transaction=True), *needs_chromium]

    def test_a_frame_that_is_appended_meanwhile_appears(live_server: Any, ann: Client) -> None:
        session_id = make_session(user(), owner=...)
        with window(live_server, ann, viewport={"width": 390, "height": 800}, color_scheme="dark") as opened:
            opened.page.goto(page_of(session_id))
            engine.append(session_id=session_id, messages=[says("Done.")])
            expect(opened.page.locator("#f-2")).to_contain_text("Done.")
            assert opened.faults == []

- One Chromium serves all tests of a process; each `window` has a context of its own, so cookies, storage and routes
  are new. Options are those of `Browser.new_context`. A second person or tab: another `window`, or
  `opened.page.context.new_page()`, whose console is listened to as well.
- Ask and change the database wherever you like: Playwright runs in a thread of its own (far.py), and what a test holds
  are stand-ins that look and act like its objects. Only functions that are handed over (to `page.on`, `page.route`) run
  in that thread: they may use the page, but not the database.
- Wait for what you expect: `expect(locator).to_…` (from here, not from Playwright) or `locator.wait_for()`; never
  sleep. Events (console, requests) are noted while a call is under way: make one that waits before you judge them.
- Leave nothing under way at the end: a request that is still answered holds up the emptying of the tables.
- One visit per story, not one per assertion: a page costs about 0.2 s, the emptying of the tables 0.1 s. What needs no
  script is held by the tests with Django's client, which cost a tenth. What does not depend on the database is marked
  `sqlite` and runs there only.
"""

import shutil
from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from django.test import Client
from playwright import sync_api
from playwright.sync_api import ConsoleMessage, Page, Request

from tests.inspector.far import Elsewhere

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_chromium = [
    pytest.mark.browser,
    pytest.mark.skipif(PROGRAM is None, reason="There is no Chromium here."),
    pytest.mark.usefixtures("chromium"),  # tests/conftest.py: it is closed when the tests of the process end
]

TIMEOUT_MS = 10_000


@dataclass
class Window:
    """A page, what its console said, of that the faults (scripts that fail, what the policy refuses), and what it
    sent.
    """

    page: Page
    said: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    posted: list[str] = field(default_factory=list)


@dataclass
class _Browser:
    """The one Chromium of this process, as long as there is one."""

    elsewhere: Elsewhere
    playwright: Any
    chromium: Any


_open: list[_Browser] = []


def browser_of_this_process() -> Any:
    if not _open:
        elsewhere = Elsewhere()
        playwright = elsewhere.do(lambda: sync_api.sync_playwright().start())
        chromium = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        _open.append(_Browser(elsewhere, playwright, chromium))
    return _open[0].chromium


def close_browser() -> None:
    while _open:
        browser = _open.pop()
        browser.chromium.close()
        browser.playwright.stop()
        browser.elsewhere.end()


@contextmanager
def window(server: Any, client: Client | None, **options: Any) -> Iterator[Window]:
    """A window of the browser that `client` is signed in with; without one, of somebody who is not."""
    context = browser_of_this_process().new_context(base_url=server.url, **options)
    try:
        context.set_default_timeout(TIMEOUT_MS)
        if client is not None:
            context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": server.url}])
        opened = Window(context.new_page())
        context.on("weberror", lambda error: _note(opened, str(error.error), is_fault=True))
        context.on("console", lambda said: _note_words(opened, said))
        context.on("request", lambda sent: _note_request(opened, sent))
        yield opened
        context.close()
    except FutureTimeout:
        _open.clear()  # The next test starts a browser of its own.
        raise
    except BaseException:
        context.close()
        raise


def expect(subject: Any, message: str | None = None) -> Any:
    """Playwright's `expect`, for stand-ins."""
    browser_of_this_process()
    return _open[0].elsewhere.do(cast(Any, sync_api.expect), subject, message)


def _note_words(opened: Window, said: ConsoleMessage) -> None:
    # A refusal is no fault: htmx puts it on the page. Chromium says it all the same.
    if "the server responded with a status of" not in said.text:
        _note(opened, f"{said.type}: {said.text}", is_fault=said.type == "error")


def _note(opened: Window, words: str, *, is_fault: bool) -> None:
    opened.said.append(words)
    if is_fault:
        opened.faults.append(words)


def _note_request(opened: Window, sent: Request) -> None:
    if sent.method == "POST":
        opened.posted.append(sent.url)
