"""The rows of a session's page: raw frames on the left, context messages on the right."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from inspector.presenters.marks import FateMark, Links, Origins, fate_mark, later_mark, origins, orphan_mark
from inspector.presenters.parts import instead_of_text
from inspector.presenters.shown import Link, Moment, Number, Piece, excerpt, marked, text
from inspector.reading import Reading
from inspector.view_state import ViewState
from sessions_app import engine

ARGUMENTS = 120
"""Characters of a call's arguments that a row shows."""
NAME = 120
REPLIES = 8


@dataclass(frozen=True, slots=True)
class CallLine:
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class FrameLine:
    """`at`: the position of the context message that stands for it, 0 for none. `is_now`: the one that was asked for.
    `is_found_further`: what was searched for stands in what the row does not show. `also`: what it holds besides its
    text. `no_text`: what to say where there is no body. `whole`: where its text is served whole; empty where the row
    shows all of it. `saw`: empty but for assistant frames.
    """

    seq: int
    at: int
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
    is_hit: bool
    is_now: bool
    is_lit: bool
    body: tuple[Piece, ...]
    is_found_further: bool
    also: str
    no_text: str
    tokens: Number
    time: Moment
    fate: FateMark | None
    href: str
    whole: str
    saw: str


@dataclass(frozen=True, slots=True)
class ContextLine:
    """`seqs`: the frames that it stands for, as `2-97,103`; `fate`: theirs."""

    position: int
    seqs: str
    fate: str
    kind: str
    role: str
    label: str
    tool_name: str
    calls: tuple[CallLine, ...]
    is_recovery: bool
    is_error: bool
    is_damaged: bool
    is_lit: bool
    body: str
    also: str
    no_text: str
    tokens: Number
    origins: Origins
    href: str
    whole: str


def links_of(reading: Reading, view: ViewState) -> Links:
    return Links(
        view=view,
        seqs=frozenset(row.seq for row in reading.frames.items),
        positions=frozenset(row.position for row in reading.window.rows) if reading.window else frozenset(),
    )


def frame_lines(reading: Reading, view: ViewState, *, now: datetime) -> tuple[FrameLine, ...]:
    links, lit = links_of(reading, view), _lit_frames(reading, view)
    rows = reading.frames.items
    before = (None, *(row.created_at for row in rows))
    hits = frozenset(reading.hits.seqs if reading.hits else ())
    return tuple(
        _frame_line(row, reading, view, links, lit, hits, Moment.after(last, row.created_at, now=now))
        for row, last in zip(rows, before, strict=False)
    )


