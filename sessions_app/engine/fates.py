"""What becomes of a frame under a version of the window: the words, and how a message's kind leads to them."""

from collections.abc import Iterator
from typing import Literal

from sessions_app.engine.window import ContextItem, Kind, Window

Fate = Literal["kept", "edited", "summarised", "dropped"]
FATES: tuple[Fate, ...] = ("kept", "edited", "summarised", "dropped")
_FATE_OF_KIND: dict[Kind, Fate] = {"original": "kept", "edited": "edited", "summary": "summarised"}


def fate_of(item: ContextItem) -> Fate:
    return _FATE_OF_KIND[item.kind]


def fate_of_kind(kind: str) -> Fate:
    return _FATE_OF_KIND[kind]  # type: ignore[index]


def fate_runs(window: Window, *, frame_count: int) -> Iterator[tuple[int, int, Fate]]:
    """What became of the frames 1 to `frame_count`, as runs (first, last, fate). Cost: that of the window."""
    claims = sorted((first, last, fate_of(item)) for item in window for first, last in item.original_seqs.ranges)
    run: tuple[int, int, Fate] | None = None
    for first, last, fate in _with_gaps(claims, frame_count):
        if run is not None and run[2] == fate:
            run = run[0], last, fate
            continue
        if run is not None:
            yield run
        run = first, last, fate
    if run is not None:
        yield run


def _with_gaps(claims: list[tuple[int, int, Fate]], frame_count: int) -> Iterator[tuple[int, int, Fate]]:
    """What no message claims is dropped."""
    expected = 1
    for first, last, fate in claims:
        if first > expected:
            yield expected, first - 1, "dropped"
        yield first, last, fate
        expected = last + 1
    if expected <= frame_count:
        yield expected, frame_count, "dropped"
