"""Comparison: what several strategies would make of one window, measured (compression page, section 6)."""

from dataclasses import dataclass
from typing import Literal

from sessions_app.compression.choices import Choice
from sessions_app.compression.measures import Measure, Probe
from sessions_app.engine import Broken, Fate, SessionState, Size, Window

Outcome = Literal["ok", "nothing-to-compress", "rule-broken", "unavailable"]


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

    `stand_in`: why another strategy stood in for it, empty where none did. `fates`: runs of frames (first, last, fate).
    """

    choice: Choice
    outcome: Outcome
    why: str
    stand_in: str
    window: Window | None
    after: Size | None
    fates: tuple[tuple[int, int, Fate], ...]
    measures: dict[str, Measure]
    gates: tuple[Gate, ...]
    found: tuple[bool, ...]
    """Whether each of the comparison's probes is found in the window."""


@dataclass(frozen=True, slots=True)
class Comparison:
    state: SessionState
    base: Window
    probes: tuple[Probe, ...]
    results: tuple[Result, ...]
