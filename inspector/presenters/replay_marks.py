"""The compressions of all lines of a chart as links: one link for each place, so that none covers another."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from math import hypot
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.chart_paths import Point, apart
from inspector.presenters.chart_scales import Scale, px
from inspector.presenters.replay_lines import Line, events_told

REACH: Final = 8.0
"""The radius in which a mark is hit."""
_GROUPED: Final = 2 * REACH
_SHAPE: Final = 9.0
_BEADS_APART: Final = 120.0
_STAGGER: Final = 17.0
"""Beads of lines that lie on one another stand beside each other."""


@dataclass(frozen=True, slots=True)
class Shape:
    number: int
    x: str
    y: str
    is_broken: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """The compressions of one place, of one strategy or of several. `href`: the frame of the first."""

    href: str
    told: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class _Spot:
    """A compression of a line, or some that lie too close together to be told apart."""

    number: int
    at: Point
    seq: int
    told: str
    is_broken: bool


def marks(lines: Sequence[Line], *, x: Scale, y: Scale, frame_url: Callable[[int], str]) -> tuple[Mark, ...]:
    spots = sorted((spot for line in lines for spot in _spots(line, x, y)), key=lambda s: (s.at[0], s.number))
    return tuple(
        Mark(
            href=frame_url(min(spot.seq for spot in place)),
            told=reduce(_and, (spot.told for spot in place)),
            shapes=tuple(_fanned(place)),
        )
        for place in _places(spots)
    )


def _spots(line: Line, x: Scale, y: Scale) -> Iterator[_Spot]:
    call_of = {seq: call for call, (seq, _tokens) in enumerate(line.run.series, start=1)}
    events = [event for event in line.run.compressions if event.seq in call_of]
    for group in apart([x.at(call_of[event.seq]) for event in events], gap=_GROUPED):
        some = [events[i] for i in group]
        first = some[0]
        height = y.at(first.before if first.broken else first.after)
        is_broken = all(event.broken for event in some)
        yield _Spot(
            line.number, (x.at(call_of[first.seq]), height), first.seq, events_told(line.label, some), is_broken
        )


def _places(spots: Iterable[_Spot]) -> list[list[_Spot]]:
    """From left to right, each with what would be hit together with its first."""
    places: list[list[_Spot]] = []
    for spot in spots:
        near = (place for place in reversed(places) if _distance(place[0].at, spot.at) < 2 * REACH)
        place = next(near, None)
        if place is None:
            places.append([spot])
        else:
            place.append(spot)
    return places


def _fanned(place: Sequence[_Spot]) -> Iterator[Shape]:
    """Shapes that would lie on one another stand side by side."""
    taken: list[Point] = []
    for spot in place:
        left, top = spot.at
        while any(_distance(other, (left, top)) < _SHAPE for other in taken):
            left += _SHAPE
        taken.append((left, top))
        yield Shape(spot.number, px(left), px(top), spot.is_broken)


def beads(number: int, points: Sequence[Point]) -> tuple[Point, ...]:
    """Where a line that has no mark shows its shape."""
    if not points:
        return ()
    at, made = points[0][0] + _STAGGER * number, []
    for (a, low), (b, high) in pairwise(points):
        while a <= at < b:
            made.append((at, low + (high - low) * (at - a) / (b - a)))
            at += _BEADS_APART
    return tuple(made)


def _and(told: str, more: str) -> str:
    return _("%(told)s; %(more)s") % {"told": told, "more": more}


def _distance(a: Point, b: Point) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])
