"""Replay a recording under several strategies, or a stored session."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sessions_app import engine
from sessions_app.compression.at_most import AtMost
from sessions_app.compression.choices import Choice
from sessions_app.compression.errors import TooManyFrames
from sessions_app.compression.replay.course import run
from sessions_app.compression.replay.front import with_front
from sessions_app.compression.replay.recording import Recording
from sessions_app.compression.replay.values import MOST_FRAMES, Replay, Run, Terms

_ONE_REPLAY = AtMost(1, "A replay of yours is running already; try again when it is done.")


def replay(
    *,
    frames: Sequence[engine.Frame],
    choices: Sequence[Choice],
    terms: Terms = Terms(),
    on_frame: Callable[[], None] = lambda: None,
) -> Replay:
    """Walk the raw frames once for each strategy. Asks no model, reads and writes no database.

    Each assistant frame is a model call, its input all that stood before it. The recorded agent does not react to what
    it no longer sees: what a run costs is exact under `terms`, what it lacks is the least that would have been lacking.
    """
    recording = Recording(frames, on_frame)
    baseline = _against(run(recording, None, terms), None)
    runs = [_against(run(recording, choice, terms), baseline) for choice in choices]
    return Replay(
        terms=terms,
        frames=len(frames),
        calls=len(recording.calls),
        baseline=baseline,
        runs=with_front(runs),
    )


def replay_session(
    *, session_id: str, user_id: int, choices: Sequence[Choice], terms: Terms = Terms()
) -> tuple[engine.SessionState, Replay]:
    """Replay the raw frames of a session, with its state as it was when they were read.

    Raises SessionNotFound, TooManyFrames over 20,000 of them, and Busy where a replay of this user is running in this
    process.
    """
    with _ONE_REPLAY.of(user_id):
        state = engine.reads.session_state(session_id)
        if state.frame_count > MOST_FRAMES:
            raise TooManyFrames(frames=state.frame_count, limit=MOST_FRAMES)
        frames = list(engine.reads.all_frames(session_id, below=state.next_msg_seq))
        return state, replay(frames=frames, choices=choices, terms=terms)


def _against(one: Run, baseline: Run | None) -> Run:
    cost = one.totals.cost if baseline is None else baseline.totals.cost
    return replace(one, totals=replace(one.totals, relative_cost=one.totals.cost / cost if cost else None))
