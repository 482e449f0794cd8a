"""What a replay shows: its charts, their key, its table, and what is said of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters import replay_chart, replay_points
from inspector.presenters.replay_chart import WindowChart, window_chart
from inspector.presenters.replay_limits import half_of_peak, is_reached
from inspector.presenters.replay_lines import NONE, Line, lines_of
from inspector.presenters.replay_points import CostChart, cost_chart
from inspector.presenters.replay_table import Table, replay_table
from inspector.presenters.shown import Number, short_number
from inspector.replay_state import ReplayState
from inspector.view_state import ViewState
from sessions_app.compression.replay import Replay

SAMPLES: Final = 400
"""Calls whose figures the page holds for the script to read out: all, or so many of them."""
FEWEST: Final = 2
"""Calls below which there is no line to draw."""


@dataclass(frozen=True, slots=True)
class Key:
    """A line in the key of the chart. `samples`: its tokens at the calls of `Result.calls_sampled`."""

    number: int
    name: str
    samples: str


@dataclass(frozen=True, slots=True)
class Result:
    """`idle`: why nothing was compressed, where nothing was: all lines are then one, and no figure tells strategies
    apart. `idle_offer`: a limit at which something would be.
    """

    calls: int
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
    front_told: str


def replay_result(asked: ReplayState, replay: Replay) -> Result:
    lines, view, sampled = lines_of(replay), ViewState(asked.session_id), _sampled(replay.calls)
    # One that was not run would be drawn as the recording itself.
    idle, lower = _idle(replay), half_of_peak(replay)
    drawn = [line for line in lines if not line.run.unavailable and (not idle or line.number == NONE)]
    return Result(
        calls=replay.calls,
        told=_told(replay),
        windows=_windows(drawn, replay, view),
        costs=() if idle else _costs(lines, replay),
        keys=tuple(_key(line, sampled) for line in drawn),
        calls_sampled=_words(n + 1 for n in sampled),
        frames_sampled=_words(replay.baseline.series[n][0] for n in sampled),
        table=replay_table(lines, frame_url=view.frame_url),
        csv=asked.url(form="csv"),
        json=asked.url(form="json"),
        idle=idle,
        idle_offer=_("Replay it with a limit of %(n)s") % {"n": short_number(lower)},
        idle_href=asked.url(limit=lower, trigger=0.8) if idle and lower and not is_reached(replay) else "",
        peak=Number.of(replay.baseline.totals.peak),
        front_told=_front_told(lines),
    )


def _windows(lines: Sequence[Line], replay: Replay, view: ViewState) -> tuple[WindowChart, ...]:
    if replay.calls < FEWEST:
        return ()
    layouts = (replay_chart.WIDE, replay_chart.MIDDLE, replay_chart.NARROW)
    return tuple(window_chart(lines, terms=replay.terms, layout=layout, frame_url=view.frame_url) for layout in layouts)


def _costs(lines: Sequence[Line], replay: Replay) -> tuple[CostChart, ...]:
    if replay.calls < FEWEST:
        return ()
    layouts = (replay_points.WIDE, replay_points.MIDDLE, replay_points.NARROW)
    return tuple(filter(None, (cost_chart(lines, layout=layout) for layout in layouts)))


def _told(replay: Replay) -> str:
    calls = ngettext("%(n)s call", "%(n)s calls", replay.calls) % {"n": f"{replay.calls:,}"}
    frames = ngettext("%(n)s frame", "%(n)s frames", replay.frames) % {"n": f"{replay.frames:,}"}
    return _("%(calls)s in %(frames)s.") % {"calls": calls, "frames": frames}


def _front_told(lines: Sequence[Line]) -> str:
    """Empty where nobody is on it."""
    runs = [line.run for line in lines if line.number != NONE and not line.run.unavailable]
    if not any(run.is_pareto for run in runs):
        return ""
    told = _(
        "Who is on the Pareto front has a ring: no other strategy costs less and keeps more; without compression (×) "
        "is not counted."
    )
    over = sum(bool(run.totals.over_limit) for run in runs)
    if not over:
        return told
    more = (
        _("Each is over the limit in some calls.")
        if over == len(runs)
        else _("Who is over the limit in some calls (hollow) cannot be on it.")
    )
    return f"{told} {more}"


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
