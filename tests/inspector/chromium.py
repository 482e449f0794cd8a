"""A real browser on the server of the test. Its tests are skipped where the machine has none."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, sync_playwright

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_chromium = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="There is no Chromium here.")]


@dataclass
class Window:
    """A page, the faults that it met (scripts that fail, what the policy refuses), and what it sent."""

    page: Page
    faults: list[str] = field(default_factory=list)
    posted: list[str] = field(default_factory=list)


@contextmanager
def window(server: Any, client: Client, **options: Any) -> Iterator[Window]:
    """A window of the browser that `client` is signed in with. Ask the database before or after, not within."""
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": server.url}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        context = chromium.new_context(base_url=server.url, **options)
        context.add_cookies([cookie])  # type: ignore[list-item]
        opened = Window(context.new_page())
        opened.page.set_default_timeout(10_000)
        opened.page.on("pageerror", lambda error: opened.faults.append(str(error)))
        opened.page.on("console", lambda said: _note(opened, said.type, said.text))
        opened.page.on("request", lambda sent: opened.posted.append(sent.url) if sent.method == "POST" else None)
        yield opened
        chromium.close()


def _note(opened: Window, kind: str, text: str) -> None:
    # A refusal is no fault: htmx puts it on the page.
    if kind == "error" and "the server responded with a status of" not in text:
        opened.faults.append(text)
