"""The fate strips of several candidates: the same frames in the same cells, so that a column is the same everywhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.strip import Block, StripView, strip_view, strip_word
from sessions_app import engine

CELLS: Final = 240
APART: Final = 60
"""Cells up to which a gap stands between two: a lane is no wider than a column of a table."""
FATES: Final = ("kept", "edited", "summarised", "dropped")

Run = tuple[int, int, engine.Fate]


@dataclass(frozen=True, slots=True)
class LaneBlock:
    """A rectangle of the strip, and what it says to who points at it."""

    block: Block
    title: str


@dataclass(frozen=True, slots=True)
class Lane:
    """`fates`: a hexadecimal digit for each cell, for the script that lights up a column: 1 where a frame is kept, plus
    2 for edited, 4 for summarised, 8 for dropped. `gap`: the width of a cell as a percentage; empty where cells are too
    narrow to be told apart.
    """

    blocks: tuple[LaneBlock, ...]
    fates: str
    gap: str
    strip: StripView


def lane_of(runs: Iterable[Run], *, frame_count: int) -> Lane | None:
    """`runs`: what became of each frame, as (first, last, fate). None where there is none."""
    width = _width(frame_count)
    cells = tuple(_cells(runs, frame_count, width))
    totals = {fate: sum(cell.counts[fate] for cell in cells) for fate in engine.STRIP_FATES}
    view = strip_view(engine.reads.Strip(cells, totals, width))
    if view is None:
        return None
    return Lane(
        blocks=tuple(LaneBlock(block, _title(block)) for block in view.blocks),
        fates="".join(_digit(cell) for cell in cells),
        gap=view.cell if len(cells) <= APART else "",
        strip=view,
    )


def _width(frame_count: int) -> int:
    """Frames of a cell: a power of two."""
    width = 1
    while width * CELLS < frame_count:
        width *= 2
    return width


def _cells(runs: Iterable[Run], frame_count: int, width: int) -> Iterator[engine.reads.Cell]:
    cells = [dict.fromkeys(engine.STRIP_FATES, 0) for _ in range(0, frame_count, width)]
    for first, last, fate in runs:
        at = first
        while at <= last:
            cell = (at - 1) // width
            stop = min(last, (cell + 1) * width)
            cells[cell][fate] += stop - at + 1
            at = stop + 1
    for number, counts in enumerate(cells):
        yield engine.reads.Cell(number * width + 1, min((number + 1) * width, frame_count), counts)


def _digit(cell: engine.reads.Cell) -> str:
    return f"{sum(1 << bit for bit, fate in enumerate(FATES) if cell.counts[fate]):x}"


def _title(block: Block) -> str:
    values = {"a": f"{block.first:,}", "b": f"{block.last:,}", "fate": strip_word(block.fate)}
    if block.first == block.last:
        return _("#%(a)s: %(fate)s") % values
    return _("#%(a)s–#%(b)s: %(fate)s") % values
