"""The two bands of a session's page: which frames and which context messages these are, and where the others are."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from inspector.heads import drawn_from
from inspector.panels import windows_that_go
from inspector.presenters.copy_links import CopyLinks, copy_of_window
from inspector.presenters.rows import ContextLine, FrameLine, context_lines, frame_lines
from inspector.presenters.shown import Number
from inspector.reading import MESSAGES, Reading
from inspector.view_state import CONTEXT, FRAMES, NO_PAGE, NO_PANEL, ViewState


@dataclass(frozen=True, slots=True)
class FramesBand:
    """`span`: which frames these are. `older`, `newer`: empty at the ends. `is_cut_short`: nothing was found in the
    part that was looked through.
    """

    lines: tuple[FrameLine, ...]
    span: str
    older: str
    newer: str
    newest: str
    tab: str
    is_shown: bool
    is_filtered: bool
    is_cut_short: bool
    missing: str
    end: str


@dataclass(frozen=True, slots=True)
class ContextBand:
    """`at`: the frame whose model call saw this; None where a version is shown as it is. `tokens`: of the whole window,
    where it is known. `restore`: where the button sends; `asks`: the panel that says first what goes with it.
    """

    lines: tuple[ContextLine, ...]
    version: int
    at: int | None
    is_current: bool
    is_kept: bool
    span: str
    tokens: Number | None
    earlier: str
    later: str
    current: str
    end: str
    is_beyond: bool
    restore: str
    asks: str
    drawn: str
    copy: CopyLinks | None
    tab: str
    is_shown: bool


def frames_band(reading: Reading, view: ViewState, *, now: datetime) -> FramesBand:
    page, count = reading.frames, reading.record.state.frame_count
    lines = frame_lines(reading, view, now=now)
    turn = view.with_(**NO_PAGE, pin=None, hit=None)
    newer = turn.url(after_seq=page.next_after_seq) if page.next_after_seq is not None else ""
    return FramesBand(
        lines=lines,
        span=_span("#", [line.seq for line in lines], count, filtered=view.is_filtered),
        older=turn.url(before_seq=page.previous_before_seq) if page.previous_before_seq else "",
        newer=newer,
        newest=turn.url(at_seq=None) if newer else "",
        tab=view.url(band=FRAMES),
        is_shown=not view.shows_context,
        is_filtered=view.is_filtered,
        # Such a filter looks through so many frames at a time; where to go on is the next page.
        is_cut_short=view.is_filtered and not lines and bool(page.previous_before_seq or newer),
        missing=_missing(view.frame, count),
        end=turn.url(),
    )


def _missing(asked: int | None, count: int) -> str:
    if not asked or asked <= count:
        return ""
    return _("There is no frame %(n)s: the newest is %(last)s.") % {"n": f"{asked:,}", "last": f"{count:,}"}


def context_band(reading: Reading, view: ViewState) -> ContextBand:
    state, window = reading.record.state, reading.window
    lines = context_lines(reading, view)
    positions = [line.position for line in lines]
    first = positions[0] if positions else 1
    turn = view.with_(**NO_PAGE, pin=None, hit=None)
    whole = reading.is_current and view.at_seq is None
    later = bool(window and window.more)
    return ContextBand(
        lines=lines,
        version=reading.version,
        at=view.at_seq,
        is_current=reading.is_current,
        is_kept=window is not None,
        span=_context_span(positions, total=state.context_messages if whole else None, more=later),
        tokens=Number.of(state.context_tokens) if whole else None,
        earlier=turn.url(after_position=max(0, first - 1 - MESSAGES)) if first > 1 else "",
        later=turn.url(after_position=positions[-1]) if positions and later else "",
        current=view.version_url(None),
        end=turn.url(),
        is_beyond=not lines and turn != view,
        restore=view.with_(**NO_PANEL).action("session_restore"),
        asks=view.url(**NO_PANEL | {"do": "restore"}, fragment="#panel") if windows_that_go(reading) else "",
        drawn=drawn_from(reading.record, "restore"),
        copy=_copy(reading, view) if window is not None and lines else None,
        tab=view.url(band=CONTEXT),
        is_shown=view.shows_context,
    )


def _copy(reading: Reading, view: ViewState) -> CopyLinks:
    if view.at_seq is not None:
        return copy_of_window(view.session_id, at_seq=view.at_seq)
    return copy_of_window(view.session_id, version=reading.version)


def _context_span(positions: list[int], *, total: int | None, more: bool) -> str:
    if total is not None:
        return _span("C", positions, total, filtered=False)
    if not positions:
        return ""
    return f"C{positions[0]:,}–C{positions[-1]:,}" + ("…" if more else "")


def _span(sign: str, numbers: list[int], total: int, *, filtered: bool) -> str:
    if not total:
        return ""
    if not numbers:
        return _("none of %(total)s") % {"total": f"{total:,}"}
    if filtered:
        return _("%(n)s shown of %(total)s") % {"n": f"{len(numbers):,}", "total": f"{total:,}"}
    values = {"a": f"{sign}{numbers[0]:,}", "b": f"{sign}{numbers[-1]:,}", "total": f"{total:,}"}
    return _("%(a)s–%(b)s of %(total)s") % values
