"""The compare page in a real browser: a column lights up in all strips, a candidate opens, one is applied."""

import re
from typing import Any

import pytest
from django.test import Client

from sessions_app.access.models import User
from tests.builders import head, make_session, make_user, react_rounds, says, system, user
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser, page_of

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), *needs_chromium]

WIDE = {"width": 1400, "height": 900}
TWO = "s1=digest&s2=sliding_window"


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


@pytest.fixture
def talk(ann: User) -> str:
    """43 frames, of which 3 to 38 are old."""
    return make_session(system(), user(), *react_rounds(20), says(), owner=ann)


def lit(page: Any) -> list[str | None]:
    places: list[str | None] = page.evaluate(
        "[...document.querySelectorAll('.lane-at')].map((r) => r.getAttribute('x'))"
    )
    return places


def test_pointing_at_a_cell_lights_up_its_column_in_all_strips_and_tells_its_fates(
    live_server: Any, client: Client, talk: str
) -> None:
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(talk, f"compare/?{TWO}"))
        expect(page.locator("#frame-says")).to_have_text("Point at a strip, or move the slider.")
        assert set(lit(page)) == {None}
        lane = page.locator("#candidate-2 .lane")
        box = lane.bounding_box()
        assert box is not None
        width = box["width"]
        lane.hover(position={"x": width * 9.5 / 43, "y": 12})
        expect(page.locator("#frame-says")).to_have_text("#101 digest: summarised2 sliding_window: dropped")
        assert len(set(lit(page))) == 1
        # By the keyboard too.
        page.locator("#frame-number").focus()
        page.keyboard.press("End")
        expect(page.locator("#frame-says")).to_have_text("#431 digest: kept2 sliding_window: kept")
        lane.click(position={"x": width * 4.5 / 43, "y": 12})
        # Chosen by a click, it stays while one goes to the link.
        page.locator("#candidate-1 .lane").hover()
        page.get_by_role("link", name="Open frame #5").click()
        expect(page.locator("#f-5")).to_be_visible()
        assert opened.faults == []


def test_an_opened_candidate_has_ribbons_and_what_is_pinned_is_in_the_address(
    live_server: Any, ann: User, client: Client
) -> None:
    requests = [m for n in range(20) for m in (user(f"Please look at file {n}. " * 8), says())]
    session_id = make_session(system(), *requests, owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id, f"compare/?{TWO}"))
        page.get_by_role("link", name="Open 1 digest").click()
        expect(page.locator("#candidate-title")).to_have_text("1 digest")
        expect(page.locator("#ribbons .ribbon-summarised").first).to_be_attached()
        page.locator("#f-4").hover()
        expect(page.locator("#c-3")).to_have_class(re.compile(r"\blit\b"))
        page.locator("#c-3 .role").click()
        expect(page.locator("#pinned")).to_contain_text("message C3 of this candidate")
        assert "open=1" in page.url and "pin=c3" in page.url
        page.reload()
        expect(page.locator("#f-3")).to_have_class(re.compile(r"\blit\b"))
        page.locator("#c-3").hover()
        page.locator("#c-3 .show-all").click()
        expect(page.locator("#c-3 pre.whole")).to_contain_text("[digest of earlier messages]")
        assert opened.faults == []


def test_more_rows_of_a_long_candidate_come_as_one_scrolls(live_server: Any, ann: User, client: Client) -> None:
    session_id = make_session(system(), *(m for n in range(150) for m in (user(f"Ask {n}"), says())), owner=ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id, "compare/?s1=sliding_window&s1.protect_rounds=60&open=1&after_position=0"))
        page.locator("#context-scroller").hover()
        page.mouse.wheel(0, 20_000)
        expect(page.locator("#c-41")).to_be_attached()
        assert opened.faults == []


def test_a_candidate_is_chosen_changed_and_applied_without_a_script(
    live_server: Any, client: Client, talk: str
) -> None:
    with window(live_server, client, java_script_enabled=False, viewport={"width": 390, "height": 800}) as opened:
        page = opened.page
        page.goto(page_of(talk))
        page.get_by_role("link", name="Compare", exact=True).click()
        page.locator("#strategies > summary").click()
        page.get_by_role("button", name="Remove clear_tool_results").click()
        page.locator("#add").select_option("digest")
        page.get_by_role("button", name="Add").click()
        page.get_by_label("Protect rounds").first.fill("2")
        page.get_by_label("Protect rounds").first.press("Enter")
        expect(page.locator("#candidate-1")).to_contain_text("protect_rounds 2")
        assert "s1.protect_rounds=2" in page.url
        page.get_by_role("button", name="Apply 1 digest").click()
        expect(page.locator(".notice")).to_contain_text("Version 2 is the window now")
    assert head(talk).context_compression_version == 2
