"""A request under a key is done once (contract, section 3, Concurrency)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sessions_app import engine
from sessions_app.models import IdempotencyRecord
from tests.builders import calls, head, make_session, make_user, raw, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables
from tests.engine.strategies import fold

pytestmark = pytest.mark.django_db(transaction=True)


def key(owner_id: int, name: str = "k", body: str = "a") -> engine.IdempotencyKey:
    return engine.IdempotencyKey(owner_id=owner_id, key=name, request_hash=body.ljust(64, "0"))


def same(first: engine.Written, second: engine.Written) -> bool:
    """Whether two answers would read alike."""

    def read(written: engine.Written) -> Any:
        state = written.state
        return (
            [(f.seq, f.created_at, f.message, f.metadata) for f in written.frames],
            None if written.context is None else [(p.position, p.item) for p in written.context],
            written.compression,
            (state.head, state.open_calls, state.state, state.context_tokens),
        )

    return bool(read(first) == read(second))


@pytest.mark.case(56)
@pytest.mark.case(73)
def test_the_same_append_under_the_same_key_is_answered_again_and_written_once() -> None:
    owner = make_user()
    session_id = make_session(user(), calls("a"), owner=owner)
    seen = head(session_id)
    batch = [reply("a", "done"), says("one")]
    first = engine.append(session_id=session_id, messages=batch, expected=seen, idempotency=key(owner.pk))
    before = all_tables()
    again = engine.append(session_id=session_id, messages=batch, expected=seen, idempotency=key(owner.pk))
    assert again.replayed and same(first, again)
    assert all_tables() == before


def test_the_replay_reads_as_it_did_then_although_the_session_went_on() -> None:
    owner = make_user()
    session_id = make_session(user(), calls("a"), owner=owner)
    first = engine.recover(session_id=session_id, idempotency=key(owner.pk))
    engine.append(session_id=session_id, messages=[reply("a", "late"), says(), user()])
    assert same(first, engine.recover(session_id=session_id, idempotency=key(owner.pk)))


def test_a_compression_is_replayed_with_its_whole_window() -> None:
    owner = make_user()
    session_id = make_session(system(), user(), *react_rounds(4), owner=owner)
    first = fold(session_id, idempotency=key(owner.pk))
    engine.append(session_id=session_id, messages=[says()])
    again = fold(session_id, idempotency=key(owner.pk))
    assert again.replayed and same(first, again)


def test_a_window_no_longer_kept_is_replayed_as_none() -> None:
    owner = make_user()
    session_id = make_session(system(), user(), owner=owner, keep_context_history=False)
    first = engine.append(session_id=session_id, messages=react_rounds(4), idempotency=key(owner.pk))
    fold(session_id)
    again = engine.append(session_id=session_id, messages=react_rounds(4), idempotency=key(owner.pk))
    assert again.context is None
    assert [f.seq for f in again.frames] == [f.seq for f in first.frames]


def test_another_request_under_the_key_is_refused() -> None:
    owner = make_user()
    session_id = make_session(user(), owner=owner)
    engine.append(session_id=session_id, messages=[says("a")], idempotency=key(owner.pk, body="a"))
    with pytest.raises(engine.KeyReused):
        engine.append(session_id=session_id, messages=[says("b")], idempotency=key(owner.pk, body="b"))


def test_a_refused_request_may_be_sent_again_under_its_key() -> None:
    owner = make_user()
    session_id = make_session(user(), calls("a"), owner=owner)
    with pytest.raises(engine.OpenToolCalls):
        engine.append(session_id=session_id, messages=[user("x")], idempotency=key(owner.pk))
    engine.append(session_id=session_id, messages=[reply("a")])
    assert not engine.append(session_id=session_id, messages=[user("x")], idempotency=key(owner.pk)).replayed


def test_a_key_belongs_to_one_user_and_one_incarnation() -> None:
    ann, bob = make_user(), make_user()
    session_id = make_session(user(), owner=ann)
    engine.append(session_id=session_id, messages=[says()], idempotency=key(ann.pk))
    assert not engine.append(session_id=session_id, messages=[says()], idempotency=key(bob.pk)).replayed
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    make_session(user(), owner=ann, session_id=session_id)
    assert not engine.append(session_id=session_id, messages=[says()], idempotency=key(ann.pk)).replayed


def test_a_creation_under_a_key_is_done_once_and_reads_alike_after_a_change() -> None:
    owner = make_user()
    first = engine.create(owner_id=owner.pk, title="one", messages=[user()], idempotency=key(owner.pk))
    engine.change(session_id=first.record.state.session_id, title="two")
    again = engine.create(owner_id=owner.pk, title="one", messages=[user()], idempotency=key(owner.pk))
    assert again.replayed
    assert (again.record.title, again.record.created_at) == ("one", first.record.created_at)
    assert again.record.state.head == first.record.state.head


def test_a_key_is_forgotten_after_seven_days() -> None:
    owner = make_user()
    session_id = make_session(user(), owner=owner)
    engine.append(session_id=session_id, messages=[says()], idempotency=key(owner.pk))
    later = datetime.now(UTC) + timedelta(days=8)
    again = engine.append(session_id=session_id, messages=[says()], idempotency=key(owner.pk), now=lambda: later)
    assert not again.replayed
    assert len(raw(session_id)) == 3
    assert IdempotencyRecord.objects.get().created_at == later
