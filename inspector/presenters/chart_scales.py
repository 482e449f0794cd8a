"""From values to pixels: scales, and ticks at numbers that people count in."""

from dataclasses import dataclass
from math import ceil, floor, log10

_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """The values `low` to `high` on the pixels `start` to `stop`, which may run downwards."""

    low: float
    high: float
    start: float
    stop: float

    def at(self, value: float) -> float:
        """The pixel of a value; of one outside, that of the nearest end."""
        if self.high <= self.low:
            return (self.start + self.stop) / 2
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.stop - self.start)


def ticks(low: float, high: float, *, most: int, whole: bool = False) -> tuple[float, ...]:
    """At most `most` round values from `low` to `high`, at even distances. `whole`: none between two whole numbers."""
    step = _step(low, high, most, whole)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return tuple(round(n * step, 10) for n in range(first, last + 1))


def _step(low: float, high: float, most: int, whole: bool) -> float:
    """The smallest of 1, 2, 5, 10, 20 … that gives no more ticks than `most`."""
    span = max(high - low, 1e-9)
    size: float = 10.0 ** floor(log10(span / max(most - 1, 1)))
    steps = [size * s for s in (*_STEPS, *(10 * s for s in _STEPS[1:]))]
    fits = [s for s in steps if floor(high / s + 1e-9) - ceil(low / s - 1e-9) + 1 <= most]
    return max(min(fits, default=steps[-1]), 1.0 if whole else 0.0)


def px(value: float) -> str:
    """A length or a place as an attribute says it, whatever the reader's language."""
    return f"{value:.1f}".removesuffix(".0")
