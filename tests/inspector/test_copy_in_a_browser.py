"""What the scripts do with copies and whole texts, in a real browser."""

from typing import Any

import pytest
from django.test import Client

from inspector.presenters.copy_links import copy_of_frames
from sessions_app import jsontext
from sessions_app.access.models import User
from tests.builders import make_session, make_user, says, user
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser, page_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite, *needs_chromium]

MAY_COPY = {"permissions": ["clipboard-read", "clipboard-write"]}
STRANGE = "<img src=x onerror=alert(1)> it's $HOME \N{GRINNING FACE}\nline"


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


def copy_link(page: Any, form: str) -> Any:
    return page.locator(".copy-menu").get_by_role("link", name=form)


def test_a_copy_comes_onto_the_clipboard(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(user(), says(STRANGE), owner=ann)
    with window(live_server, client, **MAY_COPY) as opened:
        page = opened.page
        page.goto(page_of(session_id, "frames/2/"))
        summary = page.locator(".copy-menu summary")
        summary.click()
        copy_link(page, "JSON").click()
        expect(summary).to_have_text("Copied")
        expect(page.get_by_role("status")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == jsontext.dumps(says(STRANGE))
        expect(summary).to_be_focused()
        expect(summary).to_have_text("Copy")
        assert page.url.endswith("/frames/2/")
        assert opened.faults == []


def test_without_a_new_clipboard_the_text_is_written(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(user(), owner=ann)
    with window(live_server, client, **MAY_COPY) as opened:
        page = opened.page
        page.add_init_script("delete globalThis.ClipboardItem")
        page.goto(page_of(session_id, "frames/1/"))
        page.locator(".copy-menu summary").click()
        copy_link(page, "Markdown").click()
        expect(page.locator(".copy-menu summary")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()").startswith("### #1 user\n")


def test_a_copy_that_cannot_be_made_says_why(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(user(), owner=ann)
    with window(live_server, client, **MAY_COPY) as opened:
        page = opened.page
        page.goto(page_of(session_id, "frames/1/"))
        page.locator(".copy-menu summary").click()
        copy_link(page, "JSON").evaluate("link => { link.href = link.href.replace('frames=1', 'frames=7') }")
        copy_link(page, "JSON").click()
        expect(page.locator("main")).to_contain_text("There is nothing here")


def test_without_scripts_the_link_opens_the_text(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(user(STRANGE), owner=ann)
    with window(live_server, client, java_script_enabled=False) as opened:
        opened.page.goto(page_of(session_id, "frames/1/"))
        opened.page.locator(".copy-menu summary").click()
        copy_link(opened.page, "JSON").click()
        expect(opened.page.locator("pre")).to_have_text(jsontext.dumps(user(STRANGE)))
        assert opened.page.url.endswith(copy_of_frames(session_id, 1, 1).json)


# A row as the session's page has it, put into a page that is there already.
ROW = """(text) => {
  document.querySelector("main").innerHTML = `<ol><li class="row" id="f-1"><p class="body">beginning</p>
    <p class="foot"><a class="show-all" href="${text}" data-whole data-fold="fold" data-rest="as text">
    show all</a></p></li></ol>`;
}"""


def open_row(page: Any, session_id: str) -> Any:
    """A page whose one row came after the page; its link."""
    page.goto(page_of(session_id, "frames/1/"))
    page.evaluate(ROW, page_of(session_id, "frames/1/text/"))
    return page.locator("a[data-whole]")


def test_a_whole_text_opens_in_its_row_and_folds(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(user(STRANGE), owner=ann)
    with window(live_server, client) as opened:
        page = opened.page
        link, whole = open_row(page, session_id), page.locator("#f-1 > pre.whole")
        link.focus()
        expect(link).to_have_attribute("aria-expanded", "false")
        page.keyboard.press("Enter")
        expect(whole).to_have_text(STRANGE)
        expect(whole.locator("img")).to_have_count(0)
        expect(link).to_have_attribute("aria-expanded", "true")
        expect(page.locator("#f-1 .body")).to_be_hidden()
        page.keyboard.press("Tab")
        expect(whole).to_be_focused()
        link.click()
        expect(whole).to_have_count(0)
        expect(link).to_have_attribute("aria-expanded", "false")
        expect(link).to_be_focused()
        expect(page.locator("#f-1 .body")).to_be_visible()
        assert opened.faults == []


def test_of_a_huge_text_the_beginning_opens_and_a_link_leads_on(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(user("\N{GRINNING FACE}" * 1_000_000), owner=ann)
    with window(live_server, client) as opened:
        link, whole = open_row(opened.page, session_id), opened.page.locator("pre.whole")
        link.click()
        expect(whole.locator("a")).to_have_js_property("href", live_server.url + page_of(session_id, "frames/1/text/"))
        assert whole.evaluate("pre => pre.firstChild.data.length") == 200_000
        assert opened.faults == []


def test_a_text_that_is_gone_leads_to_the_reason(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(user(), owner=ann)
    with window(live_server, client) as opened:
        link = open_row(opened.page, session_id)
        link.evaluate("link => { link.href = link.href.replace('/1/', '/9/') }")
        link.click()
        expect(opened.page.locator("main")).to_contain_text("There is nothing here")


def test_images_are_drawn_within_the_policy(live_server: Any, ann: User, client: Client) -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}}
    session_id = make_session({"role": "user", "content": [image]}, owner=ann)
    with window(live_server, client) as opened:
        opened.page.goto(page_of(session_id, "frames/1/"))
        opened.page.get_by_role("link", name="show", exact=True).click()
        expect(opened.page.locator("main img")).to_have_js_property("naturalWidth", 1)
        assert opened.faults == []
