"""One message as a whole: its text, its calls, its exact JSON. For the pages of a frame and of a context message."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.urls import reverse

from inspector.presenters.marks import FateMark, Links, Origins, fate_mark, origins
from inspector.presenters.shown import Link, Moment, Number, text
from inspector.view_state import ViewState
from sessions_app import engine, jsontext

LONGEST: Final = 200_000
"""Characters of a text that is shown beside its JSON, which is always whole."""


@dataclass(frozen=True, slots=True)
class WholeCall:
    id: str
    name: str
    arguments: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class WholeMessage:
    """`json`: the message as JSON, or the stored text where that is none."""

    role: str
    body: str
    is_cut: bool
    calls: tuple[WholeCall, ...]
    tool_call_id: str
    json: str
    is_damaged: bool


@dataclass(frozen=True, slots=True)
class FateLine:
    version: int
    href: str
    is_kept: bool
    mark: FateMark | None


@dataclass(frozen=True, slots=True)
class FramePage:
    session_id: str
    title: str
    back: str
    seq: int
    source: str
    tools: str
    is_late: bool
    recovery: Link | None
    message: WholeMessage
    metadata: str
    tokens: Number
    at: Moment
    version: Link
    reply_to: Link | None
    replies: tuple[Link, ...]
    fates: tuple[FateLine, ...]
    previous: str
    next: str
    saw: str


@dataclass(frozen=True, slots=True)
class ContextMessagePage:
    session_id: str
    title: str
    back: str
    version: int
    at_seq: int | None
    position: int
    kind: str
    message: WholeMessage
    tokens: Number
    origins: Origins


def whole_message(message: engine.Message, open_ids: frozenset[str] = frozenset()) -> WholeMessage:
    try:
        if not message.is_damaged:
            return _whole(message, open_ids)
    except (KeyError, TypeError, AttributeError):
        pass  # JSON, but none that the engine lets in.
    return WholeMessage("", "", False, (), "", text(message.text), True)


def _whole(message: engine.Message, open_ids: frozenset[str]) -> WholeMessage:
    body = message.body
    return WholeMessage(
        role=text(message.role, limit=40),
        body=text(body[:LONGEST]),
        is_cut=len(body) > LONGEST,
        calls=tuple(
            WholeCall(text(c.id), text(c.name), text(_pretty_text(c.arguments)), c.id in open_ids)
            for c in message.calls
        ),
        tool_call_id=text(message.tool_call_id or ""),
        json=pretty(message.data),
        is_damaged=False,
    )


def pretty(value: Any) -> str:
    """JSON to read. What UTF-8 cannot carry stays escaped, so that a copy of it is exact."""
    written = json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in written)


def _pretty_text(arguments: str) -> str:
    """Arguments laid out where they are JSON, as they are where not: a stream that was cut leaves any text."""
    try:
        return pretty(jsontext.loads(arguments))
    except engine.MalformedJSON:
        return arguments


def frame_page(
    record: engine.SessionRecord,
    frame: engine.Frame,
    *,
    fates: list[engine.reads.FrameFate],
    replies: tuple[int, ...],
    now: datetime,
) -> FramePage:
    session_id, state = record.state.session_id, record.state
    view = ViewState(session_id)
    links = Links(view, frozenset(), frozenset())
    open_ids = frozenset(c.id for c in state.open_calls if c.seq == frame.seq)
    return FramePage(
        session_id=session_id,
        title=text(record.title),
        back=view.frame_url(frame.seq),
        seq=frame.seq,
        source="" if frame.source == "agent" else frame.source,
        tools=", ".join(text(name) for name in frame.tool_names),
        is_late=frame.recovery_seq is not None,
        recovery=_to_frame(session_id, frame.recovery_seq),
        message=whole_message(frame.message, open_ids),
        metadata=pretty(frame.metadata) if frame.metadata else "",
        tokens=Number.of(frame.tokens),
        at=Moment.of(frame.created_at, now=now),
        version=Link(f"v{frame.context_version}", view.version_url(frame.context_version)),
        reply_to=_to_frame(session_id, frame.call_seq),
        replies=tuple(link for seq in replies if (link := _to_frame(session_id, seq))),
        fates=tuple(_fate_line(f, view, links) for f in fates),
        previous=_frame_href(session_id, frame.seq - 1) if frame.seq > 1 else "",
        next=_frame_href(session_id, frame.seq + 1) if frame.seq < state.frame_count else "",
        saw=view.with_(at_seq=frame.seq).frame_url(frame.seq) if frame.role == "assistant" else "",
    )


def context_message_page(
    record: engine.SessionRecord, read: engine.reads.WindowRead, *, at_seq: int | None
) -> ContextMessagePage:
    placement = read.placements[0]
    view = ViewState(record.state.session_id, version=None if at_seq else read.version, at_seq=at_seq)
    return ContextMessagePage(
        session_id=record.state.session_id,
        title=text(record.title),
        back=view.message_url(placement.position),
        version=read.version,
        at_seq=at_seq,
        position=placement.position,
        kind=placement.item.kind,
        message=whole_message(placement.item.message),
        tokens=Number.of(placement.item.tokens),
        origins=origins(placement.item, Links(view, frozenset(), frozenset()), ranges=None),
    )


def _fate_line(found: engine.reads.FrameFate, view: ViewState, links: Links) -> FateLine:
    of_version = Links(view.with_(version=found.version), links.seqs, links.positions)
    place = (found.fate or "dropped", found.position)
    return FateLine(
        version=found.version,
        href=view.version_url(found.version),
        is_kept=found.kept,
        mark=fate_mark(place, of_version, version=found.version) if found.kept else None,
    )


def _to_frame(session_id: str, seq: int | None) -> Link | None:
    return None if seq is None else Link(f"#{seq}", _frame_href(session_id, seq))


def _frame_href(session_id: str, seq: int) -> str:
    return reverse("frame", args=[session_id, seq])
