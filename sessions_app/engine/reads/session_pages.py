"""Pages of sessions, in an order that is total: a value, the largest first, and the id."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final, Literal

from django.db.models import Exists, F, OuterRef, Q, Value
from django.db.models.functions import StrIndex

from sessions_app import jsontext
from sessions_app.engine.messages import Message
from sessions_app.engine.reads.chunks import in_growing_chunks
from sessions_app.engine.search import Needle
from sessions_app.engine.state import SessionRecord, State
from sessions_app.models import RawFrame, Session, SessionQuerySet

LOOKED_AT: Final = 20_000
"""Frames of one session that are looked at, at most, to decide whether a text really is in its messages."""

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
    next: Mark | None = None


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
    value: datetime | int
    match ordering:
        case "updated":
            value = record.updated_at
        case "created":
            value = record.created_at
        case "tokens":
            value = record.state.context_tokens
    return Mark(value, record.state.session_id)


def _filtered(sessions: SessionQuerySet, wanted: SessionFilter) -> SessionQuerySet:
    if wanted.state is not None:
        sessions = sessions.filter(_in_state(wanted.state))
    if wanted.label:
        sessions = sessions.alias(labelled=StrIndex("labels", Value(jsontext.line(wanted.label)))).filter(
            labelled__gt=0
        )
    if wanted.search:
        needle = Needle(wanted.search)
        frames = RawFrame.objects.filter(needle.in_a_message, session_id=OuterRef("session_id"))
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
    frames = RawFrame.objects.filter(needle.in_a_message, session_id=row.session_id)
    candidates = in_growing_chunks(
        frames.only("seq", "message").order_by("seq"), after=lambda frame: Q(seq__gt=frame.seq), first=20, most=500
    )
    return any(needle.is_in_message(Message(frame.message)) for frame in islice(candidates, LOOKED_AT))
