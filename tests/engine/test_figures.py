"""What all sessions of a reader come to."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.engine.reads import Figures, figures
from sessions_app.models import Session
from tests.builders import calls, make_session, make_user, react_rounds, says, system, user
from tests.engine.strategies import fold

pytestmark = pytest.mark.django_db


def test_the_figures_are_those_of_the_sessions_that_are_given() -> None:
    mine, other = make_user(), make_user()
    folded = make_session(system(), user(), *react_rounds(6), owner=mine)
    fold(folded)
    make_session(user(), calls("a", "b"), owner=mine)
    make_session(user(), calls("c"), owner=other)
    rows = list(Session.objects.owned_by(mine.pk))
    found = figures(Session.objects.owned_by(mine.pk))
    assert (found.sessions, found.frames, found.open_calls) == (2, 16, 2)
    assert found.tokens_held == sum(row.context_tokens for row in rows)
    assert found.tokens_saved == sum(row.raw_tokens - row.context_tokens for row in rows) > 0
    assert figures(Session.objects.all()).open_calls == 3


def test_a_window_that_has_more_than_its_frames_saves_nothing_and_takes_nothing_from_the_others() -> None:
    make_session(system(), user(), *react_rounds(6), session_id="folded")
    fold("folded")
    saved = figures(Session.objects.all()).tokens_saved
    make_session(user(), says(), session_id="grown")
    Session.objects.filter(session_id="grown").update(context_tokens=10**6)
    assert figures(Session.objects.all()).tokens_saved == saved


def test_without_sessions_all_is_nothing() -> None:
    assert figures(Session.objects.none()) == Figures(0, 0, 0, 0, 0)
    assert figures(Session.objects.all()) == Figures(0, 0, 0, 0, 0)


def test_the_figures_take_two_statements_over_session_rows() -> None:
    make_session(user(), calls("a"))
    with CaptureQueriesContext(connection) as captured:
        figures(Session.objects.all())
    assert len(captured.captured_queries) == 2
    assert all("rawframe" not in q["sql"] and "contextmessage" not in q["sql"] for q in captured.captured_queries)
