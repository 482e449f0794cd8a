"""Order is `seq`, `position` and `(value, id)`, never a clock alone (cases 69 and 71)."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.engine import reads
from sessions_app.models import Session
from tests.builders import make_session, make_user, raw, says, user, window

pytestmark = pytest.mark.django_db(transaction=True)
FROZEN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.case(69)
def test_fifty_frames_of_one_moment_keep_their_order_everywhere() -> None:
    session_id = make_session(now=lambda: FROZEN)
    expected = [says(f"{n % 10}-{n}") for n in range(50)]
    for message in expected:
        engine.append(session_id=session_id, messages=[message], now=lambda: FROZEN)
    assert raw(session_id) == window(session_id) == expected
    assert [f.seq for f in reads.frames_page(session_id, last_seq=50).items] == list(range(1, 51))
    assert [f.seq for f in reads.frame_rows(session_id, last_seq=50, before_seq=41, limit=10).items] == [*range(31, 41)]
    assert engine.RuntimeSession.load(session_id).messages() == expected
    assert [i.message.copy() for i in reads.window_at(session_id, 31).window] == expected[:30]
    assert [f.message.copy() for f in reads.frames_missed(session_id, 1)] == expected


@pytest.mark.case(69)
def test_a_clock_that_goes_back_changes_no_order() -> None:
    session_id = make_session(now=lambda: FROZEN)
    for n in range(5):
        engine.append(session_id=session_id, messages=[user(str(n))], now=lambda n=n: FROZEN - timedelta(hours=n))  # type: ignore[misc]
    assert [m["content"] for m in raw(session_id)] == [m["content"] for m in window(session_id)] == list("01234")


@pytest.mark.case(71)
@pytest.mark.parametrize("ordering", ["updated", "created", "tokens"])
def test_sessions_of_one_moment_are_listed_by_id_and_each_once_over_all_pages(
    ordering: reads.session_pages.Ordering,
) -> None:
    owner = make_user()
    for n in range(25):
        make_session(user("x" if n % 5 else "more words"), owner=owner, session_id=f"s-{n:02}", now=lambda: FROZEN)
    wanted = reads.SessionFilter(ordering=ordering)
    seen: list[str] = []
    after = None
    while True:
        page = reads.sessions_page(Session.objects.owned_by(owner.pk), wanted=wanted, after=after, limit=7)
        seen += [r.state.session_id for r in page.items]
        if page.next is None:
            break
        after = page.next
    ids = [f"s-{n:02}" for n in range(25)]
    assert seen == (sorted(ids, key=lambda i: (int(i[2:]) % 5 != 0, i)) if ordering == "tokens" else ids)


@pytest.mark.case(71)
def test_the_newest_change_comes_first_and_a_page_stays_right_while_sessions_change() -> None:
    owner = make_user()
    for n in range(6):
        make_session(user(), owner=owner, session_id=f"s{n}", now=lambda n=n: FROZEN + timedelta(seconds=n))
    sessions = Session.objects.owned_by(owner.pk)
    first = reads.sessions_page(sessions, limit=3)
    engine.append(session_id="s0", messages=[says()], now=lambda: FROZEN + timedelta(hours=1))
    rest = reads.sessions_page(sessions, after=first.next, limit=3)
    assert [r.state.session_id for r in (*first.items, *rest.items)] == ["s5", "s4", "s3", "s2", "s1"]
    assert [r.state.session_id for r in reads.sessions_page(sessions, limit=2).items] == ["s0", "s5"]


def test_every_read_of_several_rows_orders_them() -> None:
    session_id = make_session(user(), says())
    with CaptureQueriesContext(connection) as captured:
        reads.current_window(session_id)
        reads.window_at(session_id, 2)
        reads.frames_page(session_id, last_seq=2)
        reads.frames_between(session_id, 1, 2)
        reads.frames_since_version(session_id, version=1, below=3)
        reads.versions(session_id, current=1)
        reads.sessions_page(Session.objects.all())
    several = [q["sql"] for q in captured if "LIMIT 1" not in q["sql"]]
    assert several and all("ORDER BY" in sql for sql in several)
