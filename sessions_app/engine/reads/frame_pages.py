"""Pages of frames. Each reads about as many rows as it gives; where no index answers a filter, at most `SCAN` more."""

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
from sessions_app.engine.reads.claims import Claimed, no_message_begins_here
from sessions_app.engine.reads.text_index import text_index_exists
from sessions_app.engine.search import Needle
from sessions_app.models import RawFrame, RowsQuerySet

SCAN: Final = 20_000
"""Frames that a filter without an index looks through at most; a page that stops there says where to go on."""

LOOKED_AT: Final = 5_000
"""Candidates that an exact look is taken at, at most."""
AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class FrameFilter:
    """Which frames. All that is given must hold.

    `dropped_in`: only frames that no message of this version, which must be kept, stands for though they were written
    before it was superseded; `seqs`: only these.
    """

    role: str | None = None
    tool: str | None = None
    errors: bool = False
    search: str | None = None
    dropped_in: int | None = None
    seqs: tuple[int, ...] | None = None

    @property
    def is_empty(self) -> bool:
        return self == FrameFilter()


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Frames in ascending order. The cursors are None at the ends; with a filter they may go on past an empty page."""

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
        session_id,
        RawFrame.objects.all(),
        Frame.of,
        last_seq=last_seq,
        wanted=wanted,
        after_seq=after_seq,
        before_seq=before_seq,
        limit=limit,
    )


def page_of(
    session_id: str,
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
    scan = Scan(session_id, frames, wanted)
    if after_seq is not None:
        found, go_on = scan.up(max(after_seq, 0) + 1, last_seq, limit)
        first = found[0].seq if found else min(after_seq, last_seq) + 1
        return Page(tuple(map(value_of, found)), go_on, first if scan.any_down(first - 1) else None)
    newest = last_seq if before_seq is None else min(before_seq - 1, last_seq)
    found, go_on = scan.down(newest, limit)
    last = found[-1].seq if found else max(newest, 0)
    return Page(tuple(map(value_of, found)), last if scan.any_up(last + 1, last_seq) else None, go_on)


@dataclass(frozen=True, slots=True)
class Scan:
    """Looks through the frames of a session for those that are wanted. `frames`: what is read of them."""

    session_id: str
    frames: RowsQuerySet[Any]
    wanted: FrameFilter

    def up(self, first: int, last: int, limit: int) -> tuple[list[RawFrame], int | None]:
        """Up to `limit` hits from `first` on, and the seq after which to go on; None at the end."""
        stop = min(last, first + SCAN - 1) if self._is_bounded() else last
        hits: list[RawFrame] = []
        for frame in self._hits(first, stop, limit, is_up=True):
            if isinstance(frame, int):
                return hits, frame
            if len(hits) == limit:
                return hits, hits[-1].seq
            hits.append(frame)
        return hits, stop if stop < last else None

    def down(self, last: int, limit: int) -> tuple[list[RawFrame], int | None]:
        """Up to `limit` hits before and with `last`, ascending, and the seq before which to go on; None at the end."""
        stop = max(1, last - SCAN + 1) if self._is_bounded() else 1
        hits: list[RawFrame] = []
        for frame in self._hits(stop, last, limit, is_up=False):
            if isinstance(frame, int):
                return hits[::-1], frame
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

    def _is_bounded(self) -> bool:
        wanted = self.wanted
        if wanted.seqs is not None:
            return False
        if wanted.search:
            return not (Needle(wanted.search).has_trigram and text_index_exists())
        return not wanted.errors and bool(wanted.role or wanted.tool or wanted.dropped_in is not None)

    def _rows(self, first: int, last: int) -> RowsQuerySet[RawFrame]:
        """Those that may be wanted: a superset where a text is searched, or a window has very many ranges."""
        wanted = self.wanted
        rows = self.frames.filter(session_id=self.session_id)
        if wanted.seqs is not None:  # and no range besides: SQLite would read all of it
            rows = rows.filter(seq__in=[seq for seq in wanted.seqs if first <= seq <= last])
        else:
            rows = rows.filter(seq__gte=first, seq__lte=last)
        if wanted.role:
            rows = rows.filter(role=wanted.role)
        if wanted.errors:
            rows = rows.filter(is_error=True)
        if wanted.tool:
            rows = rows.filter(GreaterThan(StrIndex("tool_names", Value(jsontext.line(wanted.tool))), 0))
        if wanted.search:
            rows = rows.filter(Needle(wanted.search).in_a_message)
        if wanted.dropped_in is not None:
            # Later frames never were before this version, and are not dropped from it.
            rows = rows.filter(no_message_begins_here(wanted.dropped_in), context_version__lte=wanted.dropped_in)
        return rows

    def _hits(self, first: int, last: int, limit: int, *, is_up: bool) -> Iterator[RawFrame | int]:
        """One more than `limit` where there are as many, so that the caller sees whether to go on. A number instead of
        a frame: so far was looked, and no further.
        """
        wanted = self.wanted
        rows = self._rows(first, last).order_by("seq" if is_up else "-seq")
        claimed = Claimed(())
        if wanted.dropped_in is not None:
            claimed = Claimed.by_several(self.session_id, wanted.dropped_in, first=first, last=last)
            rows = rows.filter(claimed.condition())
        if not wanted.search and not claimed.ranges:
            yield from rows[: limit + 1]
            return
        needle = Needle(wanted.search) if wanted.search else None
        chunks = in_growing_chunks(rows, after=_above if is_up else _below, first=limit + 1, most=AT_ONCE)
        for looked_at, row in enumerate(chunks):
            if looked_at == LOOKED_AT:
                # A word such as the name of a member stands in every message; its text was read in vain.
                yield row.seq - 1 if is_up else row.seq + 1
                return
            if row.seq not in claimed and (needle is None or needle.is_in_message(Message(row.message))):
                yield row


def _above(frame: RawFrame) -> Q:
    return Q(seq__gt=frame.seq)


def _below(frame: RawFrame) -> Q:
    return Q(seq__lt=frame.seq)
