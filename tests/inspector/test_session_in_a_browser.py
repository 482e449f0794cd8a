"""A session's page in a real browser: rows come and go, both sides find each other, and the URL says what is shown."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from sessions_app.access.models import User
from sessions_app.management.made_session import make_session as make_long_session
from tests.builders import make_session, make_user, react_rounds, says, system, user
from tests.inspector.chromium import expect, needs_chromium, window
from tests.inspector.pages import browser, compress, page_of

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), *needs_chromium]

WIDE = {"width": 1400, "height": 800}

SEEN = """(side) => {
  const box = document.getElementById(`${side}-scroller`).getBoundingClientRect();
  return [...document.querySelectorAll(`#${side} .rows > .row`)].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > box.top && top < box.bottom;
  }).map((row) => row.id);
}"""
RESTS = """() => {
  const box = document.getElementById("frames-scroller").getBoundingClientRect();
  const row = document.elementFromPoint(box.left + 200, box.top + box.height / 3)?.closest(".row");
  return row && Math.abs(Number(row.id.slice(2)) - Number(new URL(location).searchParams.get("frame"))) <= 1;
}"""
"""Whether the URL names the frame that stands a third below the top."""

LIT = "[...document.querySelectorAll('#bands .row.lit')].map((row) => row.id)"


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


def long_session(ann: User, frames: int = 900, compressions: int = 2) -> str:
    state = make_long_session(
        owner=ann, session_id="long", frames=frames, compressions=compressions, seed=1, title="Long", now=timezone.now()
    )
    return state.session_id


def digested(ann: User) -> str:
    """1 system, 2 user, 3 to 42 rounds and an answer: 3 to 38 became one summary, C3."""
    session_id = make_session(system(), user(), *react_rounds(20), says("Done."), owner=ann)
    compress(session_id, "digest")
    return session_id


def seen(page: Any, side: str = "frames") -> list[str]:
    ids: list[str] = page.evaluate(SEEN, side)
    return ids


def attribute(place: Any, name: str) -> str:
    return str(place.get_attribute(name))


def test_a_long_session_opens_at_its_end_and_is_scrolled_in_both_directions(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = long_session(ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        assert seen(page)[-1] == "f-900"
        rows = page.locator("#frame-rows > .row")
        expect(page.locator("#frames-span")).to_have_text("#801–#900 of 900")
        page.locator("#frames-scroller").hover(position={"x": 200, "y": 200})
        while page.locator("#f-301").count() == 0:
            page.mouse.wheel(0, -1500)
            page.wait_for_timeout(30)
        expect(page.locator("#f-900")).to_have_count(0)
        expect(rows).to_have_count(400)
        expect(page.locator("#frames-newer a")).to_have_attribute("href", re.compile(r"\?after_seq=\d+$"))
        page.wait_for_function(RESTS)
        place = int(seen(page)[0][2:])
        page.reload()
        expect(page.locator(f"#f-{place}")).to_be_attached()
        assert abs(int(seen(page)[0][2:]) - place) <= 2
        page.locator("#frames-scroller").hover(position={"x": 200, "y": 200})
        while "f-900" not in seen(page):
            page.mouse.wheel(0, 3000)
            page.wait_for_timeout(20)
        ids = page.evaluate(
            "[...document.querySelectorAll('#frame-rows > .row')].map((row) => Number(row.id.slice(2)))"
        )
        assert ids == list(range(ids[0], 901)) and len(ids) <= 400
        page.wait_for_url(re.compile(r"/long/$"))
        assert opened.faults == []


def test_a_frame_is_reached_from_the_strip_and_from_the_url_and_back_leads_back(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = long_session(ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id, "#f-450"))
        expect(page.locator("#f-450")).to_be_in_viewport()
        assert "f-450" in seen(page)
        page.goto(page_of(session_id))
        strip = page.locator("#strip svg.strip-cells")
        quarter: Any = {
            "x": page.evaluate("document.querySelector('#strip svg.strip-cells').getBoundingClientRect().width") / 4,
            "y": 8,
        }
        strip.hover(position=quarter)
        expect(strip.locator("title")).to_have_text(re.compile("#22[456]"))
        strip.click(position=quarter)
        expect(page.locator("#frame-rows .seq:focus")).to_have_text(re.compile("22[456]"))
        assert re.search(r"\?frame=22[456]$", page.url)
        before = float(attribute(page.locator("#strip-view"), "x")[:-1])
        assert 23 < before < 26
        page.go_back()
        expect(page.locator("#f-900")).to_be_in_viewport()
        page.go_forward()
        expect(page.locator("#f-225")).to_be_in_viewport()
        assert opened.faults == []


def test_a_row_lights_its_other_side_and_a_click_pins_both(live_server: Any, ann: User, client: Client) -> None:
    session_id = digested(ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.locator("#c-3 .who").hover()
        expect(page.locator(".bands.lights #c-3.lit")).to_be_visible()
        assert page.evaluate(LIT) == [f"f-{n}" for n in range(3, 39)] + ["c-3"]
        expect(page.locator("#ribbons .ribbon-summarised.lit").first).to_be_attached()
        page.locator("#c-3 .role").click()
        expect(page.locator("#pinned")).to_contain_text("message C3")
        expect(page.locator("#f-3")).to_be_in_viewport()
        assert page.url.endswith("?pin=c3")
        with window(live_server, client, viewport=WIDE) as other:
            other.page.goto(page.url)
            assert other.page.evaluate(LIT) == page.evaluate(LIT)
            expect(other.page.locator("#f-3")).to_be_in_viewport()
            expect(other.page.locator("#c-3.pinned")).to_be_in_viewport()
        page.locator("#f-40 .role").click()
        expect(page.locator("#pinned")).to_contain_text("frame #40")
        page.go_back()
        expect(page.locator("#pinned")).to_contain_text("message C3")
        expect(page.locator("#c-3.pinned")).to_be_in_viewport()
        page.keyboard.press("Escape")
        expect(page.locator("#pinned")).to_be_empty()
        expect(page.locator(".row.pinned")).to_have_count(0)
        assert "pin=" not in page.url
        assert opened.faults == []


def test_a_run_of_frames_is_pinned_by_shift_and_text_that_is_selected_pins_nothing(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = digested(ann)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        page.locator("#f-42 .body").dblclick(position={"x": 8, "y": 8})
        assert page.evaluate("getSelection().toString()")
        page.wait_for_timeout(300)
        assert "pin=" not in page.url
        page.locator("#f-42 .who").click(position={"x": 4, "y": 4})
        expect(page.locator("#pinned")).to_contain_text("frame #42")
        page.locator("#f-40 .who").click(modifiers=["Shift"])
        expect(page.locator("#pinned")).to_contain_text("frames #40–#42, 3 of them")
        assert page.url.endswith("?pin=f40-42")
        expect(page.locator("#frame-rows .pinned")).to_have_count(3)
        page.get_by_role("link", name="unpin").click()
        expect(page.locator(".row.pinned")).to_have_count(0)
        assert opened.faults == []


def test_what_a_pin_stands_for_is_fetched_where_it_is_far_away(live_server: Any, ann: User, client: Client) -> None:
    session_id = long_session(ann, 900, 3)
    with window(live_server, client, viewport=WIDE) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        expect(page.locator("#c-1")).to_have_count(0)
        page.goto(page_of(session_id, "?frame=1"))
        expect(page.locator("#c-1")).to_be_in_viewport()
        page.locator("#context-later a").click()
        number = attribute(page.locator("#context-rows > .row").last, "id")[2:]
        page.locator(f"#c-{number} .role").click()
        expect(page.locator("#pinned")).to_contain_text(f"message C{number}")
        expect(page.locator(f"#frame-rows > .lit[data-at='{number}']").first).to_be_in_viewport()
        assert opened.faults == []


def test_on_a_phone_the_bands_are_tabs(live_server: Any, ann: User, client: Client) -> None:
    session_id = digested(ann)
    with window(live_server, client, viewport={"width": 390, "height": 800}) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        expect(page.locator("#context")).to_be_hidden()
        page.locator("#f-40 .role").click()
        expect(page.locator("#pinned")).to_contain_text("frame #40")
        page.get_by_role("link", name="Context v2").click()
        expect(page.locator("#context .lit")).to_be_in_viewport()
        expect(page.locator("#frames")).to_be_hidden()
        assert page.url.endswith("?pin=f40&band=context")
        page.reload()
        expect(page.locator("#context .lit")).to_be_in_viewport()
        page.get_by_role("link", name="Raw frames").click()
        expect(page.locator("#f-40")).to_be_in_viewport()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert opened.faults == []


def test_on_a_phone_the_head_stays_in_sight_and_older_rows_come_by_a_click(
    live_server: Any, ann: User, client: Client
) -> None:
    session_id = make_session(system(), *(user(f"Question {n}") for n in range(249)), owner=ann)
    with window(live_server, client, viewport={"width": 390, "height": 800}) as opened:
        page = opened.page
        page.goto(page_of(session_id))
        expect(page.locator("#frames-newer")).to_be_attached()
        expect(page.locator("#new-frames")).to_have_text("Newest")
        expect(page.locator("h1")).to_be_in_viewport()
        expect(page.locator("#frames-span")).to_have_text("#151–#250 of 250")
        page.locator("#new-frames").click()
        expect(page.locator("#f-250")).to_be_in_viewport()
        expect(page.locator("#new-frames")).to_be_hidden()
        page.evaluate("scrollTo(0, 0)")
        page.locator("#frames-older a").click()
        expect(page.locator("#frames-span")).to_have_text("#51–#250 of 250")
        expect(page.locator("#f-151")).to_be_in_viewport()
        assert opened.faults == []
