"""The charts of a replay in a real browser: by keyboard, and with the script that dims and reads out."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.builders import make_session, make_user, react_rounds, system, user
from tests.inspector.chromium import Window, expect, needs_chromium, window
from tests.inspector.pages import browser

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), *needs_chromium]

ADDRESS = "/sessions/s/replay/?s1=sliding_window&s2=digest&limit=900"
FOCUSED = "document.activeElement.getAttribute('aria-label') ?? ''"
SIZES = """() => [...document.querySelectorAll(".plot text")].filter((text) => text.checkVisibility())
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a)"""
LEVELS = """() => [...document.querySelectorAll(".plot-middle .label-of:not([data-line])")]
  .map((label) => getComputedStyle(label).opacity)"""
SHOWN = """() => [...document.querySelectorAll(".chart-window .plot .series")]
  .filter((series) => series.checkVisibility() && getComputedStyle(series).opacity === "1")
  .map((series) => series.dataset.line)"""


@pytest.fixture
def opened(live_server: Any) -> Iterator[Window]:
    ann = make_user("ann")
    make_session(system(), user("Fix src/upload.py."), *react_rounds(24), owner=ann, session_id="s")
    options = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce"}
    with window(live_server, browser(ann), **options) as opened:
        opened.page.goto(ADDRESS)
        yield opened
        assert opened.faults == []


def tab(page: Page, *, until: str) -> list[str]:
    """What the focus comes by, up to the first whose name begins so."""
    seen: list[str] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
        if seen[-1].startswith(until):
            return seen
    raise AssertionError(f"nothing is called {until!r}: {seen}")


def test_the_keyboard_reaches_each_line_and_its_figures(opened: Window) -> None:
    named = [name for name in tab(opened.page, until="2 digest, peak") if "peak" in name]
    assert [name.split(",")[0] for name in named] == ["none", "1 sliding_window", "2 digest"]


def test_the_keyboard_follows_a_compression_to_its_frame(opened: Window) -> None:
    tab(opened.page, until="1 sliding_window, peak")
    opened.page.keyboard.press("ArrowDown")
    first = opened.page.evaluate(FOCUSED)
    assert first.startswith("1 sliding_window at frame")
    opened.page.keyboard.press("ArrowRight")
    assert opened.page.evaluate(FOCUSED) not in ("", first)
    opened.page.keyboard.press("ArrowUp")
    assert opened.page.evaluate(FOCUSED).startswith("1 sliding_window, peak")
    opened.page.keyboard.press("ArrowDown")
    href = opened.page.evaluate("document.activeElement.getAttribute('href')")
    opened.page.keyboard.press("Enter")
    opened.page.wait_for_url("**/sessions/s/?frame=*")
    expect(opened.page.locator(href[href.index("#") :])).to_be_visible()


def test_marks_are_no_stops_of_the_keyboard(opened: Window) -> None:
    assert not [name for name in tab(opened.page, until="2 digest: cost") if " at frame " in name]


def test_a_button_of_the_key_holds_a_line_lit(opened: Window) -> None:
    button = opened.page.locator(".chart-key li[data-line='2'] button")
    button.click()
    opened.page.locator("h1").hover()
    opened.page.evaluate("document.activeElement.blur()")
    assert opened.page.evaluate(SHOWN) == ["2"]
    expect(button).to_have_attribute("aria-pressed", "true")
    assert opened.page.evaluate(LEVELS) == ["1", "1"]
    button.click()
    opened.page.locator("h1").hover()
    opened.page.evaluate("document.activeElement.blur()")
    assert opened.page.evaluate(SHOWN) == ["0", "1", "2"]


def test_pointing_at_a_row_of_the_table_dims_the_other_lines(opened: Window) -> None:
    assert opened.page.evaluate(SHOWN) == ["0", "1", "2"]
    opened.page.locator("tr[data-line='2']").hover()
    assert opened.page.evaluate(SHOWN) == ["2"]
    opened.page.locator("h1").hover()
    assert opened.page.evaluate(SHOWN) == ["0", "1", "2"]


def test_the_focus_on_a_line_dims_the_others(opened: Window) -> None:
    opened.page.locator(".plot-middle .series[data-line='1']").focus()
    assert opened.page.evaluate(SHOWN) == ["1"]


def test_the_arrow_keys_read_the_figures_of_one_call_after_the_other(opened: Window) -> None:
    page = opened.page
    figures = (page.locator(".chart-key li[data-line='2']").get_attribute("data-samples") or "").split()
    page.locator(".plot-middle .series[data-line='2']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#reading")).to_have_text("call 2, frame #5")
    expect(page.locator("#read-out")).to_have_text(f"call 2, frame #5: 2 digest {figures[1]}")
    page.keyboard.press("End")
    expect(page.locator("#reading")).to_have_text("call 24, frame #49")
    expect(page.locator(".chart-key li[data-line='2'] .read")).to_have_text(figures[-1])


def test_the_pointer_reads_the_call_below_it(opened: Window) -> None:
    opened.page.locator(".plot-middle[data-left] .tick-y").first.hover()
    expect(opened.page.locator("#reading")).to_have_text("Point at the chart to read a call")
    top = opened.page.locator("#replay-table").bounding_box()
    opened.page.locator(".plot-middle[data-left] .tick-x").first.hover()
    expect(opened.page.locator("#reading")).to_have_text("call 1, frame #3")
    assert opened.page.locator("#replay-table").bounding_box() == top
    opened.page.locator("h1").hover()
    expect(opened.page.locator("#reading")).to_have_text("Point at the chart to read a call")


@pytest.mark.parametrize("width", [901, 1099, 1100, 1299, 1300, 1559, 1560])
def test_the_text_of_the_charts_is_never_under_eleven_pixels(opened: Window, width: int) -> None:
    opened.page.set_viewport_size({"width": width, "height": 800})
    sizes = opened.page.evaluate(SIZES)
    assert sizes
    assert min(sizes) >= 11


def test_a_narrow_window_has_charts_of_its_own_with_text_that_can_be_read(opened: Window) -> None:
    opened.page.set_viewport_size({"width": 390, "height": 800})
    expect(opened.page.locator(".plot-wide").first).to_be_hidden()
    heights = opened.page.evaluate(
        "[...document.querySelectorAll('.plot-narrow text')].map((text) => text.getBoundingClientRect().height)"
    )
    assert heights
    assert min(heights) >= 12
