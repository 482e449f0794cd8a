"""Pages of frames and of sessions. Each reads about as many rows as it gives."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from django.db.models import Exists, F, OuterRef, Q, Value
from django.db.models.functions import StrIndex

from sessions_app.engine import jsontext
from sessions_app.engine.frames import Frame
from sessions_app.engine.messages import Message
from sessions_app.engine.search import Needle
from sessions_app.engine.state import SessionRecord, State
from sessions_app.models import RawFrame, RowsQuerySet, Session, SessionQuerySet

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


@dataclass(frozen=True, slots=True)
class FramesPage:
    """Frames in ascending order. The cursors are None at the ends; with a search they may go on past an empty page."""

    items: tuple[Frame, ...]
    next_after_seq: int | None
    previous_before_seq: int | None


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
    scan = _Scan(session_id, wanted)
    if after_seq is not None:
        found, go_on = scan.up(max(after_seq, 0) + 1, last_seq, limit)
        first = found[0].seq if found else min(after_seq, last_seq) + 1
        return FramesPage(tuple(found), go_on, first if scan.any_down(first - 1) else None)
    newest = last_seq if before_seq is None else min(before_seq - 1, last_seq)
    found, go_on = scan.down(newest, limit)
    last = found[-1].seq if found else max(newest, 0)
    return FramesPage(tuple(found), last if scan.any_up(last + 1, last_seq) else None, go_on)


@dataclass(frozen=True, slots=True)
class _Scan:
    session_id: str
    wanted: FrameFilter

    def up(self, first: int, last: int, limit: int) -> tuple[list[Frame], int | None]:
        """Up to `limit` hits from `first` on, and the seq after which to go on; None at the end."""
        stop = min(last, first + SCAN - 1) if self.wanted.search else last
        hits: list[Frame] = []
        for frame in self._hits(self._rows(first, stop).order_by("seq"), limit):
            if len(hits) == limit:
                return hits, hits[-1].seq
            hits.append(frame)
        return hits, stop if stop < last else None

    def down(self, last: int, limit: int) -> tuple[list[Frame], int | None]:
        """Up to `limit` hits before and with `last`, ascending, and the seq before which to go on; None at the end."""
        stop = max(1, last - SCAN + 1) if self.wanted.search else 1
        hits: list[Frame] = []
        for frame in self._hits(self._rows(stop, last).order_by("-seq"), limit):
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
        rows = RawFrame.objects.filter(session_id=self.session_id, seq__gte=first, seq__lte=last)
        if wanted.role:
            rows = rows.filter(role=wanted.role)
        if wanted.errors:
            rows = rows.filter(is_error=True)
        if wanted.tool:
            rows = rows.alias(named=StrIndex("tool_names", Value(jsontext.line(wanted.tool)))).filter(named__gt=0)
        if wanted.search:
            rows = rows.filter(message__matches_pattern=Needle(wanted.search).json_pattern)
        return rows

    def _hits(self, rows: RowsQuerySet[RawFrame], limit: int) -> Iterator[Frame]:
        """One more than `limit` where there are as many, so that the caller sees whether to go on."""
        if not self.wanted.search:
            yield from (Frame.of(row) for row in rows[: limit + 1])
            return
        needle = Needle(self.wanted.search)
        for row in rows.iterator(chunk_size=limit + 1):
            if needle.is_in_message(Message(row.message)):
                yield Frame.of(row)


Ordering = Literal["updated", "created", "tokens"]
_COLUMN: Final[dict[Ordering, str]] = {"updated": "updated_at", "created": "created_at", "tokens": "context_tokens"}


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a page of sessions ends: the value that it is ordered by, and the id that breaks ties."""

    value: datetime | int
    session_id: str


@dataclass(frozen=True, slots=True)
class SessionFilter:
    search: str | None = None
    state: State | None = None
    label: str | None = None
    ordering: Ordering = "updated"


@dataclass(frozen=True, slots=True)
class SessionsPage:
    items: tuple[SessionRecord, ...]
    next: Mark | None = field(default=None)


def sessions_page(
    sessions: SessionQuerySet, *, wanted: SessionFilter = SessionFilter(), after: Mark | None = None, limit: int = 50
) -> SessionsPage:
    """The largest values first, ties by id. `sessions`: those that the reader may see. Reads no message but for a
    search.
    """
    column = _COLUMN[wanted.ordering]
    rows = _filtered(sessions, wanted).order_by(F(column).desc(), "session_id")
    found: list[SessionRecord] = []
    while len(found) <= limit:
        if after is not None:
            # Two conditions, so that the index on the column bounds the scan.
            rest = Q(**{f"{column}__lt": after.value}) | Q(session_id__gt=after.session_id)
            page = rows.filter(rest, **{f"{column}__lte": after.value})[: limit + 1]
        else:
            page = rows[: limit + 1]
        batch = list(page)
        found += [SessionRecord.of(row) for row in batch if _really_matches(row, wanted.search)]
        if len(batch) <= limit:
            break
        after = Mark(getattr(batch[-1], column), batch[-1].session_id)
    items = tuple(found[:limit])
    return SessionsPage(items, _mark(items[-1], wanted.ordering) if len(found) > limit else None)


def _mark(record: SessionRecord, ordering: Ordering) -> Mark:
    values = {
        "updated": record.updated_at,
        "created": record.created_at,
        "tokens": record.state.context_tokens,
    }
    return Mark(values[ordering], record.state.session_id)


def _filtered(sessions: SessionQuerySet, wanted: SessionFilter) -> SessionQuerySet:
    if wanted.state is not None:
        sessions = sessions.filter(_in_state(wanted.state))
    if wanted.label:
        sessions = sessions.alias(labelled=StrIndex("labels", Value(jsontext.line(wanted.label)))).filter(
            labelled__gt=0
        )
    if wanted.search:
        needle = Needle(wanted.search)
        frames = RawFrame.objects.filter(
            session_id=OuterRef("session_id"), message__matches_pattern=needle.json_pattern
        )
        sessions = sessions.filter(
            Q(title__matches_pattern=needle.pattern)
            | Q(session_id__matches_pattern=needle.pattern)
            | Q(labels__matches_pattern=needle.json_pattern)
            | Exists(frames)
        )
    return sessions


def _in_state(state: State) -> Q:
    open_calls = ~Q(open_calls="[]")
    match state:
        case State.AWAITING_TOOLS:
            return open_calls
        case State.EMPTY:
            return ~open_calls & Q(tail_role="")
        case State.SETTLED:
            return ~open_calls & Q(tail_role="assistant")
    return ~open_calls & ~Q(tail_role__in=["", "assistant"])


def _really_matches(row: Session, search: str | None) -> bool:
    if not search:
        return True
    needle = Needle(search)
    if any(needle.is_in(text) for text in (row.title, row.session_id, *jsontext.unescape_lines(row.labels))):
        return True
    frames = RawFrame.objects.filter(session_id=row.session_id, message__matches_pattern=needle.json_pattern)
    messages = frames.order_by("seq").values_list("message", flat=True)[:SCAN]
    return any(needle.is_in_message(Message(text)) for text in messages.iterator(chunk_size=50))
