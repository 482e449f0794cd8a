"""One message as a whole: its text, its calls, its JSON. For the pages of a frame and of a context message."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse

from inspector.presenters.json_text import CutJSON, cut_json, pretty
from inspector.presenters.marks import FateMark, Links, Origins, fate_mark, origins, orphan_mark
from inspector.presenters.metadata import Metadata, metadata_of
from inspector.presenters.parts import Part, other_parts, reasoning_blocks, reasoning_text
from inspector.presenters.shown import Link, Moment, Number, text
from inspector.view_state import ViewState
from sessions_app import engine, jsontext

LONGEST: Final = 200_000
"""Characters of a text that a page shows."""


@dataclass(frozen=True, slots=True)
class WholeCall:
    id: str
    name: str
    arguments: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class WholeMessage:
    """`json`: the message as JSON, or the stored text where that is none. `exact`: where it is served whole."""

    role: str
    is_error: bool
    body: str
    is_cut: bool
    parts: tuple[Part, ...]
    reasoning: str
    reasoning_length: str
    reasoning_blocks: tuple[Part, ...]
    calls: tuple[WholeCall, ...]
    tool_call_id: str
    tool_name: str
    json: CutJSON
    exact: str
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
    is_orphan: bool
    recovery: Link | None
    message: WholeMessage
    metadata: Metadata
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


def whole_message(message: engine.Message, open_ids: frozenset[str] = frozenset(), *, exact: str) -> WholeMessage:
    try:
        if not message.is_damaged:
            return _whole(message, open_ids, exact)
    except (KeyError, TypeError, AttributeError):
        pass  # JSON, but none that the engine lets in.
    return WholeMessage("", False, "", False, (), "", "", (), (), "", "", CutJSON(text(message.text)), exact, True)


def _whole(message: engine.Message, open_ids: frozenset[str], exact: str) -> WholeMessage:
    body, reasoning = message.body, reasoning_text(message)
    return WholeMessage(
        role=text(message.role, limit=40),
        is_error=message.is_error,
        body=text(body[:LONGEST]),
        is_cut=max(len(body), len(reasoning)) > LONGEST,
        parts=other_parts(message),
        reasoning=text(reasoning[:LONGEST]),
        reasoning_length=f"{len(reasoning):,}",
        reasoning_blocks=reasoning_blocks(message),
        calls=tuple(
            WholeCall(text(c.id), text(c.name), text(_pretty_text(c.arguments)), c.id in open_ids)
            for c in message.calls
        ),
        tool_call_id=text(message.tool_call_id or ""),
        tool_name=text(message.tool_name),
        json=cut_json(message.data),
        exact=exact,
        is_damaged=False,
    )


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
        is_orphan=frame.is_orphan,
        recovery=_to_frame(session_id, frame.recovery_seq),
        message=whole_message(frame.message, open_ids, exact=reverse("api-frame", args=[session_id, frame.seq])),
        metadata=metadata_of(frame.metadata),
        tokens=Number.of(frame.tokens),
        at=Moment.of(frame.created_at, now=now),
        version=Link(f"v{frame.context_version}", view.version_url(frame.context_version)),
        reply_to=_to_frame(session_id, frame.call_seq),
        replies=tuple(link for seq in replies if (link := _to_frame(session_id, seq))),
        fates=tuple(_fate_line(f, view, links, is_orphan=frame.is_orphan) for f in fates),
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
        message=whole_message(placement.item.message, exact=_in_the_api(record, read, at_seq)),
        tokens=Number.of(placement.item.tokens),
        origins=origins(placement.item, Links(view, frozenset(), frozenset()), ranges=None),
    )


def _fate_line(found: engine.reads.FrameFate, view: ViewState, links: Links, *, is_orphan: bool) -> FateLine:
    of_version = Links(view.with_(version=found.version), links.seqs, links.positions)
    place = (found.fate or "dropped", found.position)
    if is_orphan and found.position is None:
        mark = orphan_mark()
    else:
        mark = fate_mark(place, of_version, version=found.version)
    return FateLine(
        version=found.version,
        href=view.version_url(found.version),
        is_kept=found.kept,
        mark=mark if found.kept else None,
    )


def _in_the_api(record: engine.SessionRecord, read: engine.reads.WindowRead, at_seq: int | None) -> str:
    window = f"at_seq={at_seq}" if at_seq else f"version={read.version}"
    one = f"after_position={read.placements[0].position - 1}&limit=1"
    return reverse("api-context", args=[record.state.session_id]) + f"?{window}&{one}"


def _to_frame(session_id: str, seq: int | None) -> Link | None:
    return None if seq is None else Link(f"#{seq}", _frame_href(session_id, seq))


def _frame_href(session_id: str, seq: int) -> str:
    return reverse("frame", args=[session_id, seq])
