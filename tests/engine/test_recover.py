"""The rules of recovery and of late replies (contract, section 3, Recovery)."""

from typing import Any

import pytest

from sessions_app import engine
from sessions_app.engine import attempts
from tests.builders import calls, claims, head, make_session, raw, reply, roles, says, system, user, window
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.case(1)
@pytest.mark.case(2)
@pytest.mark.case(3)
@pytest.mark.case(5)
def test_each_open_call_gets_one_frame_in_call_order_and_the_calls_stay() -> None:
    session_id = make_session(user(), calls("a", "b", "c", name="deploy"), reply("b", "real"))
    written = engine.recover(session_id=session_id, expected=head(session_id), reason="crash")
    assert [(f.source, f.message.tool_call_id) for f in written.frames] == [("recovery", "a"), ("recovery", "c")]
    assert roles(window(session_id)) == "UARRR"
    assert window(session_id)[1] == calls("a", "b", "c", name="deploy")
    assert window(session_id)[2] == reply("b", "real")
    text = window(session_id)[3]["content"]
    assert "interrupted" in text and "unknown" in text and "deploy" in text and "crash" in text
    engine.append(session_id=session_id, messages=[user("go on")])


@pytest.mark.case(7)
def test_a_second_recovery_changes_nothing() -> None:
    session_id = make_session(user(), calls("a"))
    engine.recover(session_id=session_id)
    before = all_tables()
    written = engine.recover(session_id=session_id)
    assert written.frames == () and written.context == ()
    assert all_tables() == before


def test_a_dry_run_shows_the_frames_and_writes_nothing() -> None:
    session_id = make_session(user(), calls("a"))
    before = all_tables()
    preview = engine.recover(session_id=session_id, dry_run=True)
    assert [f.seq for f in preview.frames] == [3]
    assert preview.state.next_msg_seq == 3
    assert all_tables() == before


def test_a_reason_that_is_not_known_is_refused() -> None:
    with pytest.raises(engine.InvalidInput):
        engine.recover(session_id=make_session(user(), calls("a")), reason="boredom")


@pytest.mark.case(12)
def test_an_id_used_again_in_a_later_turn_belongs_to_the_later_call() -> None:
    session_id = make_session(user(), calls("x"), reply("x", "one"), user(), calls("x"))
    written = engine.recover(session_id=session_id)
    assert [f.call_seq for f in written.frames] == [5]


@pytest.mark.case(8)
def test_a_late_reply_takes_the_place_of_its_recovery_message() -> None:
    session_id = make_session(user(), calls("a", "b"))
    engine.recover(session_id=session_id)
    version = head(session_id).context_compression_version
    written = engine.append(session_id=session_id, messages=[reply("a", "real")])
    assert roles(raw(session_id)) == "UARRR"
    assert window(session_id)[2] == reply("a", "real")
    assert claims(session_id) == [[1], [2], [3, 5], [4]]
    assert [p.position for p in written.context or ()] == [3]
    assert head(session_id).context_compression_version == version


def test_a_late_reply_after_an_assistant_message_becomes_a_note_of_the_user_role() -> None:
    session_id = make_session(user(), calls("a", name="deploy"))
    engine.append(session_id=session_id, messages=[user("go on"), says("fine")], recover=True)
    engine.append(session_id=session_id, messages=[reply("a", "deployed 7f3a")])
    note = window(session_id)[-1]
    assert note["role"] == "user"
    assert "deploy" in note["content"] and "deployed 7f3a" in note["content"]
    assert raw(session_id)[-1] == reply("a", "deployed 7f3a")
    read = engine.reads.current_window(session_id)
    assert [i for i, item in enumerate(read.window) if item.is_request] == [0, 3]


def test_a_late_note_is_refused_while_calls_are_open_unless_the_batch_closes_them_first() -> None:
    session_id = make_session(user(), calls("a"))
    engine.append(session_id=session_id, messages=[user("go on"), calls("b")], recover=True)
    with pytest.raises(engine.OpenToolCalls):
        engine.append(session_id=session_id, messages=[reply("a", "late")])
    engine.append(session_id=session_id, messages=[reply("b"), reply("a", "late")])
    assert roles(window(session_id)) == "UARUARU"


def test_a_reply_is_late_once_only() -> None:
    session_id = make_session(user(), calls("a"))
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "real")])
    with pytest.raises(engine.UnmatchedToolReply):
        engine.append(session_id=session_id, messages=[reply("a", "again")])


def test_a_reply_that_was_recovered_in_the_same_batch_takes_its_place() -> None:
    session_id = make_session(user())
    engine.append(session_id=session_id, messages=[calls("a"), user("wait"), reply("a", "real")], recover=True)
    assert roles(raw(session_id)) == "UARUR"
    assert roles(window(session_id)) == "UARU"
    assert window(session_id)[2] == reply("a", "real")


def test_calls_that_another_writer_opened_meanwhile_are_not_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = make_session(user(), calls("mine"))
    commit: Any = vars(attempts)["commit"]

    def overtaken(prepared: Any) -> bool:
        monkeypatch.setattr(attempts, "commit", commit)
        engine.append(session_id=session_id, messages=[reply("mine"), calls("theirs")])
        return bool(commit(prepared))

    monkeypatch.setattr(attempts, "commit", overtaken)
    with pytest.raises(engine.OpenToolCalls) as refused:
        engine.append(session_id=session_id, messages=[user("go on")], recover=True)
    assert [c.id for c in refused.value.calls] == ["theirs"]
    assert roles(raw(session_id)) == "UARA"


def test_at_seq_shows_a_replaced_recovery_message_as_it_read_then() -> None:
    session_id = make_session(system(), user(), calls("a"))
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[user("and?"), reply("a", "real"), says("done")])
    then = engine.reads.window_at(session_id, 6).window
    assert "unknown" in then[3].message.body
    now = engine.reads.window_at(session_id, 7).window
    assert now[3].message.body == "real"


@pytest.mark.case(19)
def test_a_call_whose_arguments_were_cut_off_is_kept_verbatim_and_filled() -> None:
    broken = calls("a")
    broken["tool_calls"][0]["function"]["arguments"] = '{"q": "ab'
    session_id = make_session(user(), broken)
    engine.recover(session_id=session_id)
    assert window(session_id)[1] == broken
    assert roles(window(session_id)) == "UAR"


@pytest.mark.case(36)
@pytest.mark.case(76)
def test_resuming_ten_times_adds_nothing() -> None:
    session_id = make_session(system(), user(), calls("a"))
    engine.RuntimeSession.resume(session_id)
    before, sent = all_tables(), window(session_id)
    for _ in range(10):
        assert engine.RuntimeSession.resume(session_id).messages() == sent
    assert all_tables() == before


def test_the_wording_is_a_setting(settings: object) -> None:
    settings.RECOVERY_TEXT = "No answer of {tool}{reason}: {unknown}"  # type: ignore[attr-defined]
    session_id = make_session(user(), calls("a", name="b{r}ace"))
    engine.recover(session_id=session_id, reason="user_interrupt")
    assert window(session_id)[-1]["content"] == "No answer of b{r}ace by an interrupt by the user: {unknown}"
