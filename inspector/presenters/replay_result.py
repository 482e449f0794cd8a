"""What a replay shows: its charts, their key, its table, and what is said of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.replay_chart import NARROW, WIDE, WindowChart, window_chart
from inspector.presenters.replay_lines import Line, lines_of
from inspector.presenters.replay_points import NARROW as SMALL
from inspector.presenters.replay_points import WIDE as LARGE
from inspector.presenters.replay_points import CostChart, cost_chart
from inspector.presenters.replay_table import Table, replay_table
from inspector.presenters.shown import Number, short_number
from inspector.replay_state import ReplayState
from inspector.view_state import ViewState
from sessions_app.compression.replay import Replay

SAMPLES: Final = 400
"""Calls whose figures the page holds for the script to read out: all, or so many of them."""


@dataclass(frozen=True, slots=True)
class Key:
    """A line in the key of the chart. `samples`: its tokens at the calls of `Result.calls_sampled`."""

    number: int
    name: str
    samples: str


@dataclass(frozen=True, slots=True)
class Result:
    """`idle`: why nothing was compressed, where nothing was; `idle_offer`: a limit at which something would be."""

    told: str
    windows: tuple[WindowChart, ...]
    costs: tuple[CostChart, ...]
    keys: tuple[Key, ...]
    calls_sampled: str
    frames_sampled: str
    table: Table
    csv: str
    json: str
    idle: str
    idle_offer: str
    idle_href: str
    peak: Number


def replay_result(asked: ReplayState, replay: Replay) -> Result:
    lines, terms = lines_of(replay), replay.terms
    view, sampled = ViewState(asked.session_id), _sampled(replay.calls)
    peak = replay.baseline.totals.peak
    # One that was not run would be drawn as the recording itself.
    drawn = [line for line in lines if not line.run.unavailable]
    lower, idle = _round(peak / 2), _idle(replay)
    return Result(
        told=_told(replay),
        windows=_windows(drawn, replay, view),
        costs=tuple(filter(None, (cost_chart(lines, layout=layout) for layout in (LARGE, SMALL)))),
        keys=tuple(_key(line, sampled) for line in drawn),
        calls_sampled=_words(n + 1 for n in sampled),
        frames_sampled=_words(replay.baseline.series[n][0] for n in sampled),
        table=replay_table(lines, frame_url=view.frame_url),
        csv=asked.url(form="csv"),
        json=asked.url(form="json"),
        idle=idle,
        idle_offer=_("Replay it with a limit of %(n)s") % {"n": short_number(lower)},
        idle_href=asked.url(limit=lower, trigger=0.8) if idle and 1 < peak < terms.trigger_tokens else "",
        peak=Number.of(peak),
    )


def _windows(lines: Sequence[Line], replay: Replay, view: ViewState) -> tuple[WindowChart, ...]:
    if not replay.calls:
        return ()
    return tuple(
        window_chart(lines, terms=replay.terms, layout=layout, frame_url=view.frame_url) for layout in (WIDE, NARROW)
    )


def _told(replay: Replay) -> str:
    values = {"calls": f"{replay.calls:,}", "frames": f"{replay.frames:,}"}
    return (
        ngettext("%(calls)s call in %(frames)s frames.", "%(calls)s calls in %(frames)s frames.", replay.calls) % values
    )


def _idle(replay: Replay) -> str:
    """Empty where something was compressed, or nothing could be run."""
    if not replay.calls or any(run.compressions or run.unavailable for run in replay.runs):
        return ""
    peak, trigger = replay.baseline.totals.peak, replay.terms.trigger_tokens
    if peak >= trigger:
        return _("Nothing was compressed: these strategies found nothing in the window that they may compress.")
    values = {"trigger": short_number(round(trigger)), "peak": short_number(peak)}
    return (
        _("Nothing was compressed: the window never reached the trigger of %(trigger)s tokens; its peak is %(peak)s.")
        % values
    )


def _sampled(calls: int) -> tuple[int, ...]:
    """Which calls, from 0: at even distances, the first and the last among them."""
    if calls <= SAMPLES:
        return tuple(range(calls))
    return tuple(round(n * (calls - 1) / (SAMPLES - 1)) for n in range(SAMPLES))


def _key(line: Line, sampled: Iterable[int]) -> Key:
    values = line.values
    return Key(line.number, line.name, _words(values[n] for n in sampled))


def _words(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _round(value: float) -> int:
    """Down to its first digit: 8,243 is 8,000."""
    size: int = 10 ** (len(str(int(value))) - 1)
    return max(int(value) // size * size, 1)
