"""The fate strip: the whole session in one line, a cell a frame, or some frames a cell where it is long."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sessions_app.engine.fate_bins import MOST, FateBins, bins_for, width_for
from sessions_app.engine.fates import FATES

CELLS: Final = 240
STRIP_FATES: Final = (*FATES, "recovery", "later")
"""`recovery`: kept, and written by the engine in the place of a reply. `later`: came after the view."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The frames `first` to `last`, both included, and how many of them became what: a number for each of
    `STRIP_FATES`.
    """

    first: int
    last: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Strip:
    """`width`: the frames of a cell, a power of two; the last cell may have fewer."""

    cells: tuple[Cell, ...]
    totals: dict[str, int]
    width: int


def strip_of_bins(bins: FateBins, *, cells: int = CELLS, recovered: Iterable[int] = ()) -> Strip:
    """The strip of a version at the moment it is published. `recovered`: its recovery frames that are kept."""
    draft = StripDraft(bins.frame_count, at_most=cells)
    draft.add_bins(bins)
    for seq in recovered:
        draft.move(draft.cell_of(seq), "kept", "recovery")
    return draft.strip()


class StripDraft:
    """A strip on which frames are counted. Cells are numbered from 0."""

    def __init__(self, frame_count: int, *, at_most: int) -> None:
        # No finer than the bins of all frames would be: what is in one bin cannot be told apart any more.
        self.width = width_for(frame_count, at_most=min(at_most, MOST))
        self._frame_count = frame_count
        self._counts = [dict.fromkeys(STRIP_FATES, 0) for _ in range(bins_for(frame_count, self.width))]

    def cell_of(self, seq: int) -> int:
        return (seq - 1) // self.width

    def add_bins(self, bins: FateBins) -> None:
        for at, counts in enumerate(bins):
            cell = self._counts[at * bins.width // self.width]
            for fate, count in zip(FATES, counts, strict=True):
                cell[fate] += count

    def add(self, first: int, last: int, fate: str) -> None:
        """All frames from `first` to `last`."""
        while first <= last:
            cell = self.cell_of(first)
            stop = min(last, (cell + 1) * self.width)
            self._counts[cell][fate] += stop - first + 1
            first = stop + 1

    def move(self, cell: int, before: str, after: str, count: int = 1) -> None:
        self._counts[cell][before] -= count
        self._counts[cell][after] += count

    def strip(self) -> Strip:
        cells = tuple(
            Cell(at * self.width + 1, min((at + 1) * self.width, self._frame_count), counts)
            for at, counts in enumerate(self._counts)
        )
        totals = {fate: sum(counts[fate] for counts in self._counts) for fate in STRIP_FATES}
        return Strip(cells, totals, self.width)
