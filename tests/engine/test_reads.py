"""Reads of what is not there, or not there any more, and lists by text, state and label."""

import pytest

from sessions_app import engine
from sessions_app.engine import FrameNotFound, SessionNotFound, State, VersionNotFound, VersionNotKept, reads
from sessions_app.engine.reads import FrameFilter, SessionFilter
from sessions_app.models import RawFrame, Session
from tests.builders import call, calls, head, make_session, react_rounds, reply, says, system, user
from tests.engine.strategies import Gives, Params, fold

pytestmark = pytest.mark.django_db(transaction=True)


def found(**wanted: object) -> list[str]:
    page = reads.sessions_page(Session.objects.all(), wanted=SessionFilter(**wanted))  # type: ignore[arg-type]
    return sorted(r.state.session_id for r in page.items)


def test_what_is_not_there_is_told_by_its_name() -> None:
    session_id = make_session(user(), says())
    for read in (
        lambda: reads.session_state("nowhere"),
        lambda: reads.session_record("nowhere"),
        lambda: reads.current_window("nowhere"),
        lambda: reads.window_of_version("nowhere", 1),
        lambda: reads.window_at("nowhere", 1),
    ):
        with pytest.raises(SessionNotFound):
            read()
    for seq in (0, 3, -1):
        for read_frame in (reads.frame, reads.version_at, reads.window_at):
            with pytest.raises(FrameNotFound):
                read_frame(session_id, seq)
    for version in (0, 2, -1):
        with pytest.raises(VersionNotFound):
            reads.window_of_version(session_id, version)


def test_a_window_that_is_not_kept_is_told_so_for_its_frames_too() -> None:
    session_id = make_session(system(), user(), *react_rounds(4), keep_context_history=False)
    fold(session_id)
    with pytest.raises(VersionNotKept):
        reads.window_at(session_id, 5)
    with pytest.raises(VersionNotKept):
        reads.window_of_version(session_id, 1)
    assert [f.kept for f in reads.fates_of_frame(session_id, seq=4, since_version=1, current=2)] == [False, True]


def test_a_part_of_a_window_comes_with_the_state_of_the_whole() -> None:
    session_id = make_session(system(), user(), *react_rounds(4))
    whole = reads.current_window(session_id)
    part = reads.current_window(session_id, after_position=3, limit=2)
    assert [p.position for p in part.placements] == [4, 5]
    assert part.state == whole.state
    assert part.placements == whole.page(after_position=3, limit=2).placements
    assert whole.page(after_position=8, limit=None).placements == whole.placements[8:]
    past = reads.current_window(session_id, after_position=99)
    assert (past.placements, past.state) == ((), whole.state)
    assert reads.window_of_version(session_id, 1, after_position=99).placements == ()
    assert reads.tokens_of_version(session_id, 1) == whole.state.context_tokens


def test_a_frame_that_a_version_left_out_is_dropped_there() -> None:
    session_id = make_session(system(), user(), *react_rounds(4))
    drops = Gives(lambda window: engine.Window((*window.items[:2], *window.items[6:])))
    engine.compress(session_id=session_id, strategy=drops, params=Params())
    fates = reads.fates_of_frame(session_id, seq=4, since_version=1, current=2)
    assert [(f.version, f.fate, f.position) for f in fates] == [(1, "kept", 4), (2, "dropped", None)]
    places = reads.fates_of_frames(session_id, version=2, seqs=[2, 4, 7])
    assert places == {2: ("kept", 2), 4: ("dropped", None), 7: ("kept", 3)}


@pytest.mark.case(85)
def test_sessions_are_found_by_title_id_label_and_message_text_whatever_the_case() -> None:
    make_session(user("the needle is here"), session_id="by-text")
    make_session(calls("a", name="x") | {"tool_calls": [call("a", "x", '{"q": "NEEDLE"}')]}, session_id="by-argument")
    make_session(session_id="by-title", title="A Needle")
    make_session(session_id="by-label", labels=["needles"])
    make_session(session_id="needle-id")
    make_session(user("x") | {"needle": "needle"}, session_id="member")  # no text of the message
    make_session(*[says(f"hay {n}") for n in range(60)], user("Needle"), session_id="far-down")
    assert found(search="needle") == ["by-argument", "by-label", "by-text", "by-title", "far-down", "needle-id"]
    assert found(search="NEEDLE is") == ["by-text"]


@pytest.mark.parametrize(
    "text", ["100%", "a_b", "back\\slash", 'quo"te', "\x00", "\ud83d", "line\nbreak", "İstanbul", "中文"]
)
def test_a_search_is_for_the_text_as_it_is(text: str) -> None:
    session_id = make_session(user(f"before {text} after"), session_id="has-it")
    make_session(user("before after"), session_id="has-not")
    assert found(search=text) == ["has-it"]
    assert [f.seq for f in reads.frames_page(session_id, last_seq=1, wanted=FrameFilter(search=text)).items] == [1]


def test_sessions_are_found_by_state_and_label() -> None:
    make_session(session_id="empty")
    make_session(user(), session_id="user")
    make_session(user(), calls("a"), labels=["x", "y"], session_id="open")
    make_session(user(), calls("a"), reply("a"), session_id="tool")
    make_session(user(), says(), labels=["xy"], session_id="said")
    assert found(state=State.EMPTY) == ["empty"]
    assert found(state=State.AWAITING_MODEL) == ["tool", "user"]
    assert found(state=State.AWAITING_TOOLS) == ["open"]
    assert found(state=State.SETTLED) == ["said"]
    assert found(label="x") == ["open"]
    for session_id in found():
        record = reads.session_record(session_id)
        assert session_id in found(state=record.state.state)


@pytest.mark.case(68)
def test_a_damaged_frame_is_told_and_neither_hidden_nor_deleted() -> None:
    session_id = make_session(user("fine"), says("damaged"), user("fine too"))
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message='{"role": "assist')
    assert reads.frame(session_id, 2).message.is_damaged
    assert len(reads.frames_page(session_id, last_seq=3).items) == 3
    assert [r.is_damaged for r in reads.frame_rows(session_id, last_seq=3).items] == [False, True, False]
    assert reads.frames_page(session_id, last_seq=3, wanted=FrameFilter(search="fine")).items[1].seq == 3
    runtime = engine.RuntimeSession.load(session_id)
    with pytest.raises(engine.DamagedMessage):
        runtime.messages()
    engine.append(session_id=session_id, messages=[says("goes on")], expected=head(session_id))
    assert RawFrame.objects.count() == 4
