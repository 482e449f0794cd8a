"""What a measure must not exceed. The others are shown and not judged."""

from collections.abc import Iterator
from typing import Any, Final

GROWTH: Final = 4.6
"""A replay of four times as many frames costs at most so many times as much."""

BESIDE_MS: Final = 500
"""Nine of ten pages are there within this time while a long session is replayed in a thread beside them."""

BESIDE_SHARE: Final = 0.25
"""And no page waits for more than this part of the replay: one that did would have been blocked by it."""


def broken(figures: dict[str, Any]) -> Iterator[str]:
    """A sentence for each bar that is broken."""
    for growth in figures.get("replay", ()):
        if growth["ratio"] > GROWTH:
            short, long = growth["frames"]
            yield (
                f"{growth['strategy']}: {long:,} frames cost {growth['ratio']} times as much as {short:,}, "
                f"more than {GROWTH}."
            )
    for beside in figures.get("beside", ()):
        p90 = beside["beside"]["p90_ms"]
        if p90 > BESIDE_MS:
            yield f"{beside['database']}: p90 of a page is {p90:.0f} ms beside a replay, over {BESIDE_MS}."
        slowest, replay = beside["beside"]["max_ms"], beside["replay_s"]
        if slowest > replay * 1000 * BESIDE_SHARE:
            yield f"{beside['database']}: a page took {slowest:.0f} ms beside a replay of {replay} s."
