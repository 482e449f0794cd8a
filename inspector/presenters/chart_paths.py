"""Lines of any length as paths that a screen can show: no more points than there are pixels."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from inspector.presenters.chart_scales import px

Point = tuple[float, float]

COLUMN: Final = 1.0
"""Pixels in which a line is told by its first, lowest, highest and last point."""


def path(points: Iterable[Point]) -> str:
    """What stands in `d`. A single point is a short stroke, so that it can be seen."""
    told = [f"{px(x)} {px(y)}" for x, y in thinned(points)]
    if len(told) == 1:
        return f"M{told[0]}h1"
    return "M" + "L".join(told) if told else ""


def thinned(points: Iterable[Point]) -> Iterator[Point]:
    """The points, in their order, of which `x` ascends: at most four for each column, among them its extremes."""
    for _, group in groupby(points, key=lambda point: int(point[0] / COLUMN)):
        column = list(group)
        heights = [y for _x, y in column]
        told = {0, heights.index(min(heights)), heights.index(max(heights)), len(column) - 1}
        yield from (column[i] for i in sorted(told))


def apart(places: Iterable[float], *, gap: float) -> list[list[int]]:
    """Ascending places by their numbers, in groups: each holds what stands less than `gap` behind its first."""
    groups: list[list[int]] = []
    first = 0.0
    for number, place in enumerate(places):
        if not groups or place - first >= gap:
            groups.append([])
            first = place
        groups[-1].append(number)
    return groups
