"""The first chart of a replay: the window at each call, a line for each strategy, with its compressions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.chart_labels import LINE, spread, width_of
from inspector.presenters.chart_paths import Point, path
from inspector.presenters.chart_scales import Scale, px, ticks
from inspector.presenters.replay_lines import NONE, Line
from inspector.presenters.replay_marks import Mark, beads, marks
from inspector.presenters.shown import short_number
from sessions_app.compression.replay import Terms

_FAR: Final = 2.5
"""Limit and trigger are in the picture where they are at most so many times as high as the lines."""
_ABOVE: Final = 1.3
"""The line without compression leaves the picture at so many times the rest: it would press that flat."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A size that a chart is drawn in. `has_names`: labels are names; else numbers, and a key tells the names."""

    name: str
    width: int
    height: int
    left: float
    x_ticks: int
    y_ticks: int
    has_names: bool
    top: float = 28
    bottom: float = 40


WIDE: Final = Layout("wide", 1000, 400, 48, 10, 6, has_names=True)
MIDDLE: Final = Layout("middle", 640, 400, 48, 6, 6, has_names=False)
NARROW: Final = Layout("narrow", 366, 320, 40, 4, 6, has_names=False)


@dataclass(frozen=True, slots=True)
class Tick:
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    """`kind`: the number of a line, `limit` or `trigger`. `leader`: a path to what is named."""

    kind: str
    is_line: bool
    has_shape: bool
    shape_x: str
    x: str
    y: str
    text: str
    leader: str


@dataclass(frozen=True, slots=True)
class Bead:
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Series:
    """`beads`: where its shape stands, if no compression shows it."""

    number: int
    told: str
    path: str
    beads: tuple[Bead, ...]


@dataclass(frozen=True, slots=True)
class Level:
    kind: str
    y: str


@dataclass(frozen=True, slots=True)
class WindowChart:
    """Numbers are pixels, as texts. `outside`: levels that lie above the picture. `is_cut`: the line without
    compression leaves it.
    """

    layout: Layout
    left: str
    right: str
    bottom: str
    tick_x: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    series: tuple[Series, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    outside: tuple[str, ...]
    is_cut: bool


def window_chart(
    lines: Sequence[Line], *, terms: Terms, layout: Layout, frame_url: Callable[[int], str]
) -> WindowChart:
    """`lines` have a call at least; that without compression is the first."""
    levels = {"limit": float(terms.limit_tokens), "trigger": terms.trigger_tokens}
    top = _top(lines, levels)
    inside = {kind: value for kind, value in levels.items() if value <= top}
    is_cut = max(lines[0].values) > top
    named = {str(line.number): line.label if layout.has_names else line.label.split()[0] for line in lines}
    if is_cut:
        named[str(NONE)] += f" ↑ {short_number(max(lines[0].values))}"
    words = {"limit": _("limit"), "trigger": _("trigger")}
    named |= {kind: f"{words[kind]} {short_number(round(value))}" for kind, value in inside.items()}
    right = layout.width - 32 - max(width_of(text) for text in named.values())
    x = Scale(1, max(len(lines[0].run.series), 2), layout.left, right)
    y = Scale(0, top, layout.height - layout.bottom, layout.top)
    places = {str(line.number): _points(line, x, y)[-1] for line in lines}
    places |= {kind: (right, y.at(value)) for kind, value in inside.items()}
    return WindowChart(
        layout=layout,
        left=px(layout.left),
        right=px(right),
        bottom=px(y.start),
        tick_x=px(layout.left - 8),
        x_ticks=tuple(Tick(px(x.at(v)), f"{v:,.0f}") for v in _calls(x, layout.x_ticks)),
        y_ticks=tuple(
            Tick(px(y.at(v)), short_number(round(v))) for v in ticks(0, top, most=layout.y_ticks, whole=True)
        ),
        levels=tuple(Level(kind, px(y.at(value))) for kind, value in inside.items()),
        series=tuple(_series(line, x, y) for line in lines),
        marks=marks(lines, x=x, y=y, frame_url=frame_url),
        labels=_labels(named, places, right, y),
        outside=tuple(kind for kind in levels if kind not in inside),
        is_cut=is_cut,
    )


def _top(lines: Sequence[Line], levels: dict[str, float]) -> float:
    peak = max(max(line.values) for line in lines)
    others = [max(line.values) for line in lines if line.number != NONE] or [peak]
    shown = [value for value in levels.values() if value <= _FAR * peak]
    rest = max(*others, *shown, 1)
    return max(min(peak, _ABOVE * rest), rest) * 1.04


def _calls(x: Scale, most: int) -> tuple[float, ...]:
    """Ticks at round calls, and at the first: there is no call 0."""
    return (1.0, *(v for v in ticks(2, x.high, most=most, whole=True) if x.at(v) - x.start > 24))


def _series(line: Line, x: Scale, y: Scale) -> Series:
    points = _points(line, x, y)
    is_bare = line.number != NONE and not line.run.compressions
    shown = beads(line.number, points) if is_bare else ()
    return Series(line.number, line.told, path(points), tuple(Bead(px(a), px(b)) for a, b in shown))


def _points(line: Line, x: Scale, y: Scale) -> list[Point]:
    """Up to where the line leaves the picture, if it does. Only that without compression can, and it does not come
    back: what it holds grows.
    """
    inside = list(takewhile(lambda tokens: tokens <= y.high, line.values))
    shown = line.values[: len(inside) + 1]
    return [(x.at(call), y.at(tokens)) for call, tokens in enumerate(shown, start=1)]


def _labels(named: dict[str, str], places: dict[str, Point], right: float, y: Scale) -> tuple[Label, ...]:
    """In a column at the right, each as near to the end of its line as the others let it."""
    kinds = list(named)
    heights = spread([places[k][1] for k in kinds], gap=LINE, low=LINE / 2, high=y.start)
    return tuple(_label(k, named[k], places[k], right, at) for k, at in zip(kinds, heights, strict=True))


def _label(kind: str, text: str, end: Point, right: float, at: float) -> Label:
    x, y = end
    return Label(
        kind=kind,
        is_line=kind.isdigit(),
        has_shape=kind.isdigit() and kind != str(NONE),
        shape_x=px(right + 20),
        x=px(right + 30),
        y=px(at),
        text=text,
        leader=f"M{px(x)} {px(y)}L{px(right)} {px(y)}L{px(right + 12)} {px(at)}",
    )
