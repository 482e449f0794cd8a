"""What the browser's tests lean on: windows that know nothing of each other, and a database within reach."""

from typing import Any

import pytest

from sessions_app.models import Session
from tests.builders import make_session, make_user, user
from tests.inspector import axe
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser, page_of

pytestmark = [pytest.mark.django_db(transaction=True), *needs_chromium, pytest.mark.sqlite]


def test_the_database_answers_while_a_window_is_open(live_server: Any) -> None:
    ann = make_user("ann")
    with window(live_server, browser(ann)) as opened:
        session_id = make_session(user(), owner=ann, title="Made meanwhile")
        opened.page.goto(page_of(session_id))
        expect(opened.page).to_have_title("Made meanwhile · Session engine")
        assert Session.objects.count() == 1


def test_each_window_has_its_own_cookies(live_server: Any) -> None:
    with window(live_server, browser(make_user("ann"))) as ann, window(live_server, None) as nobody:
        for opened in (ann, nobody):
            opened.page.goto("/")
        assert ann.page.url == f"{live_server.url}/"
        assert "/login/" in nobody.page.url


def test_what_fails_within_playwright_fails_in_the_test(live_server: Any) -> None:
    with window(live_server, None) as opened:
        opened.page.goto("/login/")
        with pytest.raises(AssertionError, match="nonesuch"):
            expect(opened.page.locator("#nonesuch")).to_be_visible(timeout=50)


def test_faults_of_a_script_are_noted_and_axe_names_what_it_finds(live_server: Any) -> None:
    with window(live_server, None) as opened:
        opened.page.goto("/login/")
        opened.page.evaluate("""() => {
          document.querySelector("main").append(document.createElement("img"));
          setTimeout(() => { throw new Error("broken") });
        }""")
        assert any(found.startswith("image-alt (critical): img") for found in axe.findings(opened.page))
        assert any("broken" in fault for fault in opened.faults)
