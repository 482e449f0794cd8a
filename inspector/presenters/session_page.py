"""A session's page as plain values."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.heads import tag_of
from inspector.panels import Control, Panel, Sent, controls_of, panel_of
from inspector.presenters.rows import ContextLine, FrameLine, context_lines, frame_lines
from inspector.presenters.session_head import SessionHead, VersionStop, session_head, version_stops
from inspector.presenters.shown import text
from inspector.reading import MESSAGES, Reading
from inspector.view_state import NO_CONTEXT_PAGE, NO_FILTER, NO_FRAME_PAGE, ViewState
from sessions_app import engine
from sessions_app.access.actors import Actor
from sessions_app.access.roles import Right


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """`kept`: what the form must carry on beside its own fields, as (name, value)."""

    roles: tuple[Choice, ...]
    errors: Choice
    tool: str
    q: str
    kept: tuple[tuple[str, str], ...]
    clear: str


@dataclass(frozen=True, slots=True)
class FramesBand:
    """`span`: which frames these are. `older`, `newer`: empty at the ends."""

    lines: tuple[FrameLine, ...]
    span: str
    older: str
    newer: str
    newest: str
    is_filtered: bool
    is_cut_short: bool


@dataclass(frozen=True, slots=True)
class ContextBand:
    """`at`: the frame whose model call saw this; None where a version is shown as it is."""

    lines: tuple[ContextLine, ...]
    version: int
    at: int | None
    is_current: bool
    is_kept: bool
    span: str
    earlier: str
    later: str
    current: str
    restore: str


@dataclass(frozen=True, slots=True)
class SessionPage:
    head: SessionHead
    stops: tuple[VersionStop, ...]
    controls: dict[str, Control]
    read_only: str
    panel: Panel | None
    head_tag: str
    filters: Filters
    frames: FramesBand
    context: ContextBand


def present(reading: Reading, view: ViewState, actor: Actor, *, sent: Sent | None, now: datetime) -> SessionPage:
    record = reading.record
    controls = controls_of(reading, view, actor)
    return SessionPage(
        head=session_head(record, now=now),
        stops=version_stops(reading.versions, view, shown=reading.version, state=record.state, now=now),
        controls=controls,
        read_only=""
        if actor.may(Right.APPEND)
        else _("Read only: your role is %(role)s.") % {"role": actor.role.value},
        panel=panel_of(reading, view, actor, sent),
        head_tag=tag_of(record.state.head),
        filters=_filters(view),
        frames=_frames_band(reading, view, now),
        context=_context_band(reading, view),
    )


def _filters(view: ViewState) -> Filters:
    fresh = view.with_(**NO_FRAME_PAGE, **NO_CONTEXT_PAGE)
    roles = [Choice(_("all"), fresh.url(role=""), not view.role)]
    roles += [Choice(role, fresh.url(role=role), view.role == role) for role in engine.ROLES]
    kept = {"version": view.version, "at_seq": view.at_seq, "role": view.role, "errors": "1" if view.errors else ""}
    return Filters(
        roles=tuple(roles),
        errors=Choice(_("errors"), fresh.url(errors=not view.errors), view.errors),
        tool=text(view.tool),
        q=text(view.q),
        kept=tuple((name, str(value)) for name, value in kept.items() if value),
        clear=fresh.url(**NO_FILTER) if not view.filter.is_empty else "",
    )


def _frames_band(reading: Reading, view: ViewState, now: datetime) -> FramesBand:
    page, count = reading.frames, reading.record.state.frame_count
    lines = frame_lines(reading, view, now=now)
    turn = view.with_(**NO_FRAME_PAGE, **NO_CONTEXT_PAGE)
    filtered = not view.filter.is_empty
    return FramesBand(
        lines=lines,
        span=_span("#", [line.seq for line in lines], count, filtered=filtered),
        older=turn.url(before_seq=page.previous_before_seq) if page.previous_before_seq else "",
        newer=turn.url(after_seq=page.next_after_seq) if page.next_after_seq is not None else "",
        newest=turn.url(at_seq=None) if page.next_after_seq is not None else "",
        is_filtered=filtered,
        # A search looks through so many frames at a time; where to go on is the next page.
        is_cut_short=filtered and not lines and bool(page.previous_before_seq or page.next_after_seq),
    )


def _context_band(reading: Reading, view: ViewState) -> ContextBand:
    state, window = reading.record.state, reading.window
    lines = context_lines(reading, view)
    positions = [line.position for line in lines]
    first = positions[0] if positions else 1
    turn = view.with_(**NO_CONTEXT_PAGE)
    whole = reading.is_current and view.at_seq is None
    if whole:
        span = _span("C", positions, state.context_messages, filtered=False)
    elif positions and (first > 1 or reading.more):
        span = f"C{first}–C{positions[-1]}"
    elif window is not None:
        span = ngettext("%(n)s message", "%(n)s messages", len(positions)) % {"n": f"{len(positions):,}"}
    else:
        span = ""
    return ContextBand(
        lines=lines,
        version=reading.version,
        at=view.at_seq,
        is_current=reading.is_current,
        is_kept=window is not None,
        span=span,
        earlier=turn.url(after_position=max(0, first - 1 - MESSAGES)) if first > 1 else "",
        later=turn.url(after_position=positions[-1]) if positions and reading.more else "",
        current=view.version_url(None),
        restore=view.with_(do="", strategy="").action("session_restore"),
    )


def _span(sign: str, numbers: list[int], total: int, *, filtered: bool) -> str:
    if not total:
        return ""
    if not numbers:
        return _("none of %(total)s") % {"total": f"{total:,}"}
    if filtered:
        values = {"n": f"{len(numbers):,}", "total": f"{total:,}"}
        return _("%(n)s shown of %(total)s") % values
    values = {"a": f"{sign}{numbers[0]:,}", "b": f"{sign}{numbers[-1]:,}", "total": f"{total:,}"}
    return _("%(a)s–%(b)s of %(total)s") % values
