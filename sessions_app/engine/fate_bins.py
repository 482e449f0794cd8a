"""What became of all frames under one version of the window, small enough to be stored with it and drawn in one line.

A summary of 90,000 frames is one range of them: nothing here walks from frame to frame.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Final, NamedTuple, Self

from sessions_app import jsontext
from sessions_app.engine.fates import FATES, Fate, fate_of
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.window import Window

MOST: Final = 512
"""Bins of one version: twice what a line on a screen has cells for."""

_CLAIMED: Final = FATES[:-1]
"""What a message says of its frames. Frames that no message claims are dropped."""


class Run(NamedTuple):
    """Neighbouring bins of which the same is told; the rest of each bin is dropped."""

    bins: int
    kept: int
    edited: int
    summarised: int


@dataclass(frozen=True, slots=True)
class FateBins:
    """What became of the frames 1 to `frame_count` when the version was published, in bins of `width` frames."""

    frame_count: int
    runs: tuple[Run, ...]

    @classmethod
    def of(cls, window: Window, *, frame_count: int) -> Self:
        """Cost: that of the window and of the bins."""
        return cls.claimed(((fate_of(item), item.original_seqs) for item in window), frame_count=frame_count)

    @classmethod
    def claimed(cls, claims: Iterable[tuple[Fate, Seqs]], *, frame_count: int) -> Self:
        """From the frames that each message of a window stands for; no frame is claimed twice."""
        width = width_for(frame_count, at_most=MOST)
        length = bins_for(frame_count, width)
        counts = {fate: _Ranges(length, width) for fate in _CLAIMED}
        for fate, seqs in claims:
            for first, last in seqs.ranges:
                counts[fate].add(first, last)
        columns = zip(*(counts[fate].per_bin() for fate in _CLAIMED), strict=True)
        return cls(frame_count, tuple(Run(len(list(same)), *claimed) for claimed, same in groupby(columns)))

    @property
    def width(self) -> int:
        """A power of two."""
        return width_for(self.frame_count, at_most=MOST)

    def __iter__(self) -> Iterator[tuple[int, int, int, int]]:
        """Bin after bin the frames by what became of them, in the order of `FATES`."""
        width, missing = self.width, self.frame_count
        for bins, *claimed in self.runs:
            kept, edited, summarised = claimed
            for _ in range(bins):
                frames = min(width, missing)
                yield kept, edited, summarised, frames - sum(claimed)
                missing -= frames

    @property
    def totals(self) -> dict[str, int]:
        claimed: dict[str, int] = {
            fate: sum(run.bins * run[at] for run in self.runs) for at, fate in enumerate(_CLAIMED, start=1)
        }
        return {**claimed, "dropped": self.frame_count - sum(claimed.values())}

    def dump(self) -> str:
        """The stored form: the number of frames, then the runs."""
        return jsontext.dumps([self.frame_count, *map(list, self.runs)])

    @classmethod
    def parse(cls, text: str) -> Self:
        frame_count, *runs = json.loads(text)
        return cls(frame_count, tuple(Run(*run) for run in runs))


def width_for(frames: int, *, at_most: int) -> int:
    """The smallest power of two so that bins of that many frames are not more than `at_most`."""
    return 1 << max(0, bins_for(frames, at_most) - 1).bit_length()


def bins_for(frames: int, width: int) -> int:
    return -(-frames // width)


class _Ranges:
    """Counts the frames of ranges in each bin. A range costs the same whatever its length."""

    def __init__(self, length: int, width: int) -> None:
        self._width = width
        self._parts = [0] * length
        """Frames of bins that a range takes a part of."""
        self._whole = [0] * (length + 1)
        """Where ranges of whole bins begin, and where they end."""

    def add(self, first: int, last: int) -> None:
        (begin, skipped), (end, taken) = divmod(first - 1, self._width), divmod(last, self._width)
        if begin == end:
            self._parts[begin] += last - first + 1
            return
        self._parts[begin] -= skipped
        self._whole[begin] += 1
        self._whole[end] -= 1
        if taken:
            self._parts[end] += taken

    def per_bin(self) -> list[int]:
        whole = accumulate(self._whole[:-1])
        return [parts + bins * self._width for parts, bins in zip(self._parts, whole, strict=True)]
