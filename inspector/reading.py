"""All that a session's page shows, read in one place: its statements are these and no others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from inspector.view_state import DROPPED, ERRORS, OPEN, ViewState
from sessions_app import engine

FRAMES: Final = 100
MESSAGES: Final = 40
"""Rows of one page, on the left and on the right."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`window` is None where the shown version is no longer kept, `strip` where nobody knows its fates any more, and
    `hits` and `difference` where they were not asked for. `hit`: the one to stand at, 0 for none.
    """

    record: engine.SessionRecord
    versions: tuple[engine.reads.VersionRead, ...]
    version: int
    frames: engine.reads.Page[engine.reads.FrameRow]
    fates: dict[int, engine.reads.Place]
    replies: dict[int, tuple[int, ...]]
    window: engine.reads.WindowRows | None
    strip: engine.reads.Strip | None
    tools: tuple[str, ...]
    hits: engine.reads.Hits | None
    hit: int
    difference: engine.reads.Difference | None

    @property
    def is_current(self) -> bool:
        return self.version == self.record.state.context_compression_version


def read_session(record: engine.SessionRecord, view: ViewState) -> Reading:
    """Read once more where the session moved between its row and its window: controls and window then agree.

    Raises FrameNotFound, VersionNotFound, SessionNotFound.
    """
    reading = _read(record, view)
    if reading.window is None or reading.window.state.head == record.state.head:
        return reading
    return _read(engine.reads.session_record(record.state.session_id), view)


def replaced_messages(reading: Reading, view: ViewState, *, last_position: int) -> engine.reads.WindowRows | None:
    """The messages up to `last_position` that the frames of this reading stand in: late replies took the place of what
    was written for them. They stand near each other, at the end of a window.
    """
    positions = {p for _, p in reading.fates.values() if p is not None and p <= last_position}
    if not positions:
        return None
    last = max(positions)
    first = max(min(positions), last - MESSAGES + 1)
    found = engine.reads.window_rows(
        view.session_id, version=reading.version, after_position=first - 1, limit=last - first + 1
    )
    return replace(found, rows=tuple(row for row in found.rows if row.position in positions))


def again(reading: Reading, view: ViewState, seqs: Sequence[int]) -> Reading:
    """The same reading with these frames in the place of its own: they stand in a page that was drawn before."""
    session_id = reading.record.state.session_id
    frames = engine.reads.frame_rows(
        session_id,
        last_seq=reading.record.state.frame_count,
        wanted=engine.reads.FrameFilter(seqs=tuple(seqs)),
        limit=len(seqs),
    )
    kept = reading.window is not None
    fates = engine.reads.fates_of_frames(session_id, version=reading.version, seqs=seqs) if kept else {}
    return replace(reading, frames=frames, fates=fates, replies=engine.reads.replies_to(session_id, seqs))


def _read(record: engine.SessionRecord, view: ViewState) -> Reading:
    state = record.state
    session_id, current = state.session_id, state.context_compression_version
    if view.at_seq is not None:
        version = engine.reads.version_at(session_id, view.at_seq)
    else:
        version = current if view.version is None else view.version
    ledger = tuple(engine.reads.versions(session_id, current=current))
    if version not in {v.entry.version for v in ledger}:
        raise engine.VersionNotFound(session_id, version)
    kept = {v.entry.version for v in ledger if v.kept}
    wanted = _filter(state, view, version, is_kept=version in kept)
    hits = _hits(state, view, wanted)
    hit = _hit(view, hits)

    pinned = (
        _window(session_id, view, version, {}, hit=0) if view.pin and view.pin.position and version in kept else None
    )
    around = _around(view, pinned, hit)
    frames = frames_of(state, view, wanted, around=around, stop=_stop(ledger, version))
    seqs = [row.seq for row in frames.items]
    fates = engine.reads.fates_of_frames(session_id, version=version, seqs=seqs) if version in kept else {}
    calling = [row.seq for row in frames.items if row.role == "assistant" and row.tool_names]
    return Reading(
        record=record,
        versions=ledger,
        version=version,
        frames=frames,
        fates=fates,
        replies=engine.reads.replies_to(session_id, calling) if calling else {},
        window=pinned or (_window(session_id, view, version, fates, hit=hit) if version in kept else None),
        strip=engine.reads.strip(state, version, below_seq=view.at_seq),
        tools=engine.reads.tool_names(session_id),
        hits=hits,
        hit=hit,
        difference=_difference(session_id, view, version, kept),
    )


def _filter(state: engine.SessionState, view: ViewState, version: int, *, is_kept: bool) -> engine.reads.FrameFilter:
    wanted = engine.reads.FrameFilter(role=view.role or None, tool=view.tool or None, errors=view.only == ERRORS)
    if view.only == OPEN:
        return replace(wanted, seqs=tuple(sorted({call.seq for call in state.open_calls})))
    if view.only == DROPPED:
        # Of a window that is gone nobody knows what it left out.
        return replace(wanted, dropped_in=version) if is_kept else replace(wanted, seqs=())
    return wanted


def _hits(state: engine.SessionState, view: ViewState, wanted: engine.reads.FrameFilter) -> engine.reads.Hits | None:
    if not view.q:
        return None
    return engine.reads.hits(
        state.session_id, last_seq=state.frame_count, wanted=replace(wanted, search=view.q), upto=view.upto
    )


def _hit(view: ViewState, hits: engine.reads.Hits | None) -> int:
    """The one that the URL names, else the newest."""
    if hits is None or not hits.seqs:
        return 0
    return view.hit if view.hit in hits.seqs else hits.seqs[-1]


def _around(view: ViewState, pinned: engine.reads.WindowRows | None, hit: int) -> int | None:
    """The frame to show with what stands around it; None for the newest, or where the URL names a page."""
    if view.frame:
        return view.frame
    if view.after_seq is not None or view.before_seq is not None:
        return None
    if view.pin and view.pin.first:
        return view.pin.first
    if view.pin and pinned is not None:
        row = next((row for row in pinned.rows if row.position == view.pin.position), None)
        return row.original_seqs.first if row else None
    return hit or view.at_seq


def _stop(ledger: tuple[engine.reads.VersionRead, ...], version: int) -> int | None:
    """The first frame that came after this version of the window; None for the current one."""
    starts = {read.entry.version: read.entry.from_next_msg_seq for read in ledger}
    return starts.get(version + 1)


def frames_of(
    state: engine.SessionState,
    view: ViewState,
    wanted: engine.reads.FrameFilter,
    *,
    around: int | None,
    stop: int | None = None,
) -> engine.reads.Page[engine.reads.FrameRow]:
    """The page that the view asks for, or the one with the frame `around` in it."""
    before = view.before_seq
    if before is None and view.after_seq is None and state.frame_count > FRAMES:
        before = stop  # What the window of then was made of, and not what came later.
    if around is not None:
        before = around + FRAMES // 2
        if before > state.next_msg_seq or before <= FRAMES:
            # At either end a whole page, and not half of one.
            before = min(state.next_msg_seq, FRAMES + 1) if before <= FRAMES else None
    return engine.reads.frame_rows(
        state.session_id,
        last_seq=state.frame_count,
        wanted=wanted,
        after_seq=view.after_seq if around is None else None,
        before_seq=before,
        limit=FRAMES,
    )


def _window(
    session_id: str, view: ViewState, version: int, fates: dict[int, engine.reads.Place], *, hit: int
) -> engine.reads.WindowRows | None:
    """The part of the window that was asked for, else the one that the frames of the page went to."""
    try:
        return engine.reads.window_rows(
            session_id,
            version=version,
            at_seq=view.at_seq,
            after_position=after_position_of(view, fates, hit),
            limit=MESSAGES,
        )
    except engine.VersionNotKept:
        return None  # A compression without history came between the ledger and here.


def after_position_of(view: ViewState, fates: dict[int, engine.reads.Place], hit: int = 0) -> int:
    """Where the page of the window begins."""
    position = view.message or (view.pin.position if view.pin else 0)
    if not position and (view.pin or view.after_position is None):
        seq = view.pin.first if view.pin else view.frame or hit
        position = fates.get(seq, ("", None))[1] or 0
    if position:
        return max(0, position - 1 - MESSAGES // 2)
    if view.after_position is not None:
        return view.after_position
    return max(0, max((p for _, p in fates.values() if p is not None), default=0) - MESSAGES)


def _difference(session_id: str, view: ViewState, version: int, kept: set[int]) -> engine.reads.Difference | None:
    if not view.compare or view.compare == version or not {view.compare, version} <= kept:
        return None
    return engine.reads.difference(session_id, before=min(view.compare, version), after=max(view.compare, version))
