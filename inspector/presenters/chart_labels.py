"""Where the labels of a chart stand, so that none lies on another."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import Final

from inspector.presenters.chart_paths import Point

LETTER: Final = 7.3
"""The width of a letter of the labels' type, which is monospaced; a little more than it has."""
LINE: Final = 16.0
"""The height of a label."""
_REACH: Final = (6.0, 14.0, 26.0, 40.0, 56.0)
"""How far from its point a label may stand, the nearest first."""


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, other: "Box") -> bool:
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def nearest(self, point: Point) -> Point:
        return min(max(point[0], self.left), self.right), min(max(point[1], self.top), self.bottom)


def width_of(label: str) -> float:
    """Of a label of ASCII letters, or of wide ones."""
    return sum(LETTER if c < "\u2e80" else 2 * LETTER for c in label)


def spread(wanted: Sequence[float], *, gap: float, low: float, high: float) -> tuple[float, ...]:
    """Places between `low` and `high`, at least `gap` apart, in the order of the wanted ones and as near to them as can
    be (least squares). Where there is no room for the gap, they share what there is.
    """
    if not wanted:
        return ()
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    levelled = _ascending([wanted[i] - rank * gap for rank, i in enumerate(order)])
    top = high - (len(wanted) - 1) * gap
    places = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        places[i] = min(max(levelled[rank], low), top) + rank * gap
    return tuple(places)


def _ascending(values: Sequence[float]) -> list[float]:
    """The nearest values that never descend: neighbours that do are replaced by their mean."""
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before = pools.pop()
            total, count = total + before[0], count + before[1]
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def placed(
    labels: Sequence[tuple[Point, str]], *, frame: Box, radius: float, lines: Iterable[tuple[Point, Point]] = ()
) -> tuple[Box, ...]:
    """A box for each label inside the frame, near its point: on no other label, and on no point, on none of `lines` and
    on no line that leads to another label where there is room beside them.
    """
    points = [Box(x - radius, y - radius, x + radius, y + radius) for (x, y), _ in labels]
    strokes = [Box(x - 2, y - 2, x + 2, y + 2) for a, b in lines for x, y in _along(a, b)]
    taken: list[Box] = []
    for number, (point, label) in enumerate(labels):
        same = [taken[i] for i in range(number) if is_same(labels[i][0], point)]
        around = (*_beside(same, width_of(label)), *_around(point, width_of(label), radius, frame))
        inside = [box for box in around if frame.holds(box)]
        free = [box for box in inside if not _meets(box, taken)] or inside
        clear = [box for box in free if not _meets(box, [*points, *strokes])]
        box = next((box for box in clear if same or not _is_crossed(box, point, taken)), (clear or free)[0])
        if not same:
            strokes += [Box(x - 2, y - 2, x + 2, y + 2) for x, y in _along(point, box.nearest(point))]
        taken.append(box)
    return tuple(taken)


def is_same(point: Point, other: Point) -> bool:
    """Whether two points look like one: then their labels stand in a column, and one line leads to all of them."""
    return hypot(point[0] - other[0], point[1] - other[1]) < 2


def _meets(box: Box, others: Iterable[Box]) -> bool:
    return any(box.meets(other) for other in others)


def _beside(boxes: Sequence[Box], width: float) -> Iterator[Box]:
    """Right below and right above the labels of the same point."""
    if boxes:
        left, low, high = boxes[0].left, max(box.bottom for box in boxes), min(box.top for box in boxes)
        yield Box(left, low, left + width, low + LINE)
        yield Box(left, high - LINE, left + width, high)


def _is_crossed(box: Box, point: Point, labels: Sequence[Box]) -> bool:
    """Whether a line that leads from the point to the box runs over a label."""
    return any(label.nearest(spot) == spot for spot in _along(point, box.nearest(point)) for label in labels)


def _around(point: Point, width: float, radius: float, frame: Box) -> Iterator[Box]:
    """Right, left, above and below at each reach, then anywhere in the frame, the nearest first."""
    x, y = point
    half, tall = width / 2, LINE / 2
    for reach in _REACH:
        side, up = radius + reach, radius + reach + tall
        for left, middle in (
            *((x + side, y), (x - side - width, y), (x - half, y - up), (x - half, y + up)),
            *((x + side, y - up), (x + side, y + up), (x - side - width, y - up), (x - side - width, y + up)),
        ):
            yield Box(left, middle - tall, left + width, middle + tall)
    lefts = range(int(frame.left) + 1, max(int(frame.right - width), int(frame.left) + 2), 12)
    tops = range(int(frame.top) + 1, max(int(frame.bottom - LINE), int(frame.top) + 2), int(LINE) // 2)
    everywhere = (Box(left, top, left + width, top + LINE) for left, top in product(lefts, tops))
    yield from sorted(everywhere, key=lambda box: _distance(box, point))


def _distance(box: Box, point: Point) -> float:
    x, y = box.nearest(point)
    return hypot(x - point[0], y - point[1])


def _along(a: Point, b: Point) -> Iterator[Point]:
    steps = max(int(hypot(b[0] - a[0], b[1] - a[1]) / 4), 1)
    for n in range(steps + 1):
        yield a[0] + (b[0] - a[0]) * n / steps, a[1] + (b[1] - a[1]) * n / steps
