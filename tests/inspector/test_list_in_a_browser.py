"""The list of sessions in a real browser: how it keeps up with what happens."""

from typing import Any

import pytest
from django.test import Client

from sessions_app.access.models import User
from sessions_app.access.roles import Role
from tests.builders import make_session, make_user, user
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser

pytestmark = [pytest.mark.django_db(transaction=True), *needs_chromium]


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


def later(page: Any, seconds: int = 10) -> None:
    page.clock.run_for(seconds * 1000)


def test_a_new_session_appears_and_what_is_being_typed_stays(live_server: Any, ann: User, client: Client) -> None:
    make_session(user(), owner=ann, title="The first")
    with window(live_server, client) as opened:
        page = opened.page
        page.clock.install()
        page.goto("/")
        expect(page.locator(".figure-sessions b")).to_have_text("1")
        page.focus("#q")
        make_session(user(), owner=ann, title="The second")
        later(page)
        expect(page.get_by_role("link", name="The second")).to_be_visible()
        expect(page.locator(".figure-sessions b")).to_have_text("2")
        expect(page.locator("#q")).to_be_focused()
        assert opened.faults == []


def test_the_focus_stays_on_its_row_and_the_page_where_it_is(live_server: Any, ann: User, client: Client) -> None:
    for n in range(40):
        make_session(user(), owner=ann, session_id=f"s{n:02}")
    with window(live_server, client, viewport={"width": 1400, "height": 500}) as opened:
        page = opened.page
        page.clock.install()
        page.goto("/")
        page.focus("#s-s05")
        before = page.evaluate("scrollY")
        assert before > 0
        make_session(user(), owner=ann, session_id="new")
        later(page)
        expect(page.locator("#s-new")).to_be_attached()
        expect(page.locator("#s-s05")).to_be_focused()
        assert page.evaluate("scrollY") == before
        assert opened.faults == []


def test_nothing_is_asked_while_nobody_looks_or_text_is_being_selected(
    live_server: Any, ann: User, client: Client
) -> None:
    make_session(user(), owner=ann, title="The first")
    with window(live_server, client) as opened:
        page, asked = opened.page, []
        page.on("request", lambda sent: asked.append(sent.url) if "drawn=" in sent.url else None)
        page.clock.install()
        page.goto("/")
        page.evaluate("Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})")
        later(page, 60)
        page.evaluate("delete document.visibilityState; getSelection().selectAllChildren(document.body)")
        later(page, 60)
        assert asked == []
        page.evaluate("getSelection().removeAllRanges()")
        with page.expect_response(lambda got: "drawn=" in got.url) as got:
            later(page)
        assert got.value.status in (200, 204)


def test_a_search_goes_before_a_question_that_is_under_way(live_server: Any, ann: User, client: Client) -> None:
    make_session(user(), owner=ann, title="The first")
    make_session(user(), owner=ann, title="Another")
    with window(live_server, client) as opened:
        page = opened.page
        page.clock.install()
        page.goto("/")
        page.route("**/*drawn=*", lambda route: None)  # it is never answered
        with page.expect_request(lambda sent: "drawn=" in sent.url):
            later(page)
        with page.expect_event("requestfailed", lambda sent: "drawn=" in sent.url):
            page.fill("#q", "first")
            later(page, 1)
        expect(page.get_by_role("link", name="Another")).to_have_count(0)
        expect(page.get_by_role("link", name="The first")).to_be_visible()


def test_a_server_that_is_away_is_not_talked_about(live_server: Any, ann: User, client: Client) -> None:
    make_session(user(), owner=ann)
    with window(live_server, client) as opened:
        page = opened.page
        page.clock.install()
        page.goto("/")
        page.route("**/*drawn=*", lambda route: route.abort())
        with page.expect_event("requestfailed"):
            later(page)
        expect(page.locator("#trouble")).to_be_empty()


def test_a_row_is_one_line_whatever_it_holds(live_server: Any, ann: User) -> None:
    boss = make_user("boss", role=Role.STAFF)
    make_session(owner=ann, session_id="i" * 200)
    make_session(user(), owner=ann, title="T" * 200, labels=[f"label number {n}" for n in range(20)])
    make_session(user(), owner=boss, title="Short")
    with window(live_server, browser(boss)) as opened:
        page = opened.page
        for width, height in ((1680, 32), (1024, 52), (390, 88)):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto("/")
            heights = page.locator("tbody tr").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
            assert [abs(h - height) <= 1 for h in heights] == [True] * 3
            assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_masthead_is_at_most_forty_pixels_high(live_server: Any, client: Client) -> None:
    with window(live_server, client, viewport={"width": 1024, "height": 700}) as opened:
        opened.page.goto("/")
        assert opened.page.locator(".masthead").evaluate("masthead => masthead.offsetHeight") <= 40


def test_the_users_site_and_the_tokens_page_break_no_rule_of_the_policy(live_server: Any) -> None:
    with window(live_server, browser(role=Role.STAFF)) as opened:
        page = opened.page
        for path in ("/tokens/", "/admin/", "/admin/access/user/", "/admin/access/user/add/", "/admin/auth/group/add/"):
            page.goto(path)
        page.goto("/admin/access/user/")
        page.get_by_role("link", name="u-").first.click()
        page.locator("#id_username").wait_for()
        assert opened.faults == []
