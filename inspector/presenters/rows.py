"""The rows of a session's page: raw frames on the left, context messages on the right."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from inspector.presenters.marks import FateMark, Links, Origins, fate_mark, later_mark, origins, orphan_mark
from inspector.presenters.parts import instead_of_text, reasoning_text
from inspector.presenters.shown import Link, Moment, Number, excerpt, text
from inspector.reading import Reading
from inspector.view_state import ViewState
from sessions_app import engine

ARGUMENTS = 160
"""Characters of a call's arguments that a row shows."""
NAME = 120
REPLIES = 8


@dataclass(frozen=True, slots=True)
class CallLine:
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class FrameLine:
    """`no_text`: what to say where there is no body. `saw`: empty but for assistant frames."""

    seq: int
    role: str
    source: str
    tools: str
    calls: tuple[CallLine, ...]
    reply_to: Link | None
    replies: tuple[Link, ...]
    open_calls: tuple[str, ...]
    is_late: bool
    is_orphan: bool
    is_error: bool
    is_damaged: bool
    body: str
    no_text: str
    tokens: Number
    at: Moment
    fate: FateMark | None
    href: str
    saw: str


@dataclass(frozen=True, slots=True)
class ContextLine:
    position: int
    kind: str
    role: str
    label: str
    tool_name: str
    calls: tuple[CallLine, ...]
    is_recovery: bool
    is_damaged: bool
    body: str
    no_text: str
    tokens: Number
    origins: Origins
    href: str


def links_of(reading: Reading, view: ViewState) -> Links:
    placements = reading.window.placements if reading.window else ()
    return Links(
        view=view,
        seqs=frozenset(row.seq for row in reading.frames.items),
        positions=frozenset(p.position for p in placements),
    )


def frame_lines(reading: Reading, view: ViewState, *, now: datetime) -> tuple[FrameLine, ...]:
    links = links_of(reading, view)
    rows = reading.frames.items
    before = (None, *(row.created_at for row in rows))
    return tuple(
        _frame_line(row, reading, view, links, Moment.after(last, row.created_at, now=now))
        for row, last in zip(rows, before, strict=False)
    )


def _frame_line(row: engine.reads.FrameRow, reading: Reading, view: ViewState, links: Links, at: Moment) -> FrameLine:
    is_assistant = row.role == "assistant"
    return FrameLine(
        seq=row.seq,
        role=row.role,
        source="" if row.source == "agent" else row.source,
        tools="" if is_assistant else ", ".join(text(name, limit=NAME) for name in row.tool_names),
        calls=tuple(_call_line(c) for c in row.calls),
        reply_to=None if row.call_seq is None else Link(f"#{row.call_seq}", links.frame(row.call_seq)),
        replies=tuple(Link(f"#{seq}", links.frame(seq)) for seq in reading.replies.get(row.seq, ())[:REPLIES]),
        open_calls=tuple(text(c.name, limit=NAME) for c in reading.record.state.open_calls if c.seq == row.seq),
        is_late=row.recovery_seq is not None,
        is_orphan=row.is_orphan,
        is_error=row.is_error,
        is_damaged=row.is_damaged,
        body=excerpt(row.excerpt),
        no_text=instead_of_text(row.first_part, has_reasoning=row.has_reasoning),
        tokens=Number.of(row.tokens),
        at=at,
        fate=_fate(row, reading, view, links),
        href=reverse("frame", args=[view.session_id, row.seq]),
        saw=view.with_(at_seq=row.seq, version=None, do="").frame_url(row.seq) if is_assistant else "",
    )


def _fate(row: engine.reads.FrameRow, reading: Reading, view: ViewState, links: Links) -> FateMark | None:
    if reading.window is None:
        return None
    came_later = view.at_seq is not None and row.seq >= view.at_seq
    place = reading.fates[row.seq]
    if row.is_orphan and place[1] is None:
        return orphan_mark()
    if came_later or (place[1] is None and row.context_version > reading.version):
        return later_mark(reading.version)
    return fate_mark(place, links, version=reading.version)


def context_lines(reading: Reading, view: ViewState) -> tuple[ContextLine, ...]:
    if reading.window is None:
        return ()
    links = links_of(reading, view)
    recoveries = {row.seq for row in reading.frames.items if row.source == "recovery"}
    return tuple(_context_line(p, reading.version, view, links, recoveries) for p in reading.window.placements)


def _context_line(
    placement: engine.Placement, version: int, view: ViewState, links: Links, recoveries: set[int]
) -> ContextLine:
    item = placement.item
    role, tool_name, body, no_text, calls, is_damaged = _read(item.message)
    is_note = item.kind == "edited" and not is_damaged and engine.is_late_note(item.message)
    label = _("summary") if item.kind == "summary" else _("late reply") if is_note else role
    return ContextLine(
        position=placement.position,
        kind=item.kind,
        role=role,
        label=label,
        tool_name=tool_name,
        calls=calls,
        is_recovery=item.kind == "original" and item.original_seqs.first in recoveries,
        is_damaged=is_damaged,
        body=body,
        no_text=no_text,
        tokens=Number.of(item.tokens),
        origins=origins(item, links),
        href=reverse("context_message", args=[view.session_id, version, placement.position])
        + (f"?at_seq={view.at_seq}" if view.at_seq else ""),
    )


def _read(message: engine.Message) -> tuple[str, str, str, str, tuple[CallLine, ...], bool]:
    """Role, tool, excerpt, what to say without one, and calls of a whole message, and whether it is damaged."""
    try:
        if not message.is_damaged:
            calls = tuple(map(_call_line, message.calls))
            role, tool_name = text(message.role, limit=NAME), text(message.tool_name, limit=NAME)
            return role, tool_name, excerpt(message.excerpt), _no_text(message), calls, False
    except (KeyError, TypeError, AttributeError):
        pass  # JSON, but none that the engine lets in.
    return "", "", "", "", (), True


def _no_text(message: engine.Message) -> str:
    content = message.data.get("content")
    first_part = str(content[0].get("type") or "") if isinstance(content, list) and content else ""
    return instead_of_text(first_part, has_reasoning=bool(reasoning_text(message)))


def _call_line(call: engine.Call) -> CallLine:
    return CallLine(text(call.name, limit=NAME), text(call.arguments, limit=ARGUMENTS))
