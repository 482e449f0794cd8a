"""Reading windows. A window is read by one statement that joins the session row, so that no reader sees one half
switched.
"""

from dataclasses import dataclass, replace

from django.db import connection
from django.db.models import Sum

from sessions_app.engine.errors import (
    FrameNotFound,
    SessionNotFound,
    VersionNotFound,
    VersionNotKept,
)
from sessions_app.engine.messages import Message
from sessions_app.engine.projection import Placement
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.state import SessionState, load_open_calls, load_recovered_calls
from sessions_app.engine.window import ContextItem, Window
from sessions_app.models import ContextMessage, RawFrame, Session

STATE_COLUMNS = (
    "session_id",
    "incarnation",
    "owner_id",
    "next_msg_seq",
    "context_compression_version",
    "keep_context_history",
    "require_head",
    "compression_policy",
    "open_calls",
    "recovered_calls",
    "raw_tokens",
    "context_tokens",
    "context_messages",
    "tail_role",
)

# The state stands on the first row only: repeated on each it would cost more to read than the window's own columns.
_WINDOW = """
SELECT {state},
       c.position, c.kind, c.original_seqs, c.tokens, CASE WHEN {by_reference} THEN r.message ELSE c.message END
FROM {session} s
LEFT JOIN {context} c ON c.session_id = s.session_id AND c.version = {version}{range}
LEFT JOIN {frame} r ON r.session_id = c.session_id AND r.seq = c.first_seq AND {by_reference}
WHERE s.session_id = %(session_id)s
ORDER BY c.position
"""


@dataclass(frozen=True, slots=True)
class WindowRead:
    """A window, or a part of one, with the state of the session as the same statement saw it."""

    state: SessionState
    version: int
    placements: tuple[Placement, ...]

    @property
    def window(self) -> Window:
        return Window.of(p.item for p in self.placements)

    def page(self, *, after_position: int, limit: int | None) -> "WindowRead":
        rest = [p for p in self.placements if p.position > after_position]
        return replace(self, placements=tuple(rest if limit is None else rest[:limit]))


def current_window(session_id: str, *, after_position: int = 0, limit: int | None = None) -> WindowRead:
    """The window that the next model call is sent. One statement. Raises SessionNotFound."""
    return _read(session_id, version=None, after_position=after_position, limit=limit, below_seq=None)


def window_of_version(
    session_id: str, version: int, *, after_position: int = 0, limit: int | None = None
) -> WindowRead:
    """The window of one version. Raises SessionNotFound, VersionNotFound, VersionNotKept."""
    read = _read(session_id, version=version, after_position=after_position, limit=limit, below_seq=None)
    current = read.state.context_compression_version
    if not 1 <= version <= current:
        raise VersionNotFound(session_id, version)
    if not read.placements and version != current and not is_kept(session_id, version):
        raise VersionNotKept(session_id, version)
    return read


def window_at(session_id: str, seq: int, *, after_position: int = 0, limit: int | None = None) -> WindowRead:
    """What the model saw when frame `seq` was written.

    The version that was current then, without what came later; a recovery message that was replaced later reads as it
    did then. Raises SessionNotFound, FrameNotFound, VersionNotKept.
    """
    found = RawFrame.objects.filter(session_id=session_id, seq=seq).values_list("context_version", flat=True).first()
    read = _read(session_id, version=found or 0, after_position=after_position, limit=limit, below_seq=seq)
    if found is None:
        raise FrameNotFound(session_id, seq)
    if not read.placements and found != read.state.context_compression_version and not is_kept(session_id, found):
        raise VersionNotKept(session_id, found)
    return read


def is_kept(session_id: str, version: int) -> bool:
    return ContextMessage.objects.filter(session_id=session_id, version=version).exists()


def placements_as_answered(
    session_id: str, *, version: int, below_seq: int, positions: tuple[int, ...] | None
) -> tuple[Placement, ...] | None:
    """Context messages as they were when frame `below_seq` was still to come; None where the version is not kept."""
    read = _read(session_id, version=version, after_position=0, limit=None, below_seq=below_seq)
    if positions is None:
        return read.placements or None
    chosen = tuple(p for p in read.placements if p.position in positions)
    return chosen if len(chosen) == len(positions) else None


def recovery_message(session_id: str, *, version: int, recovery_seq: int) -> Placement | None:
    """The message of a recovery frame, where it stands in this version unchanged."""
    row = ContextMessage.objects.filter(
        session_id=session_id, first_seq=recovery_seq, version=version, kind="original"
    ).first()
    if row is None:
        return None
    # Its message is not read: it is about to be replaced.
    item = ContextItem(
        kind="original",
        original_seqs=Seqs.one(recovery_seq),
        tokens=row.tokens,
        message=Message(""),
    )
    return Placement(row.position, item)


def tokens_of_version(session_id: str, version: int) -> int:
    rows = ContextMessage.objects.filter(session_id=session_id, version=version)
    return int(rows.aggregate(total=Sum("tokens"))["total"] or 0)


def _read(
    session_id: str,
    *,
    version: int | None,
    after_position: int,
    limit: int | None,
    below_seq: int | None,
) -> WindowRead:
    parameters = {
        "session_id": session_id,
        "version": version,
        "after": after_position,
        "limit": limit,
        "below": below_seq,
    }
    sql = _WINDOW.format(
        state=", ".join(
            f"CASE WHEN c.position IS NULL OR c.position = %(after)s + 1 THEN s.{c} END" for c in STATE_COLUMNS
        ),
        session=Session._meta.db_table,
        context=ContextMessage._meta.db_table,
        frame=RawFrame._meta.db_table,
        version="s.context_compression_version" if version is None else "%(version)s",
        range=(" AND c.position > %(after)s" if after_position else "")
        + (" AND c.first_seq < %(below)s" if below_seq is not None else ""),
        by_reference="c.kind = 'original'"
        if below_seq is None
        else "(c.kind = 'original' OR (c.last_seq >= %(below)s AND c.kind = 'edited'))",
    )
    with connection.cursor() as cursor:
        cursor.execute(sql + ("LIMIT %(limit)s" if limit is not None else ""), parameters)
        rows = cursor.fetchall()
    if not rows:
        raise SessionNotFound(session_id)
    n = len(STATE_COLUMNS)
    state = state_of(rows[0][:n])
    placements = tuple(_placement(row[n:], below_seq) for row in rows if row[n] is not None)
    return WindowRead(state=state, version=version or state.context_compression_version, placements=placements)


def state_of(values: tuple[object, ...]) -> SessionState:
    columns = dict(zip(STATE_COLUMNS, values, strict=True))
    columns["keep_context_history"] = bool(columns["keep_context_history"])
    columns["require_head"] = bool(columns["require_head"])
    columns["open_calls"] = load_open_calls(str(columns["open_calls"]))
    columns["recovered_calls"] = load_recovered_calls(str(columns["recovered_calls"]))
    return SessionState(**columns)  # type: ignore[arg-type]


def _placement(values: tuple[int, str, str, int, str], below_seq: int | None) -> Placement:
    position, kind, seqs_text, tokens, text = values
    seqs = Seqs.parse(seqs_text)
    message = Message(text)
    item = ContextItem(kind=kind, original_seqs=seqs, tokens=tokens, message=message)  # type: ignore[arg-type]
    if below_seq is not None and seqs.last >= below_seq:
        then = seqs.below(below_seq)
        assert then is not None  # the statement asks for first_seq < below_seq
        item = replace(item, kind="original", original_seqs=then, tokens=message.count_tokens())
    return Placement(position, item)
