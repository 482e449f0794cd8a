"""What an operation costs in statements, and that a key serves each read (contract, section 3; cases 82 and 83)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.models import Compression, ContextMessage, RawFrame, Session
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.engine.strategies import fold

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def statements(at_most: int) -> Iterator[list[str]]:
    """BEGIN and COMMIT are counted; each is named where there are too many."""
    found: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield found
    found += [q["sql"] for q in captured.captured_queries]
    shown = "\n".join(sql[:160] for sql in found)
    assert len(found) <= at_most, f"{len(found)} statements:\n{shown}"


def grown(session_id: str, frames: int) -> str:
    """The session with `frames` frames in it, written in few statements."""
    while (missing := frames - engine.reads.session_state(session_id).frame_count) > 0:
        engine.append(session_id=session_id, messages=[says(f"{n} and counting") for n in range(min(missing, 1000))])
    return session_id


@pytest.mark.case(82)
@pytest.mark.parametrize("frames", [10, 10_000])
def test_an_append_of_one_message_takes_six_statements_at_any_length(frames: int) -> None:
    session_id = grown(make_session(system(), user()), frames)
    with statements(at_most=6):
        engine.append(session_id=session_id, messages=[says("one more")])


@pytest.mark.parametrize("frames", [10, 10_000])
def test_with_an_idempotency_key_it_takes_eight(frames: int) -> None:
    owner = make_user()
    session_id = grown(make_session(system(), user(), owner=owner), frames)
    key = engine.IdempotencyKey(owner_id=owner.pk, key="k", request_hash="0" * 64)
    with statements(at_most=8):
        engine.append(session_id=session_id, messages=[says("one more")], idempotency=key)


@pytest.mark.parametrize("frames", [10, 10_000])
def test_a_late_reply_takes_up_to_three_more(frames: int) -> None:
    session_id = grown(make_session(system(), user()), frames)
    engine.append(session_id=session_id, messages=[calls("a")])
    engine.recover(session_id=session_id)
    with statements(at_most=9):
        engine.append(session_id=session_id, messages=[reply("a", "late")])


@pytest.mark.parametrize("frames", [10, 10_000])
def test_a_recovery_takes_six_statements(frames: int) -> None:
    session_id = grown(make_session(system(), user()), frames)
    engine.append(session_id=session_id, messages=[calls("a", "b")])
    with statements(at_most=6):
        engine.recover(session_id=session_id)


def test_a_window_is_read_by_one_statement() -> None:
    session_id = make_session(system(), user(), *react_rounds(5))
    fold(session_id)
    with statements(at_most=1):
        engine.reads.current_window(session_id)
    with statements(at_most=1):
        engine.reads.window_of_version(session_id, 1)
    with statements(at_most=1):
        engine.RuntimeSession.load(session_id)


def test_reads_write_nothing() -> None:
    session_id = make_session(system(), user(), *react_rounds(5))
    fold(session_id)
    with CaptureQueriesContext(connection) as captured:
        engine.reads.current_window(session_id)
        engine.reads.window_at(session_id, 5)
        engine.reads.frames_page(session_id, last_seq=12)
        engine.reads.versions(session_id, current=2)
        engine.reads.strip(engine.reads.session_state(session_id), 2)
        engine.reads.fates_of_frame(session_id, seq=4, since_version=1, current=2)
        engine.reads.sessions_page(Session.objects.all())
        engine.RuntimeSession.load(session_id)
    assert all(q["sql"].lstrip().startswith("SELECT") for q in captured.captured_queries)


HOT_READS: list[tuple[str, Callable[[str], Any]]] = [
    ("state", lambda s: engine.reads.session_state(s)),
    ("window", lambda s: engine.reads.current_window(s)),
    ("window page", lambda s: engine.reads.current_window(s, after_position=500, limit=10)),
    ("window at", lambda s: engine.reads.window_at(s, 700)),
    ("frame", lambda s: engine.reads.frame(s, 700)),
    ("frames page", lambda s: engine.reads.frames_page(s, last_seq=1000, before_seq=500)),
    ("frames after", lambda s: engine.reads.frames_page(s, last_seq=1000, after_seq=500)),
    ("answers", lambda s: engine.reads.answers_since(s, 900, at_most=10)),
    ("newest of the ledger", lambda s: engine.reads.newest_automatic(s, 2)),
    ("missed", lambda s: engine.reads.frames_missed(s, 900)),
    ("fates", lambda s: engine.reads.fates_of_frame(s, seq=500, since_version=1, current=2)),
    ("rows", lambda s: engine.reads.frame_rows(s, last_seq=1000, before_seq=500)),
    ("fates of a page", lambda s: engine.reads.fates_of_frames(s, version=2, seqs=range(400, 500))),
    ("replies", lambda s: engine.reads.replies_to(s, [3, 5, 7])),
    ("replies by call", lambda s: engine.reads.replies_by_call(s, 3)),
    ("version at", lambda s: engine.reads.version_at(s, 700)),
    ("strip", lambda s: engine.reads.strip(engine.reads.session_state(s), 2)),
    ("versions", lambda s: engine.reads.versions(s, current=2)),
    ("recovery message", lambda s: engine.reads.recovery_message(s, version=2, recovery_seq=900)),
    ("list", lambda s: engine.reads.sessions_page(Session.objects.owned_by(Session.objects.get(pk=s).owner_id))),
]


def plan_of(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # In tables of a few thousand rows reading all may be cheaper: the question is whether a key can serve.
            cursor.execute("SET enable_seqscan = off")
        cursor.execute(("EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN ") + sql)
        plan = [" ".join(map(str, row)) for row in cursor.fetchall()]
        if connection.vendor == "postgresql":
            cursor.execute("RESET enable_seqscan")
    return plan


def reads_a_whole_table(line: str) -> bool:
    return "Seq Scan" in line or (" SCAN " in line and " USING " not in line)


@pytest.fixture
def crowd() -> str:
    """A long session among others, with the statistics that a planner has in a real database."""
    session_id = grown(make_session(system(), user(), *react_rounds(5)), 1000)
    fold(session_id)
    owner = make_user()
    for _ in range(100):
        make_session(system(), user(), *react_rounds(10), owner=owner)
    with connection.cursor() as cursor:
        for model in (Session, RawFrame, ContextMessage, Compression):
            cursor.execute(f"ANALYZE {model._meta.db_table}")
    return session_id


def test_a_key_serves_each_hot_read(crowd: str) -> None:
    for name, read in HOT_READS:
        with CaptureQueriesContext(connection) as captured:
            read(crowd)
        for query in captured.captured_queries:
            plan = plan_of(query["sql"])
            scans = [line for line in plan if reads_a_whole_table(line)]
            assert not scans, f"{name}: {scans}\n{query['sql'][:300]}\n" + "\n".join(plan)
