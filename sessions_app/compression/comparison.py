"""Comparison: what several strategies would make of one window, measured (compression page, section 6).

No model is asked and nothing is written. What is measured costs the length of the session, once for all strategies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app import engine
from sessions_app.compression.at_most import AtMost
from sessions_app.compression.candidates import Circumstances, Made, Outcome, make
from sessions_app.compression.choices import Choice
from sessions_app.compression.errors import TooManyFrames
from sessions_app.compression.measures import Haystack, History, Measure, Probe, generated_probes, measure, naming
from sessions_app.compression.policy import limit_of
from sessions_app.engine import Broken, Fate, Fault, InvalidInput, SessionState, Size, Window

MOST_FRAMES: Final = 20_000
MOST_PROBES: Final = 20
LONGEST_PROBE: Final = 200
RULES: Final = range(1, 12)
"""The numbers of the rules of section 2."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A rule, whether the candidate keeps it, and what breaks it."""

    rule: int
    held: bool
    broken: tuple[Broken, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What one strategy would make. `window` is None where it makes none; where it breaks a rule it is shown all the
    same, and could not be applied.

    `stand_in`: the strategy that stood in for this one, empty where none did, and `why` then says the reason. `fates`:
    runs of frames (first, last, fate). `found`: whether each of the comparison's probes is in the window. `naming`: for
    each class, the share of all that the session names that the window still names.
    """

    choice: Choice
    outcome: Outcome
    why: str = ""
    stand_in: str = ""
    window: Window | None = None
    after: Size | None = None
    fates: tuple[tuple[int, int, Fate], ...] = ()
    measures: dict[str, Measure] = field(default_factory=dict)
    naming: dict[str, Measure] = field(default_factory=dict)
    gates: tuple[Gate, ...] = ()
    found: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """`before`: what became of the frames until now, as the `fates` of a result. `recovery`: the frames that the engine
    wrote after an interruption.
    """

    state: SessionState
    base: Window
    probes: tuple[Probe, ...]
    results: tuple[Result, ...]
    before: tuple[tuple[int, int, Fate], ...] = ()
    recovery: tuple[int, ...] = ()


_AT_ONCE = AtMost(2, "Two comparisons of yours are running already; try again when one is done.")


def compare(*, session_id: str, user_id: int, choices: Sequence[Choice], probes: Sequence[str] = ()) -> Comparison:
    """What each strategy would make of the session's window now.

    `probes`: texts to look for in each of the windows; those that the session itself suggests are added. Raises
    SessionNotFound, TooManyFrames over 20,000 frames, and Busy where two comparisons of this user are being made in
    this process.
    """
    with _AT_ONCE.of(user_id):
        return _compared(session_id, choices, probes)


def _compared(session_id: str, choices: Sequence[Choice], probes: Sequence[str]) -> Comparison:
    read = engine.reads.current_window(session_id)
    state, base = read.state, read.window
    if state.frame_count > MOST_FRAMES:
        raise TooManyFrames(frames=state.frame_count, limit=MOST_FRAMES)
    frames = list(engine.reads.all_frames(session_id, below=state.next_msg_seq))
    history = History.of(frames)
    looked_for = (*(Probe(text, "given") for text in probes), *generated_probes(frames))
    first = engine.find_first_request(base, session_id)
    at = Circumstances(state.open_calls, state.frame_count, first)
    limit = limit_of(state.compression_policy)
    results = tuple(
        _result(choice, make(choice, base, at, limit_tokens=limit), history, base, looked_for, state.frame_count)
        for choice in choices
    )
    return Comparison(
        state,
        base,
        looked_for,
        results,
        before=tuple(engine.fate_runs(base, frame_count=state.frame_count)),
        recovery=tuple(frame.seq for frame in frames if frame.source == "recovery"),
    )


def parse_probes(raw: Any) -> tuple[str, ...]:
    """Raises InvalidInput: at most 20 texts of 1 to 200 characters."""
    if not isinstance(raw, list) or not all(isinstance(text, str) for text in raw):
        raise InvalidInput([Fault("/probes", "must be a list of strings")])
    if len(raw) > MOST_PROBES:
        raise InvalidInput([Fault("/probes", f"must hold at most {MOST_PROBES} texts, not {len(raw)}")])
    faults = [
        Fault(f"/probes/{number}", f"must have 1 to {LONGEST_PROBE} characters, and not blanks alone")
        for number, text in enumerate(raw)
        if not text.strip() or len(text) > LONGEST_PROBE
    ]
    if faults:
        raise InvalidInput(faults)
    return tuple(raw)


def _result(
    choice: Choice, made: Made, history: History, base: Window, probes: Sequence[Probe], frame_count: int
) -> Result:
    window = made.window
    if window is None:
        return Result(choice, made.outcome, made.why)
    haystack = Haystack.of(window)
    return Result(
        choice=choice,
        outcome=made.outcome,
        why=made.why,
        stand_in=made.used,
        window=window,
        after=Size(window.tokens, len(window)),
        fates=tuple(engine.fate_runs(window, frame_count=frame_count)),
        measures=measure(history, base, window),
        naming=naming(history, window),
        gates=tuple(_gate(rule, made.broken) for rule in RULES),
        found=tuple(haystack.has(probe.text) for probe in probes),
    )


def _gate(rule: int, broken: Sequence[Broken]) -> Gate:
    found = tuple(b for b in broken if b.rule == rule)
    return Gate(rule, not found, found)
