"""Sets of record numbers: a file of 32 MiB may have sixteen million records, which as a plain set take a gigabyte."""

from collections.abc import Iterable, Iterator, MutableSet
from collections.abc import Set as AbstractSet

_BITS = 12
_LOW = (1 << _BITS) - 1


class RecordNumbers(MutableSet[int]):
    """A bit a number, in blocks: small where the numbers are dense, and no larger than a set where they are not."""

    __slots__ = ("_blocks",)

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._blocks: dict[int, int] = {}
        for number in numbers:
            self.add(number)

    def add(self, value: int) -> None:
        block = value >> _BITS
        self._blocks[block] = self._blocks.get(block, 0) | 1 << (value & _LOW)

    def discard(self, value: int) -> None:
        block = value >> _BITS
        if block in self._blocks:
            self._blocks[block] &= ~(1 << (value & _LOW))

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and bool(self._blocks.get(value >> _BITS, 0) >> (value & _LOW) & 1)

    def __iter__(self) -> Iterator[int]:
        for block in sorted(self._blocks):
            bits = self._blocks[block]
            while bits:
                lowest = bits & -bits
                yield (block << _BITS) + lowest.bit_length() - 1
                bits ^= lowest

    def __len__(self) -> int:
        return sum(bits.bit_count() for bits in self._blocks.values())

    def __and__(self, other: AbstractSet[int]) -> "RecordNumbers":
        theirs, both = _blocks_of(other), RecordNumbers()
        both._blocks = {block: bits & theirs.get(block, 0) for block, bits in self._blocks.items()}
        return both

    def __sub__(self, other: AbstractSet[int]) -> "RecordNumbers":
        theirs, rest = _blocks_of(other), RecordNumbers()
        rest._blocks = {block: bits & ~theirs.get(block, 0) for block, bits in self._blocks.items()}
        return rest

    def __repr__(self) -> str:
        return f"RecordNumbers({list(self)})"


def _blocks_of(numbers: AbstractSet[int]) -> dict[int, int]:
    return numbers._blocks if isinstance(numbers, RecordNumbers) else RecordNumbers(numbers)._blocks
