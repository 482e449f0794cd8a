"""Every read query of the engine, by what is read. Reads write nothing."""

from sessions_app.engine.fate_strip import Cell, Strip
from sessions_app.engine.reads.context_rows import ContextRow
from sessions_app.engine.reads.copies import copy_of, is_still_there, messages_in_order
from sessions_app.engine.reads.differences import Difference, FateThen, Move, Replaced, difference
from sessions_app.engine.reads.fates import Place, fates_of_frames
from sessions_app.engine.reads.figures import Figures, figures
from sessions_app.engine.reads.frame_pages import FrameFilter, FramesPage, Page, frames_page
from sessions_app.engine.reads.frame_rows import FrameRow, frame_rows, version_at
from sessions_app.engine.reads.frames import (
    all_frames,
    answers_since,
    first_user_frame,
    frame,
    frames_between,
    frames_by_seq,
    frames_missed,
    frames_since_version,
    replies_by_call,
    replies_to,
)
from sessions_app.engine.reads.hits import MOST_HITS, Hits, hits
from sessions_app.engine.reads.ledger import (
    FrameFate,
    VersionRead,
    fates_of_frame,
    imported_compactions,
    ledger_entry,
    newest_automatic,
    versions,
)
from sessions_app.engine.reads.session_pages import Mark, SessionFilter, SessionsPage, sessions_page
from sessions_app.engine.reads.sessions import remembered, session_exists, session_record, session_state
from sessions_app.engine.reads.strips import strip, strip_of_candidate
from sessions_app.engine.reads.tool_names import tool_names
from sessions_app.engine.reads.window_rows import WindowRows, window_rows
from sessions_app.engine.reads.windows import (
    WindowRead,
    current_window,
    is_kept,
    placements_as_answered,
    recovery_message,
    tokens_of_version,
    window_at,
    window_of_version,
)

__all__ = [
    "Cell",
    "Strip",
    "strip",
    "strip_of_candidate",
    "ContextRow",
    "Difference",
    "FateThen",
    "Figures",
    "MOST_HITS",
    "Hits",
    "Move",
    "Replaced",
    "WindowRows",
    "difference",
    "figures",
    "hits",
    "tool_names",
    "window_rows",
    "FrameFilter",
    "FrameRow",
    "FramesPage",
    "Mark",
    "Page",
    "Place",
    "SessionFilter",
    "SessionsPage",
    "fates_of_frames",
    "frame_rows",
    "frames_page",
    "sessions_page",
    "version_at",
    "FrameFate",
    "VersionRead",
    "WindowRead",
    "all_frames",
    "answers_since",
    "copy_of",
    "current_window",
    "fates_of_frame",
    "first_user_frame",
    "frame",
    "frames_between",
    "frames_by_seq",
    "imported_compactions",
    "frames_missed",
    "frames_since_version",
    "is_kept",
    "is_still_there",
    "ledger_entry",
    "messages_in_order",
    "newest_automatic",
    "placements_as_answered",
    "recovery_message",
    "remembered",
    "replies_by_call",
    "replies_to",
    "session_exists",
    "session_record",
    "session_state",
    "tokens_of_version",
    "versions",
    "window_at",
    "window_of_version",
]
