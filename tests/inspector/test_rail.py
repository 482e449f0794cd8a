"""The rail of versions, and what changed between two of them."""

import pytest

from inspector.presenters.rail import STOPS
from sessions_app import engine
from tests.builders import make_session, make_user, react_rounds, system, user
from tests.inspector.pages import Page, browser, compress, page_of

pytestmark = pytest.mark.django_db


def versions(count: int) -> tuple[object, str]:
    ann = make_user("ann")
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    for n in range(count - 1):
        engine.restore(session_id=session_id, version=1) if n % 2 else compress(session_id)
    return browser(ann), session_id


def stops(page: Page) -> list[int]:
    return [int(i.removeprefix("stop-")) for i in page.ids if i.startswith("stop-")]


def test_a_few_versions_are_all_on_the_rail() -> None:
    client, session_id = versions(4)
    assert stops(Page.of(client.get(page_of(session_id)))) == [1, 2, 3, 4]  # type: ignore[attr-defined]


def test_of_many_versions_the_first_and_those_around_the_shown_one_are_on_the_rail() -> None:
    client, session_id = versions(30)
    newest = Page.of(client.get(page_of(session_id)))  # type: ignore[attr-defined]
    assert stops(newest) == [1, *range(31 - STOPS, 31)]
    assert f"{30 - STOPS - 1} more" in newest.text("versions")
    assert 10 in stops(Page.of(client.get(page_of(session_id, "?version=10"))))  # type: ignore[attr-defined]


def test_two_versions_are_compared_by_what_became_of_the_frames() -> None:
    client, session_id = versions(2)
    page = Page.of(client.get(page_of(session_id, "?compare=1")))  # type: ignore[attr-defined]
    assert "From v1 to v2" in page.text("difference")
    assert "kept → dropped" in page.text("difference")
    assert "tool" in page.text("difference")


def test_a_version_that_is_not_kept_is_not_offered_for_comparison() -> None:
    ann = make_user("ann")
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann, keep_context_history=False)
    compress(session_id)
    page = Page.of(browser(ann).get(page_of(session_id, "?compare=1")))
    assert "no longer kept" in page.text("difference")
    assert not page.all("select", name="compare")


def test_a_later_version_is_compared_as_the_later_one() -> None:
    client, session_id = versions(2)
    page = Page.of(client.get(page_of(session_id, "?version=1&compare=2")))  # type: ignore[attr-defined]
    assert "From v1 to v2" in page.text("difference")
    assert "kept → dropped" in page.text("difference")
