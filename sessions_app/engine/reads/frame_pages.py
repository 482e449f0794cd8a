"""Pages of frames. Each reads about as many rows as it gives; with a search, at most `SCAN` more."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from django.db.models import Q, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from sessions_app import jsontext
from sessions_app.engine.frames import Frame
from sessions_app.engine.messages import Message
from sessions_app.engine.reads.chunks import in_growing_chunks
from sessions_app.engine.search import Needle
from sessions_app.models import RawFrame, RowsQuerySet

SCAN: Final = 20_000
"""Frames that one search looks through at most; a page that stops there says where to go on."""


@dataclass(frozen=True, slots=True)
class FrameFilter:
    role: str | None = None
    tool: str | None = None
    errors: bool = False
    search: str | None = None

    @property
    def is_empty(self) -> bool:
        return self == FrameFilter()


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Frames in ascending order. The cursors are None at the ends; with a search they may go on past an empty page."""

    items: tuple[T, ...]
    next_after_seq: int | None
    previous_before_seq: int | None


FramesPage = Page[Frame]


def frames_page(
    session_id: str,
    *,
    last_seq: int,
    wanted: FrameFilter = FrameFilter(),
    after_seq: int | None = None,
    before_seq: int | None = None,
    limit: int = 100,
) -> FramesPage:
    """The frames after `after_seq`, or those before `before_seq`, or the last ones; `last_seq` is that of the
    session.
    """
    return page_of(
        RawFrame.objects.filter(session_id=session_id),
        Frame.of,
        last_seq=last_seq,
        wanted=wanted,
        after_seq=after_seq,
        before_seq=before_seq,
        limit=limit,
    )


def page_of(
    frames: RowsQuerySet[Any],
    value_of: Callable[[RawFrame], T],
    *,
    last_seq: int,
    wanted: FrameFilter,
    after_seq: int | None,
    before_seq: int | None,
    limit: int,
) -> Page[T]:
    """A page of the frames of one session, whatever of them is read and made of them."""
    scan = _Scan(frames, wanted)
    if after_seq is not None:
        found, go_on = scan.up(max(after_seq, 0) + 1, last_seq, limit)
        first = found[0].seq if found else min(after_seq, last_seq) + 1
        return Page(tuple(map(value_of, found)), go_on, first if scan.any_down(first - 1) else None)
    newest = last_seq if before_seq is None else min(before_seq - 1, last_seq)
    found, go_on = scan.down(newest, limit)
    last = found[-1].seq if found else max(newest, 0)
    return Page(tuple(map(value_of, found)), last if scan.any_up(last + 1, last_seq) else None, go_on)


@dataclass(frozen=True, slots=True)
class _Scan:
    frames: RowsQuerySet[Any]
    wanted: FrameFilter

    def up(self, first: int, last: int, limit: int) -> tuple[list[RawFrame], int | None]:
        """Up to `limit` hits from `first` on, and the seq after which to go on; None at the end."""
        stop = min(last, first + SCAN - 1) if self.wanted.search else last
        hits: list[RawFrame] = []
        rows = self._rows(first, stop).order_by("seq")
        for frame in self._hits(rows, limit, after=lambda frame: Q(seq__gt=frame.seq)):
            if len(hits) == limit:
                return hits, hits[-1].seq
            hits.append(frame)
        return hits, stop if stop < last else None

    def down(self, last: int, limit: int) -> tuple[list[RawFrame], int | None]:
        """Up to `limit` hits before and with `last`, ascending, and the seq before which to go on; None at the end."""
        stop = max(1, last - SCAN + 1) if self.wanted.search else 1
        hits: list[RawFrame] = []
        rows = self._rows(stop, last).order_by("-seq")
        for frame in self._hits(rows, limit, after=lambda frame: Q(seq__lt=frame.seq)):
            if len(hits) == limit:
                return hits[::-1], hits[-1].seq
            hits.append(frame)
        return hits[::-1], stop if stop > 1 else None

    def any_down(self, last: int) -> bool:
        """Whether there is a hit, or more to look through, at `last` and before."""
        if self.wanted.is_empty or last < 1:
            return last >= 1
        hits, go_on = self.down(last, 1)
        return bool(hits) or go_on is not None

    def any_up(self, first: int, last: int) -> bool:
        if self.wanted.is_empty or first > last:
            return first <= last
        hits, go_on = self.up(first, last, 1)
        return bool(hits) or go_on is not None

    def _rows(self, first: int, last: int) -> RowsQuerySet[RawFrame]:
        wanted = self.wanted
        rows = self.frames.filter(seq__gte=first, seq__lte=last)
        if wanted.role:
            rows = rows.filter(role=wanted.role)
        if wanted.errors:
            rows = rows.filter(is_error=True)
        if wanted.tool:
            rows = rows.filter(GreaterThan(StrIndex("tool_names", Value(jsontext.line(wanted.tool))), 0))
        if wanted.search:
            rows = rows.filter(message__matches_pattern=Needle(wanted.search).json_pattern)
        return rows

    def _hits(self, rows: RowsQuerySet[RawFrame], limit: int, *, after: Callable[[RawFrame], Q]) -> Iterator[RawFrame]:
        """One more than `limit` where there are as many, so that the caller sees whether to go on."""
        if not self.wanted.search:
            yield from rows[: limit + 1]
            return
        needle = Needle(self.wanted.search)
        for row in in_growing_chunks(rows, after=after, first=limit + 1):
            if needle.is_in_message(Message(row.message)):
                yield row
