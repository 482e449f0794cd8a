"""A window that grows frame by frame is the one that appends would have made."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app import engine
from sessions_app.engine import GrowingWindow
from tests.builders import calls, make_session, reply, says, user
from tests.compression.recordings import made_up


@pytest.mark.django_db
def test_it_is_the_window_of_a_session_with_these_frames() -> None:
    session_id = make_session(user(), calls("a", "b"), reply("a"))
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("b", "late, in place")])
    engine.append(session_id=session_id, messages=[says(), user(), calls("c")])
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[says(), reply("c", "late, as a note"), says()])
    read = engine.reads.current_window(session_id)
    growing = GrowingWindow()
    for frame in engine.reads.all_frames(session_id, below=read.state.next_msg_seq):
        growing.place(frame)
    assert growing.window() == read.window
    assert (growing.tokens, len(growing)) == (read.state.context_tokens, len(read.window))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), cut=st.integers(0, 80))
def test_where_it_began_makes_no_difference(seed: int, cut: int) -> None:
    frames = made_up(seed, rounds=15)
    whole, first = GrowingWindow(), GrowingWindow()
    for frame in frames:
        whole.place(frame)
    for frame in frames[:cut]:
        first.place(frame)
    second = GrowingWindow(first.window())
    for frame in frames[cut:]:
        second.place(frame)
    assert second.window() == whole.window()
    assert second.tokens == whole.tokens == whole.window().tokens
