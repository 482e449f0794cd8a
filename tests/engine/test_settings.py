"""What a session is called and set to, what is noted beside its messages, and how it goes (contract, section 3)."""

from typing import Any

import pytest

from sessions_app import engine
from tests.builders import head, make_session, make_user, raw, says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)


def pointers(refused: pytest.ExceptionInfo[engine.InvalidInput]) -> list[str]:
    return [f.pointer for f in refused.value.faults]


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"title": "x" * 201}, "/title"),
        ({"title": "a\0"}, "/title"),
        ({"title": "\udc88"}, "/title"),
        ({"labels": [str(n) for n in range(21)]}, "/labels"),
        ({"labels": ["a", ""]}, "/labels/1"),
        ({"labels": ["x" * 51]}, "/labels/0"),
        ({"labels": ["a", "b", "a"]}, "/labels/2"),
        ({"labels": ["a\0"]}, "/labels/0"),
        ({"compression_policy": {"trigger": 0.5}}, "/compression_policy"),
        ({"compression_policy": "digest"}, "/compression_policy"),
        ({"compression_policy": "[1]"}, "/compression_policy"),
        ({"compression_policy": '{"limit_tokens":NaN}'}, "/compression_policy"),
        ({"compression_policy": 0}, "/compression_policy"),
    ],
    ids=lambda v: str(v)[:20] if isinstance(v, str) else next(iter(v)),
)
def test_a_setting_that_cannot_be_kept_is_refused_on_creation_and_on_change(
    wrong: dict[str, Any], pointer: str
) -> None:
    session_id = make_session(user())
    before = all_tables()
    with pytest.raises(engine.InvalidInput) as refused:
        engine.change(session_id=session_id, **wrong)
    assert pointers(refused) == [pointer]
    with pytest.raises(engine.InvalidInput) as refused:
        engine.create(owner_id=make_user().pk, **wrong)
    assert pointers(refused) == [pointer]
    assert {k: v for k, v in all_tables().items() if k != "User"} == before


@pytest.mark.parametrize("session_id", ["", ".", "..", "a/b", "a b", "a\n", "é", "x" * 201])
def test_an_id_that_could_not_stand_in_a_path_is_refused(session_id: str) -> None:
    with pytest.raises(engine.InvalidInput) as refused:
        engine.create(owner_id=make_user().pk, session_id=session_id)
    assert pointers(refused) == ["/session_id"]


@pytest.mark.case(89)
def test_an_id_that_is_taken_is_refused_and_says_no_more() -> None:
    make_session(user(), session_id="a.b_c:d@e~f-1")
    with pytest.raises(engine.SessionExists) as refused:
        make_session(user(), session_id="a.b_c:d@e~f-1")
    assert not hasattr(refused.value, "actual")


def test_a_change_sets_what_it_names_and_moves_no_head() -> None:
    session_id = make_session(user(), title="one", labels=["a", "中 文"])
    seen = head(session_id)
    record = engine.change(session_id=session_id, title="two", expected=seen)
    assert (record.title, record.labels, record.state.head) == ("two", ("a", "中 文"), seen)
    record = engine.change(session_id=session_id, labels=[], require_head=True, compression_policy='{"a":1}')
    assert (record.title, record.labels, record.state.require_head) == ("two", (), True)
    before = all_tables()
    engine.change(session_id=session_id)
    assert all_tables() == before, "nothing was named"


def test_a_change_of_a_session_that_is_gone_or_was_made_again_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(engine.SessionNotFound):
        engine.change(session_id="nowhere", title="x")
    session_id = make_session(user(), session_id="again")
    state = engine.reads.session_state(session_id)
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    make_session(user(), session_id="again", title="new")
    monkeypatch.setattr(engine.reads, "session_state", lambda _id: state)  # as it was read before
    with pytest.raises(engine.SessionNotFound):
        engine.change(session_id=session_id, title="stale")
    assert engine.reads.session_record(session_id).title == "new"


def test_a_session_that_requires_a_head_takes_no_write_without_one() -> None:
    session_id = make_session(user(), require_head=True)
    before = all_tables()
    with pytest.raises(engine.HeadRequired):
        engine.append(session_id=session_id, messages=[says()])
    with pytest.raises(engine.HeadRequired):
        engine.recover(session_id=session_id)
    assert all_tables() == before
    engine.append(session_id=session_id, messages=[says()], expected=head(session_id))
    engine.append(session_id=session_id, messages=[says()], expected=engine.ANY_HEAD)


def test_a_delete_needs_the_head_and_leaves_nothing() -> None:
    owner = make_user()
    session_id = make_session(user(), owner=owner)
    key = engine.IdempotencyKey(owner.pk, "k", "0" * 64)
    old = head(session_id)
    engine.append(session_id=session_id, messages=[says()], idempotency=key)
    with pytest.raises(engine.HeadRequired):
        engine.delete(session_id=session_id, expected=None)
    with pytest.raises(engine.StaleHead):
        engine.delete(session_id=session_id, expected=old)
    engine.delete(session_id=session_id, expected=head(session_id))
    assert not any(all_tables().values())
    with pytest.raises(engine.SessionNotFound):
        engine.delete(session_id=session_id, expected=engine.ANY_HEAD)


def test_a_delete_that_is_overtaken_says_that_its_head_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = make_session(user())
    state = engine.reads.session_state(session_id)
    engine.append(session_id=session_id, messages=[says()])
    fresh = engine.reads.session_state
    answers = [lambda _id: state, fresh]
    monkeypatch.setattr(engine.reads, "session_state", lambda i: answers.pop(0)(i))
    with pytest.raises(engine.StaleHead):
        engine.delete(session_id=session_id, expected=state.head)
    assert len(raw(session_id)) == 2


@pytest.mark.parametrize(
    ("metadata", "pointers_told"),
    [
        ({"a": 1}, ["/metadata"]),
        ("text", ["/metadata"]),
        ([{}], ["/metadata"]),
        ([{}, "x"], ["/metadata/1"]),
        ([{"a": float("nan")}, {}], ["/metadata/0/a"]),
    ],
)
def test_metadata_is_an_object_for_each_message(metadata: Any, pointers_told: list[str]) -> None:
    session_id = make_session(user())
    with pytest.raises(engine.InvalidMessages) as refused:
        engine.append(session_id=session_id, messages=[says(), user()], metadata=metadata)
    assert pointers(refused) == pointers_told


def test_metadata_comes_back_with_its_frame() -> None:
    session_id = make_session(user())
    noted = {"usage": {"input": 2**63}, "text": "\x00 \udc88"}
    engine.append(session_id=session_id, messages=[says()], metadata=noted)
    engine.append(session_id=session_id, messages=[user(), says()], metadata=[{}, noted])
    frames = engine.reads.frames_between(session_id, 2, 4)
    assert [f.metadata for f in frames] == [noted, {}, noted]
    with pytest.raises(engine.InvalidMessages):
        engine.append(session_id=session_id, messages=[says()], metadata={"a": {1}})


def test_a_creation_under_one_key_at_once_is_a_replay_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user()
    key = engine.IdempotencyKey(owner.pk, "k", "0" * 64)
    first = engine.create(owner_id=owner.pk, title="first", idempotency=key)
    look = engine.reads.remembered
    answers: list[Any] = [lambda *_a, **_k: (None, False), look]
    monkeypatch.setattr(engine.reads, "remembered", lambda *a, **k: answers.pop(0)(*a, **k))
    second = engine.create(owner_id=owner.pk, title="first", idempotency=key)
    assert second.replayed and second.record.state.head == first.record.state.head
