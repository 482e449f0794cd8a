"""A write without a head that others keep overtaking (contract, section 3, Concurrency)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.engine import Retry, attempts
from sessions_app.engine.commit import commit, in_turn
from tests.builders import calls, head, make_session, make_user, raw, reply, says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def overtaken(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Before each commit that does not wait for its turn, `interfere` is done; the writes within it are let through."""

    def arrange(interfere: Callable[[], object]) -> None:
        busy: list[bool] = []

        def late(prepared: Any) -> bool:
            if not busy:
                busy.append(True)
                interfere()
                busy.clear()
            return commit(prepared)

        monkeypatch.setattr(attempts, "commit", late)

    return arrange


def pausing() -> tuple[list[tuple[float, float]], Retry]:
    pauses: list[tuple[float, float]] = []

    def uniform(shortest: float, longest: float) -> float:
        pauses.append((shortest, longest))
        return 0.0

    return pauses, Retry(uniform=uniform, sleep=lambda _seconds: None)


def test_one_that_lost_queues_for_the_session_and_writes(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user())
    overtaken(lambda: engine.append(session_id=session_id, messages=[says("overtakes")]))
    pauses, retry = pausing()
    engine.append(session_id=session_id, messages=[says("mine")], retry=retry)
    assert raw(session_id) == [user(), says("overtakes"), says("mine")]
    assert pauses == [(0.001, 0.020)]


def test_it_may_lose_several_times_before_it_queues_and_waits_less_each_time(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user())
    overtaken(lambda: engine.append(session_id=session_id, messages=[says("overtakes")]))
    pauses, retry = pausing()
    engine.append(
        session_id=session_id,
        messages=[says("mine")],
        retry=Retry(uniform=retry.uniform, sleep=retry.sleep, in_turn_after=3),
    )
    assert [m["content"] for m in raw(session_id)[1:]] == ["overtakes"] * 3 + ["mine"]
    assert [longest for _, longest in pauses] == [0.020, 0.010, pytest.approx(0.020 / 3)]


def test_after_its_time_it_is_a_conflict_and_nothing_was_written(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user())
    overtaken(lambda: engine.append(session_id=session_id, messages=[says("overtakes")]))
    with pytest.raises(engine.Conflict) as refused:
        engine.append(session_id=session_id, messages=[says("mine")], retry=Retry(seconds=0))
    assert refused.value.actual.next_msg_seq == 3
    assert raw(session_id) == [user(), says("overtakes")]


def test_one_with_a_head_never_queues(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user())
    seen = head(session_id)
    overtaken(lambda: engine.append(session_id=session_id, messages=[says("overtakes")]))
    with pytest.raises(engine.StaleHead):
        engine.append(session_id=session_id, messages=[says("mine")], expected=seen)
    assert raw(session_id) == [user(), says("overtakes")]


def test_the_checks_are_made_again_when_its_turn_comes(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user())
    overtaken(lambda: engine.append(session_id=session_id, messages=[calls("theirs")]))
    with pytest.raises(engine.OpenToolCalls):
        engine.append(session_id=session_id, messages=[says("mine")])
    assert raw(session_id) == [user(), calls("theirs")]


def test_the_same_request_that_came_first_is_answered_as_a_replay(overtaken: Callable[..., None]) -> None:
    owner = make_user()
    session_id = make_session(user(), owner=owner)
    key = engine.IdempotencyKey(owner.pk, "k", "0" * 64)

    def send() -> engine.Written:
        return engine.append(session_id=session_id, messages=[says("once")], idempotency=key)

    overtaken(send)
    assert send().replayed
    assert raw(session_id) == [user(), says("once")]


def test_a_session_deleted_meanwhile_is_not_found(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user())
    overtaken(lambda: engine.delete(session_id=session_id, expected=engine.ANY_HEAD))
    with pytest.raises(engine.SessionNotFound):
        engine.append(session_id=session_id, messages=[says("mine")])
    assert not any(all_tables().values())


@pytest.mark.case(30)
@pytest.mark.case(54)
@pytest.mark.parametrize(
    "write",
    [
        lambda seen: engine.append(session_id="s", messages=[reply("a")], expected=seen),
        lambda seen: engine.recover(session_id="s", expected=seen),
    ],
    ids=["append", "recover"],
)
def test_a_write_made_for_a_deleted_session_never_touches_the_one_made_again(
    write: Callable[[engine.Head], object], overtaken: Callable[..., None]
) -> None:
    owner = make_user()
    make_session(user(), calls("a"), owner=owner, session_id="s")
    tables: list[object] = []

    def make_again() -> None:
        engine.delete(session_id="s", expected=engine.ANY_HEAD)
        # As long, at the same version, and it awaits a reply to the same call.
        make_session(user(), calls("a"), owner=owner, session_id="s")
        tables.append(all_tables())

    overtaken(make_again)
    with pytest.raises(engine.StaleHead):
        write(head("s"))
    assert [all_tables()] == tables


def test_one_with_any_head_and_a_recovery_queue_as_well(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user(), calls("a", "b"))
    overtaken(lambda: engine.append(session_id=session_id, messages=[reply("a")]))
    written = engine.recover(session_id=session_id, expected=engine.ANY_HEAD)
    assert [f.message.tool_call_id for f in written.frames] == ["b"]


def test_taking_ones_turn_changes_no_row(overtaken: Callable[..., None]) -> None:
    session_id = make_session(user())
    before = all_tables()
    with in_turn(session_id):
        pass
    assert all_tables() == before
    overtaken(lambda: engine.append(session_id=session_id, messages=[says("overtakes")]))
    with CaptureQueriesContext(connection) as captured:
        engine.append(session_id=session_id, messages=[says("mine")])
    # Lost: read, BEGIN, UPDATE, COMMIT. Overtaking: 6. In turn: BEGIN, take it, read, UPDATE, two INSERTs, COMMIT.
    assert len(captured) == 4 + 6 + 7
