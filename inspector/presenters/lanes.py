"""The fate strips of several candidates: the same frames in the same cells, so that a column is the same everywhere."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.strip import Block, Key, StripView, strip_view, strip_word
from sessions_app import engine

CELLS: Final = 240
APART: Final = 60
"""Cells up to which a gap stands between two: a lane is no wider than a column of a table."""
FATES: Final = ("kept", "edited", "summarised", "dropped", "recovery", "gone")
"""`gone`: what no message of the window before stands for, and so no candidate drops."""

Run = tuple[int, int, engine.Fate]


@dataclass(frozen=True, slots=True)
class LaneBlock:
    """A rectangle of the strip, and what it says to who points at it."""

    block: Block
    title: str


@dataclass(frozen=True, slots=True)
class Lane:
    """`fates`: two hexadecimal digits for each cell, for the script that lights up a column: a bit for each of FATES,
    in their order. `gap`: the width of a cell as a percentage; empty where cells are too narrow to be told apart.
    `counts`: frames of each fate.
    """

    blocks: tuple[LaneBlock, ...]
    fates: str
    gap: str
    strip: StripView
    counts: dict[str, int]


def lane_of(
    runs: Sequence[Run], *, frame_count: int, before: Sequence[Run] = (), recovery: Iterable[int] = ()
) -> Lane | None:
    """`runs`: what became of each frame, as (first, last, fate); `before`: until now. None where there is none."""
    width = _width(frame_count)
    cells = tuple(_cells([*_without(runs, before), *_recovered(runs, recovery)], frame_count, width))
    totals = {fate: sum(cell.counts[fate] for cell in cells) for fate in FATES}
    view = strip_view(engine.reads.Strip(cells, totals, width))
    if view is None:
        return None
    return Lane(
        blocks=tuple(LaneBlock(_drawn(block), _title(block)) for block in view.blocks),
        fates="".join(_digits(cell) for cell in cells),
        gap=view.cell if len(cells) <= APART else "",
        strip=view,
        counts=totals,
    )


def lane_keys(lanes: Sequence[Lane]) -> tuple[Key, ...]:
    """What the strips' colours mean; how many frames there are of each, from the fewest in a strip to the most."""
    return tuple(
        Key(fate, strip_word(fate), _from_to([lane.counts[fate] for lane in lanes]))
        for fate in FATES
        if fate not in ("recovery", "gone") or any(lane.counts[fate] for lane in lanes)
    )


def _from_to(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _width(frame_count: int) -> int:
    """Frames of a cell: a power of two."""
    width = 1
    while width * CELLS < frame_count:
        width *= 2
    return width


def _without(runs: Sequence[Run], before: Sequence[Run]) -> Iterator[tuple[int, int, str, int]]:
    """The runs as (first, last, fate, times), with what was dropped before taken out of what is dropped."""
    gone = [(first, last) for first, last, fate in before if fate == "dropped"]
    for first, last, fate in runs:
        yield first, last, fate, 1
        for start, stop in _overlaps(first, last, gone) if fate == "dropped" else ():
            yield start, stop, "dropped", -1
            yield start, stop, "gone", 1


def _recovered(runs: Sequence[Run], recovery: Iterable[int]) -> Iterator[tuple[int, int, str, int]]:
    """Recovery frames that are kept are told as such, as in the strip of a session."""
    kept = [(first, last) for first, last, fate in runs if fate == "kept"]
    for seq in recovery:
        for first, last in _overlaps(seq, seq, kept):
            yield first, last, "kept", -1
            yield first, last, "recovery", 1


def _overlaps(first: int, last: int, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What `first` to `last` has in common with each of `spans`, which are in order and apart."""
    for start, stop in islice(spans, bisect_left(spans, first, key=itemgetter(1)), None):
        if start > last:
            return
        yield max(first, start), min(last, stop)


def _cells(runs: Iterable[tuple[int, int, str, int]], frame_count: int, width: int) -> Iterator[engine.reads.Cell]:
    cells = [dict.fromkeys(FATES, 0) for _ in range(0, frame_count, width)]
    for first, last, fate, times in runs:
        at = first
        while at <= last:
            cell = (at - 1) // width
            stop = min(last, (cell + 1) * width)
            cells[cell][fate] += times * (stop - at + 1)
            at = stop + 1
    for number, counts in enumerate(cells):
        yield engine.reads.Cell(number * width + 1, min((number + 1) * width, frame_count), counts)


def _digits(cell: engine.reads.Cell) -> str:
    return f"{sum(1 << bit for bit, fate in enumerate(FATES) if cell.counts[fate]):02x}"


def _drawn(block: Block) -> Block:
    """What was dropped before is a hairline at the foot of its place."""
    if block.fate != "gone":
        return block
    return replace(block, y=f"{float(block.y) + float(block.height) - 1:g}", height="1")


def _title(block: Block) -> str:
    values = {"a": f"{block.first:,}", "b": f"{block.last:,}", "fate": strip_word(block.fate)}
    if block.first == block.last:
        return _("#%(a)s: %(fate)s") % values
    return _("#%(a)s–#%(b)s: %(fate)s") % values
