"""Rows of a list of frames: their pages, what is read off the beginning of a message, and the fates of a page."""

import pytest

from sessions_app import engine
from sessions_app.engine import beginnings
from sessions_app.engine.beginnings import Beginning
from sessions_app.engine.reads import FrameFilter, fates_of_frames, frame_rows, frames_page, replies_to, version_at
from tests.builders import call, calls, make_session, react_rounds, reply, says, system, user
from tests.engine.strategies import fold

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "wanted",
    [FrameFilter(), FrameFilter(role="tool"), FrameFilter(tool="read_file"), FrameFilter(search="LINE 3 of")],
    ids=["all", "role", "tool", "search"],
)
@pytest.mark.parametrize("cursor", [{}, {"after_seq": 4}, {"before_seq": 9}])
def test_rows_come_in_the_same_pages_as_frames(wanted: FrameFilter, cursor: dict[str, int]) -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    rows = frame_rows(session_id, last_seq=14, wanted=wanted, limit=3, **cursor)
    frames = frames_page(session_id, last_seq=14, wanted=wanted, limit=3, **cursor)
    assert [r.seq for r in rows.items] == [f.seq for f in frames.items]
    assert (rows.next_after_seq, rows.previous_before_seq) == (frames.next_after_seq, frames.previous_before_seq)
    for row, frame in zip(rows.items, frames.items, strict=True):
        assert row.calls == frame.message.calls
        assert row.excerpt == frame.message.excerpt
        assert (row.role, row.tool_names, row.call_seq) == (frame.role, frame.tool_names, frame.call_seq)


def test_the_calls_of_a_long_message_are_read_as_far_as_they_go() -> None:
    call = {"id": "a", "type": "function", "function": {"name": 'the "name"', "arguments": 'é\\"\n' + "x" * 9000}}
    custom = {"id": "b", "type": "custom", "custom": {"name": "c", "input": "y"}}
    message = {
        "role": "assistant",
        "content": '"function":{"name":"no","arguments":"no"}',
        "tool_calls": [custom, call],
    }
    session_id = make_session(user(), message)
    row = frame_rows(session_id, last_seq=2).items[1]
    assert [c.name for c in row.calls] == ["c", 'the "name"']
    assert row.calls[0].arguments == "y"
    assert row.calls[1].arguments.startswith('é\\"\nxxx')
    assert not row.is_damaged


@pytest.mark.parametrize("cut", range(14))
def test_a_beginning_may_end_anywhere(cut: int) -> None:
    stored = engine.Message.of(
        {"role": "assistant", "tool_calls": [call("a", "run", " " * cut + "\ud83d\0\\" * 300)]}
    ).text
    assert len(stored) > beginnings.LENGTH
    found = Beginning.of(stored[: beginnings.LENGTH])
    assert found is not None
    assert found.calls[0].name == "run"
    assert found.calls[0].arguments.strip(" ").startswith("\ud83d\0\\\ud83d")


@pytest.mark.parametrize(
    ("message", "first_part", "has_reasoning"),
    [
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x" * 5000}}]}, "image_url", False),
        ({"role": "user", "content": '[{"type":"text","reasoning_content":"no"}]'}, "", False),
        ({"role": "assistant", "content": None, "reasoning_content": "Hm."}, "", True),
        ({"role": "user", "content": []}, "", False),
    ],
)
def test_a_row_says_what_a_message_without_text_begins_with(
    message: dict[str, object], first_part: str, has_reasoning: bool
) -> None:
    row = frame_rows(make_session(message), last_seq=1).items[0]
    assert (row.first_part, row.has_reasoning) == (first_part, has_reasoning)


def test_fates_are_those_of_each_frame_by_itself() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id)
    engine.append(session_id=session_id, messages=[calls("z")])
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("z"), says()])
    last, current = 18, 2
    for version in (1, 2):
        fates = fates_of_frames(session_id, version=version, seqs=range(1, last))
        for seq in range(1, last):
            one = engine.reads.fates_of_frame(session_id, seq=seq, since_version=1, current=current)
            found = next(f for f in one if f.version == version)
            assert fates[seq] == (found.fate, found.position)


def test_fates_of_frames_that_lie_apart_and_of_none() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id)
    assert set(fates_of_frames(session_id, version=2, seqs=[1, 9, 14])) == {1, 9, 14}
    assert fates_of_frames(session_id, version=2, seqs=[]) == {}


def test_replies_are_found_by_the_call_s_frame() -> None:
    session_id = make_session(user(), calls("a", "b"), reply("b"), reply("a"), calls("c"))
    assert replies_to(session_id, [2, 5]) == {2: (3, 4), 5: ()}


def test_replies_are_found_by_the_id_of_the_call() -> None:
    session_id = make_session(user(), calls("a", "b\0", "c"), reply("b\0"), reply("a"))
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("c"), user(), calls("a"), reply("a")])
    assert engine.reads.replies_by_call(session_id, 2) == {"b\0": (3,), "a": (4,), "c": (5, 6)}
    assert engine.reads.replies_by_call(session_id, 1) == {}


def test_the_version_that_a_frame_was_written_under() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id)
    engine.append(session_id=session_id, messages=[says()])
    assert (version_at(session_id, 14), version_at(session_id, 15)) == (1, 2)
    with pytest.raises(engine.FrameNotFound):
        version_at(session_id, 16)
