"""The rules of appending (contract, section 3)."""

from typing import Any

import pytest

from sessions_app import engine
from sessions_app.engine import attempts
from tests.builders import calls, claims, head, make_session, raw, reply, roles, says, system, user, window
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_message_gets_the_next_seq_one_frame_and_one_context_message() -> None:
    session_id = make_session(system(), user())
    written = engine.append(session_id=session_id, messages=[says("one"), user("two")], expected=head(session_id))
    assert [f.seq for f in written.frames] == [3, 4]
    assert [p.position for p in written.context or ()] == [3, 4]
    assert claims(session_id) == [[1], [2], [3], [4]]
    assert raw(session_id) == window(session_id) == [system(), user(), says("one"), user("two")]


@pytest.mark.case(46)
def test_of_two_writers_with_one_head_one_wins_and_nothing_of_the_other_is_in_any_table() -> None:
    session_id = make_session(user())
    seen = head(session_id)
    engine.append(session_id=session_id, messages=[says("first")], expected=seen)
    before = all_tables()
    with pytest.raises(engine.StaleHead) as refused:
        engine.append(session_id=session_id, messages=[says("second"), user("second")], expected=seen)
    assert all_tables() == before
    assert refused.value.actual.next_msg_seq == 3
    assert [f.message.data["content"] for f in refused.value.missed] == ["first"]


def test_a_write_that_is_overtaken_between_its_read_and_its_commit_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = make_session(user())
    seen = head(session_id)
    commit: Any = vars(attempts)["commit"]

    def overtaken(prepared: Any) -> bool:
        monkeypatch.setattr(attempts, "commit", commit)
        engine.append(session_id=session_id, messages=[says("overtakes")])
        return bool(commit(prepared))

    monkeypatch.setattr(attempts, "commit", overtaken)
    with pytest.raises(engine.StaleHead):
        engine.append(session_id=session_id, messages=[says("too late")], expected=seen)
    assert raw(session_id) == [user(), says("overtakes")]


def test_a_write_without_a_head_that_is_overtaken_lands_on_the_fresh_head(monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = make_session(user())
    commit: Any = vars(attempts)["commit"]

    def overtaken(prepared: Any) -> bool:
        monkeypatch.setattr(attempts, "commit", commit)
        engine.append(session_id=session_id, messages=[says("overtakes")])
        return bool(commit(prepared))

    monkeypatch.setattr(attempts, "commit", overtaken)
    engine.append(session_id=session_id, messages=[says("after it")])
    assert raw(session_id) == [user(), says("overtakes"), says("after it")]


def test_a_tool_message_must_answer_a_call() -> None:
    session_id = make_session(user(), calls("a"), reply("a"))
    before = all_tables()
    with pytest.raises(engine.UnmatchedToolReply):
        engine.append(session_id=session_id, messages=[reply("a")])
    assert all_tables() == before


def test_while_calls_are_open_every_role_but_tool_is_refused() -> None:
    session_id = make_session(user(), calls("a", "b"), reply("b"))
    for message in (user(), says(), system()):
        with pytest.raises(engine.OpenToolCalls) as refused:
            engine.append(session_id=session_id, messages=[message])
        assert [c.id for c in refused.value.calls] == ["a"]


def test_replies_may_come_in_any_order_and_over_several_appends() -> None:
    session_id = make_session(user(), calls("a", "b", "c"))
    engine.append(session_id=session_id, messages=[reply("c")])
    engine.append(session_id=session_id, messages=[reply("a"), reply("b"), says()])
    assert roles(window(session_id)) == "UARRRA"


def test_recover_writes_frames_before_the_message_that_meets_open_calls() -> None:
    session_id = make_session(user(), calls("a"))
    written = engine.append(session_id=session_id, messages=[user("go on"), calls("b"), user("and")], recover=True)
    assert [f.source for f in written.frames] == ["recovery", "agent", "agent", "recovery", "agent"]
    assert roles(raw(session_id)) == "UARUARU"
