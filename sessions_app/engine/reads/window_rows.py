"""The page of a window as rows of a list: the beginning of each message, and what was derived when it was written."""

from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from sessions_app.engine import beginnings
from sessions_app.engine.beginnings import Beginning
from sessions_app.engine.errors import FrameNotFound, SessionNotFound, VersionNotFound, VersionNotKept
from sessions_app.engine.reads.context_rows import LENGTH, ContextRow, StoredRow, row_of
from sessions_app.engine.reads.windows import STATE_COLUMNS, is_kept, state_of
from sessions_app.engine.state import SessionState
from sessions_app.engine.window import OF_FILE, ORDER
from sessions_app.models import Compression, ContextMessage, RawFrame, Session


@dataclass(frozen=True, slots=True)
class WindowRows:
    """A part of a window, with the state of the session as the same statement saw it. `more`: messages follow."""

    state: SessionState
    version: int
    rows: tuple[ContextRow, ...]
    more: bool


def window_rows(
    session_id: str, *, version: int | None, at_seq: int | None = None, after_position: int = 0, limit: int = 100
) -> WindowRows:
    """The messages after `after_position` of a version (None: the current one), or of what the model saw when frame
    `at_seq` was written; `version` is then not asked for. One statement, and one more where a page is empty or a
    message says its role late. Reads no other message whole.

    Raises SessionNotFound, VersionNotFound, VersionNotKept, FrameNotFound.
    """
    found = _read(session_id, version=version, at_seq=at_seq, after_position=after_position, limit=limit)
    if not found:
        raise SessionNotFound(session_id)
    n = len(STATE_COLUMNS)
    state, shown = state_of(found[0][:n]), found[0][n]
    if shown is None:
        raise FrameNotFound(session_id, at_seq or 0)
    current = state.context_compression_version
    if not 1 <= shown <= current:
        raise VersionNotFound(session_id, shown)
    stored = [StoredRow(*values[n + 1 :]) for values in found if values[n + 1] is not None]
    if not stored and shown != current and not is_kept(session_id, shown):
        raise VersionNotKept(session_id, shown)
    begun = {row.position: row.begun() for row in stored[:limit]}
    nameless = [r.position for r in stored[:limit] if not r.by_reference and (b := begun[r.position]) and not b.role]
    begun |= _whole(session_id, shown, nameless)
    rows = tuple(row_of(row, begun[row.position], at_seq=at_seq) for row in stored[:limit])
    return WindowRows(state, shown, rows, more=len(stored) > limit)


def _whole(session_id: str, version: int, positions: list[int]) -> dict[int, Beginning | None]:
    """Of messages whose beginning does not say whose they are: a client may have sent the role last."""
    if not positions:
        return {}
    rows = ContextMessage.objects.filter(session_id=session_id, version=version, position__in=positions)
    return {
        position: Beginning.of(text, length=len(text) + 1) for position, text in rows.values_list("position", "message")
    }


# The state stands on the first row only: it may hold many open calls.
_ROWS: Final = """
WITH page AS (
    SELECT c.position, c.kind, c.original_seqs, c.first_seq, c.tokens, {by_reference} AS by_reference,
           SUBSTR(c.message, 1, {length}) AS beginning
    FROM {context} c
    WHERE c.session_id = %(session_id)s AND c.version = {version} AND c.position > %(after)s{below}
    ORDER BY c.position
    LIMIT %(limit)s
)
SELECT {state}, {version},
       p.position, p.kind, p.original_seqs, CASE WHEN p.by_reference THEN r.tokens ELSE p.tokens END, p.by_reference,
       CASE WHEN p.by_reference THEN SUBSTR(r.message, 1, {frame_length}) ELSE p.beginning END,
       r.role, r.excerpt, r.tool_names, r.source, r.is_error
FROM {session} s
LEFT JOIN page p ON 1 = 1
CROSS JOIN (SELECT MIN(position) AS position FROM page) f
LEFT JOIN {frame} r ON r.session_id = s.session_id AND r.seq = p.first_seq AND p.kind <> 'summary'
WHERE s.session_id = %(session_id)s
ORDER BY p.position
"""
_VERSION: Final[dict[str, str]] = {
    "current": "(SELECT v.context_compression_version FROM {session} v WHERE v.session_id = %(session_id)s)",
    "at": "(SELECT v.context_version FROM {frame} v WHERE v.session_id = %(session_id)s AND v.seq = %(at_seq)s)",
    "given": "%(version)s",
}
# In a window in the order of its frames nothing older follows the message with the newest frame that was there: without
# this end, what came later would be read to its end for the one row more that a page looks for.
_BELOW: Final = """ AND c.first_seq < %(at_seq)s AND c.position <= CASE
        WHEN EXISTS (SELECT 1 FROM {ledger} l WHERE l.session_id = %(session_id)s AND l.params LIKE %(unordered)s)
        THEN %(largest)s
        ELSE (SELECT b.position FROM {context} b WHERE b.session_id = %(session_id)s AND b.version = {version}
              AND b.first_seq < %(at_seq)s ORDER BY b.first_seq DESC LIMIT 1)
    END"""


def _read(
    session_id: str, *, version: int | None, at_seq: int | None, after_position: int, limit: int
) -> list[tuple[Any, ...]]:
    tables = {
        "session": Session._meta.db_table,
        "context": ContextMessage._meta.db_table,
        "frame": RawFrame._meta.db_table,
        "ledger": Compression._meta.db_table,
    }
    which = _VERSION["at" if at_seq is not None else "current" if version is None else "given"].format(**tables)
    first = "p.position IS NULL OR p.position = f.position"
    sql = _ROWS.format(
        **tables,
        version=which,
        state=", ".join(f"CASE WHEN {first} THEN s.{column} END" for column in STATE_COLUMNS),
        # As it read before a late reply took the place of the recovery message.
        by_reference="(c.kind = 'original')"
        if at_seq is None
        else "(c.kind = 'original' OR (c.kind = 'edited' AND c.last_seq >= %(at_seq)s))",
        below="" if at_seq is None else _BELOW.format(**tables, version=which),
        length=LENGTH,
        frame_length=beginnings.LENGTH,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            sql,
            {
                "session_id": session_id,
                "version": version,
                "at_seq": at_seq,
                "after": after_position,
                "limit": limit + 1,
                "unordered": f'%"{ORDER}":"{OF_FILE}"%',
                "largest": 2**62,
            },
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