def _frame_line(
    row: engine.reads.FrameRow,
    reading: Reading,
    view: ViewState,
    links: Links,
    lit: engine.Seqs | None,
    hits: frozenset[int],
    time: Moment,
) -> FrameLine:
    is_assistant = row.role == "assistant"
    is_cut = len(row.excerpt) >= engine.EXCERPT or any(len(call.arguments) > ARGUMENTS for call in row.calls)
    body, calls = excerpt(row.excerpt), tuple(_call_line(c) for c in row.calls)
    is_hit, pieces = row.seq in hits, marked(body, view.q)
    fate = _fate(row, reading, view, links)
    is_seen = len(pieces) > 1 or any(marked(call.arguments, view.q)[1:] for call in calls)
    return FrameLine(
        seq=row.seq,
        at=0 if fate is None or fate.kind == "later" else reading.fates[row.seq][1] or 0,
        role=row.role,
        source="" if row.source == "agent" else row.source,
        tools="" if is_assistant else ", ".join(text(name, limit=NAME) for name in row.tool_names),
        calls=calls,
        reply_to=None if row.call_seq is None else Link(f"#{row.call_seq}", links.frame(row.call_seq)),
        replies=tuple(Link(f"#{seq}", links.frame(seq)) for seq in reading.replies.get(row.seq, ())[:REPLIES]),
        open_calls=tuple(text(c.name, limit=NAME) for c in reading.record.state.open_calls if c.seq == row.seq),
        is_late=row.recovery_seq is not None,
        is_orphan=row.is_orphan,
        is_error=row.is_error,
        is_damaged=row.is_damaged,
        is_hit=is_hit,
        is_now=row.seq in (view.frame, reading.hit),
        is_lit=lit is not None and row.seq in lit,
        body=pieces,
        is_found_further=is_hit and not is_seen,
        also=_also(row.excerpt, row.first_part, has_reasoning=row.has_reasoning, has_calls=bool(row.calls)),
        no_text=instead_of_text(row.first_part, has_reasoning=row.has_reasoning),
        tokens=Number.of(row.tokens),
        time=time,
        fate=fate,
        href=reverse("frame", args=[view.session_id, row.seq]),
        whole=reverse("frame_text", args=[view.session_id, row.seq]) if is_cut else "",
        saw=view.saw_url(row.seq) if is_assistant else "",
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
    mark = fate_mark(row.seq, place, links, version=reading.version)
    return mark.as_recovery() if row.source == "recovery" else mark


def context_lines(reading: Reading, view: ViewState) -> tuple[ContextLine, ...]:
    if reading.window is None:
        return ()
    links, lit = links_of(reading, view), _lit_frames(reading, view)
    return tuple(_context_line(row, reading.version, view, links, lit) for row in reading.window.rows)


def _context_line(
    row: engine.reads.ContextRow, version: int, view: ViewState, links: Links, lit: engine.Seqs | None
) -> ContextLine:
    label = _("summary") if row.kind == "summary" else _("late reply") if row.is_note else row.role
    place = {"version": version, "position": row.position, "session_id": view.session_id}
    then = f"?at_seq={view.at_seq}" if view.at_seq else ""
    is_cut = row.is_cut or any(len(call.arguments) > ARGUMENTS for call in row.calls)
    return ContextLine(
        position=row.position,
        seqs=str(row.original_seqs),
        fate="recovery" if row.is_recovery else _FATES[row.kind],
        kind=row.kind,
        role=text(row.role, limit=NAME),
        label=label,
        tool_name="" if row.calls else ", ".join(text(name, limit=NAME) for name in row.tool_names),
        calls=tuple(_call_line(c) for c in row.calls),
        is_recovery=row.is_recovery,
        is_error=row.is_error,
        is_damaged=row.is_damaged,
        is_lit=lit is not None and any(row.original_seqs.overlaps(first, last) for first, last in lit.ranges),
        body=_without_blank_lines(row) + ("…" if row.is_cut else ""),
        also=_also(row.excerpt, row.first_part, has_reasoning=row.has_reasoning, has_calls=bool(row.calls)),
        no_text=instead_of_text(row.first_part, has_reasoning=row.has_reasoning),
        tokens=Number.of(row.tokens),
        origins=origins(row.position, row.kind, row.original_seqs, links),
        href=reverse("context_message", kwargs=place) + then,
        whole=reverse("context_text", kwargs=place) + then if is_cut else "",
    )


def _without_blank_lines(row: engine.reads.ContextRow) -> str:
    """As the frame beside it; the blank lines of a summary part its sections."""
    said = text(row.excerpt)
    return said if row.kind == "summary" else "\n".join(line for line in said.split("\n") if line.strip())


_FATES = {"original": "kept", "edited": "edited", "summary": "summarised"}


def _lit_frames(reading: Reading, view: ViewState) -> engine.Seqs | None:
    """The frames that are pinned, or those of the pinned message; None where nothing is pinned."""
    if view.pin is None:
        return None
    if view.pin.first:
        return engine.Seqs(((view.pin.first, view.pin.last),))
    rows = reading.window.rows if reading.window else ()
    return next((row.original_seqs for row in rows if row.position == view.pin.position), None)


def _also(body: str, first_part: str, *, has_reasoning: bool, has_calls: bool) -> str:
    """What a row with text or calls holds that they do not show."""
    if not body and not has_calls:
        return ""
    if "image" in first_part:
        return _("an image")
    return _("reasoning") if has_reasoning else ""


def _call_line(call: engine.Call) -> CallLine:
    return CallLine(text(call.name, limit=NAME), text(call.arguments, limit=ARGUMENTS))
