"""The second chart of a replay: what each strategy costs, and how much of what was needed it keeps."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, inf
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.chart_labels import LETTER, Box, is_same, placed, width_of
from inspector.presenters.chart_paths import Point
from inspector.presenters.chart_scales import Scale, px, ticks
from inspector.presenters.replay_chart import Layout, Tick
from inspector.presenters.replay_lines import NONE, Line, share, times

WIDE: Final = Layout("wide", 560, 400, 48, 7, 6, has_names=True)
MIDDLE: Final = Layout("middle", 400, 400, 50, 5, 6, has_names=True)
NARROW: Final = Layout("narrow", 366, 340, 50, 5, 6, has_names=True)
_RADIUS: Final = 8.0
_PADDING: Final = 0.08
"""Of what the points take up, on each side: their shapes are whole."""
_FAN: Final = 12.0
"""How far apart points stand that would cover one another."""
_NEAR: Final = 7.0
"""At what distance they would."""
_SIGN: Final = "  "
"""The room of the shape before a label."""


@dataclass(frozen=True, slots=True)
class Place:
    """A strategy as a point with its label. `leader` is empty where the label stands right beside it. `is_over`: some
    of its calls are over the limit.
    """

    number: int
    told: str
    is_front: bool
    is_over: bool
    x: str
    y: str
    label: str
    sign_x: str
    label_x: str
    label_y: str
    leader: str


@dataclass(frozen=True, slots=True)
class CostChart:
    """`is_far`: the height is far need; else nothing was needed from far back, and it is all need."""

    layout: Layout
    left: str
    right: str
    bottom: str
    tick_x: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    places: tuple[Place, ...]
    front: str
    has_front: bool
    is_far: bool


def cost_chart(lines: Sequence[Line], *, layout: Layout) -> CostChart | None:
    """None where there is nothing to draw: no need at all, or no cost."""
    is_far = any(line.run.totals.far_need for line in lines)
    found = [(line, point) for line in lines if (point := _values(line, is_far=is_far)) is not None]
    if not found:
        return None
    right, low = layout.width - 20.0, layout.height - layout.bottom
    x = _scale([cost for _line, (cost, _kept) in found], layout.left, right, room=0.1)
    y = _scale([kept for _line, (_cost, kept) in found], low, layout.top, room=0.1, most=1)
    points = [(x.at(cost), y.at(kept)) for _line, (cost, kept) in found]
    front = sorted({point for (line, _), point in zip(found, points, strict=True) if line.run.is_pareto})
    shown = _fanned(points, layout.left, right)
    boxes = placed(
        [(point, _SIGN + line.label) for (line, _), point in zip(found, points, strict=True)],
        frame=Box(layout.left + 4, layout.top - 12, layout.width, low - 2),
        radius=_RADIUS,
        lines=list(pairwise(front)),
    )
    return CostChart(
        layout=layout,
        left=px(layout.left),
        right=px(right),
        bottom=px(low),
        tick_x=px(layout.left - 8),
        x_ticks=tuple(Tick(px(x.at(v)), times(v)) for v in ticks(x.low, x.high, most=layout.x_ticks)),
        y_ticks=tuple(
            Tick(px(y.at(v)), f"{100 * v:.3g} %") for v in ticks(y.low, y.high, most=layout.y_ticks) if v <= 1
        ),
        places=tuple(
            _place(line, point, box, is_far=is_far, is_led=not any(is_same(points[n], p) for p in points[:n]))
            for n, ((line, _), point, box) in enumerate(zip(found, shown, boxes, strict=True))
        ),
        front="M" + "L".join(f"{px(a)} {px(b)}" for a, b in front) if len(front) > 1 else "",
        has_front=any(line.run.is_pareto for line, _ in found if line.number != NONE),
        is_far=is_far,
    )


def _values(line: Line, *, is_far: bool) -> Point | None:
    totals = line.run.totals
    kept = totals.far_need_kept if is_far else totals.need_kept
    if totals.relative_cost is None or kept is None or line.run.unavailable:
        return None
    return totals.relative_cost, kept


def _fanned(points: Sequence[Point], left: float, right: float) -> list[Point]:
    """Points that would cover one another stand side by side around their middle, inside the picture."""
    groups: list[list[int]] = []
    for n, point in enumerate(points):
        near = (
            group for group in groups if hypot(points[group[0]][0] - point[0], points[group[0]][1] - point[1]) < _NEAR
        )
        group = next(near, None)
        if group is None:
            groups.append([n])
        else:
            group.append(n)
    shown = list(points)
    for group in groups:
        half = _FAN * (len(group) - 1) / 2
        middle = min(max(sum(points[n][0] for n in group) / len(group), left + half), right - half)
        for place, n in enumerate(group):
            shown[n] = (middle - half + _FAN * place, points[n][1])
    return shown


def _scale(values: Sequence[float], start: float, stop: float, *, room: float, most: float = inf) -> Scale:
    """As wide as the values, and never so narrow that what is nearly the same looks far apart. `most`: what no value is
    above.
    """
    span = max(max(values) - min(values), room)
    high = min((min(values) + max(values) + span) / 2, most)
    return Scale(max(0.0, high - span * (1 + _PADDING)), high + span * _PADDING, start, stop)


def _place(line: Line, point: Point, box: Box, *, is_far: bool, is_led: bool) -> Place:
    """`is_led`: no other label stands for the same point already."""
    near = box.nearest(point)
    far_off = abs(near[0] - point[0]) + abs(near[1] - point[1]) > 2.5 * _RADIUS
    return Place(
        number=line.number,
        told=_told(line, is_far),
        is_front=line.run.is_pareto and line.number != NONE,
        is_over=bool(line.run.totals.over_limit),
        x=px(point[0]),
        y=px(point[1]),
        label=line.label,
        sign_x=px(box.left + LETTER),
        label_x=px(box.left + width_of(_SIGN) + LETTER / 10),
        label_y=px((box.top + box.bottom) / 2),
        leader=f"M{px(point[0])} {px(point[1])}L{px(near[0])} {px(near[1])}" if is_led and far_off else "",
    )


def _told(line: Line, is_far: bool) -> str:
    totals = line.run.totals
    kept = totals.far_need_kept if is_far else totals.need_kept
    values = {"name": line.label, "cost": times(totals.relative_cost), "kept": share(kept)}
    told = (
        _("%(name)s: cost %(cost)s, far need kept %(kept)s")
        if is_far
        else _("%(name)s: cost %(cost)s, need kept %(kept)s")
    ) % values
    if line.run.is_pareto and line.number != NONE:
        told = _("%(told)s, on the Pareto front") % {"told": told}
    if n := totals.over_limit:
        over = ngettext("it is over the limit in %(n)s call", "it is over the limit in %(n)s calls", n) % {"n": n}
        told = _("%(told)s; %(more)s") % {"told": told, "more": over}
    return told
