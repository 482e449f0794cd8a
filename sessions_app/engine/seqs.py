"""Frame numbers as ranges: what `original_seqs` holds. A summary of 90,000 frames is one range, not a list."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Seqs:
    """A non-empty ascending set of frame numbers; `ranges` are (first, last), both included, apart by more than one."""

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def one(cls, seq: int) -> Self:
        return cls(((seq, seq),))

    @classmethod
    def of(cls, seqs: Iterable[int]) -> Self:
        return cls(_merged((s, s) for s in seqs))

    @classmethod
    def union(cls, parts: "Iterable[Seqs]") -> Self:
        return cls(_merged(r for part in parts for r in part.ranges))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the stored form, `2-97,103`."""
        if text.isdecimal():  # most are: a window of thousands of messages is read by this
            return cls.one(int(text))
        ranges = []
        for part in text.split(","):
            first, _, last = part.partition("-")
            ranges.append((int(first), int(last or first)))
        return cls(tuple(ranges))

    def __str__(self) -> str:
        return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in self.ranges)

    @property
    def first(self) -> int:
        return self.ranges[0][0]

    @property
    def last(self) -> int:
        return self.ranges[-1][1]

    def __len__(self) -> int:
        return sum(b - a + 1 for a, b in self.ranges)

    def __iter__(self) -> Iterator[int]:
        for a, b in self.ranges:
            yield from range(a, b + 1)

    def __contains__(self, seq: int) -> bool:
        return any(a <= seq <= b for a, b in self.ranges)

    def overlaps(self, first: int, last: int) -> bool:
        """Whether any number from `first` to `last` is among them."""
        return any(a <= last and first <= b for a, b in self.ranges)

    def with_seq(self, seq: int) -> "Seqs":
        return Seqs.union((self, Seqs.one(seq)))

    def below(self, seq: int) -> "Seqs | None":
        """Those smaller than `seq`; None where there is none."""
        ranges = tuple((a, min(b, seq - 1)) for a, b in self.ranges if a < seq)
        return Seqs(ranges) if ranges else None


def _merged(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)
