"""What is pinned: its written form, what it lights on both sides, and the pages that it opens."""

import re

import pytest
from django.core.exceptions import BadRequest

from inspector.pins import Pin
from tests.builders import make_session, make_user, says, system, user
from tests.inspector.pages import Page, browser, compress, page_of

LONG = [m for n in range(200) for m in (user(f"Question {n}"), says(f"Answer {n}"))]


@pytest.mark.parametrize("text", ["f12", "f3-9", "c3"])
def test_a_pin_is_written_as_it_was_read(text: str) -> None:
    assert str(Pin.parse(text)) == text


def test_a_run_that_was_drawn_backwards_is_the_same_run() -> None:
    assert Pin.parse("f9-3") == Pin(3, 9)


@pytest.mark.parametrize("text", ["f", "f0", "c0", "12", "f1-", "c1-2", "f٣", "f" + "9" * 19, "f1 "])
def test_what_is_no_pin_is_refused(text: str) -> None:
    with pytest.raises(BadRequest):
        Pin.parse(text)


def lit(page: Page) -> list[str]:
    return [a["id"] or "" for t, a in page.elements if t == "li" and "lit" in (a.get("class") or "").split()]


@pytest.mark.django_db
def test_a_pinned_frame_lights_its_message_on_another_page_of_the_window() -> None:
    ann = make_user("ann")
    session_id = make_session(system(), *LONG, owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, "?pin=f60")))
    assert lit(page) == ["f-60", "c-60"]
    assert "frame #60" in page.text("pinned")


@pytest.mark.django_db
def test_a_pinned_summary_lights_all_its_frames_of_the_page() -> None:
    ann = make_user("ann")
    session_id = make_session(system(), *LONG, owner=ann)
    compress(session_id, "digest", protect_rounds=2)
    page = Page.of(browser(ann).get(page_of(session_id, "?pin=c3")))
    shown = lit(page)
    assert "c-3" in shown
    assert len([i for i in shown if i.startswith("f-")]) > 40


@pytest.mark.django_db
def test_a_run_of_frames_can_be_copied_in_three_forms() -> None:
    ann = make_user("ann")
    session_id = make_session(system(), *LONG, owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, "?pin=f3-9")))
    forms = [link for link in page.links if "frames=3-9" in link]
    assert {re.sub(r".*as=", "", link) for link in forms} == {"json", "markdown", "curl"}
    assert lit(page)[:7] == [f"f-{n}" for n in range(3, 10)]


@pytest.mark.django_db
@pytest.mark.parametrize("pin", ["f500", "c500"])
def test_a_pin_of_what_is_not_there_pins_nothing(pin: str) -> None:
    ann = make_user("ann")
    session_id = make_session(system(), user(), owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, f"?pin={pin}")))
    assert lit(page) == []
    assert page.text("pinned") == ""
