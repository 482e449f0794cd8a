"""All that a session's page shows, read in one place: its statements are these and no others."""

from dataclasses import dataclass
from typing import Final

from inspector.view_state import ViewState
from sessions_app import engine

FRAMES: Final = 100
MESSAGES: Final = 200
"""Rows of one page, on the left and on the right."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`window` is None where the shown version is no longer kept. `more`: context messages follow the page's."""

    record: engine.SessionRecord
    versions: tuple[engine.reads.VersionRead, ...]
    version: int
    frames: engine.reads.Page[engine.reads.FrameRow]
    fates: dict[int, engine.reads.Place]
    replies: dict[int, tuple[int, ...]]
    window: engine.reads.WindowRead | None
    more: bool

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


def _read(record: engine.SessionRecord, view: ViewState) -> Reading:
    session_id, current = record.state.session_id, record.state.context_compression_version
    if view.at_seq is not None:
        version = engine.reads.version_at(session_id, view.at_seq)
    else:
        version = current if view.version is None else view.version
    ledger = tuple(engine.reads.versions(session_id, current=current))
    kept = {v.entry.version for v in ledger if v.kept}
    if not 1 <= version <= current:
        raise engine.VersionNotFound(session_id, version)
    frames = _frames(record, view)
    fates = {}
    if version in kept:
        fates = engine.reads.fates_of_frames(session_id, version=version, seqs=[row.seq for row in frames.items])
    calling = [row.seq for row in frames.items if row.role == "assistant" and row.tool_names]
    window = _window(record, view, version, fates) if version in kept else None
    more = window is not None and len(window.placements) > MESSAGES
    return Reading(
        record=record,
        versions=ledger,
        version=version,
        frames=frames,
        fates=fates,
        replies=engine.reads.replies_to(session_id, calling) if calling else {},
        window=window and window.page(after_position=0, limit=MESSAGES),
        more=more,
    )


def _frames(record: engine.SessionRecord, view: ViewState) -> engine.reads.Page[engine.reads.FrameRow]:
    state = record.state
    before = view.before_seq
    around = view.frame or (view.at_seq if view.after_seq is None and before is None else None)
    if around is not None:
        before = around + FRAMES // 2
        if before > state.next_msg_seq or before <= FRAMES:
            # At either end a whole page, and not half of one.
            before = min(state.next_msg_seq, FRAMES + 1) if before <= FRAMES else None
    return engine.reads.frame_rows(
        state.session_id,
        last_seq=state.frame_count,
        wanted=view.filter,
        after_seq=view.after_seq,
        before_seq=before,
        limit=FRAMES,
    )


def _window(
    record: engine.SessionRecord, view: ViewState, version: int, fates: dict[int, engine.reads.Place]
) -> engine.reads.WindowRead | None:
    """The part of the window that was asked for, else the one that the frames of the page went to."""
    session_id = record.state.session_id
    if view.message:
        after = (view.message - 1) // MESSAGES * MESSAGES
    elif view.after_position is not None:
        after = view.after_position
    else:
        after = max(0, max((p for _, p in fates.values() if p is not None), default=0) - MESSAGES)
    page = {"after_position": after, "limit": MESSAGES + 1}
    if view.at_seq is not None:
        return engine.reads.window_at(session_id, view.at_seq, **page)
    try:
        return engine.reads.window_of_version(session_id, version, **page)
    except engine.VersionNotKept:
        return None  # A compression without history came between the ledger and here.
