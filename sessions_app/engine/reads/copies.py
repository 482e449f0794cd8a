"""Reading a whole session in order, a few rows at a time: for an export.

Each statement ends before its rows are used. One that stayed open would hold a snapshot of SQLite's log for as long as
the reader takes; PostgreSQL would run it to its end first. Others may write meanwhile: what is read is the state that
the session had at one head. Its frames and its ledger never change; what has entered its windows since is left out.
"""

from collections.abc import Iterator
from typing import Final

from django.db.models import Count

from sessions_app.engine.copied import CopiedContext, CopiedFrame, CopiedVersion, Copy, Part
from sessions_app.engine.errors import DamagedMessage
from sessions_app.engine.frames import Frame
from sessions_app.engine.messages import Message
from sessions_app.engine.reads.ledger import versions
from sessions_app.engine.reads.sessions import session_state
from sessions_app.engine.reads.windows import is_kept
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.state import SessionRecord, SessionState
from sessions_app.models import ContextMessage, RawFrame

_FRAMES: Final = 50
"""Frames of one statement: each may be megabytes."""

_CONTEXT: Final = 500


def copy_of(record: SessionRecord) -> Copy:
    """The session by value, at this head. Its parts are whole if `is_still_there` says so after they were read; they
    raise DamagedMessage.
    """
    state = record.state
    return Copy(
        session_id=state.session_id,
        title=record.title,
        labels=record.labels,
        keep_context_history=state.keep_context_history,
        require_head=state.require_head,
        compression_policy=state.compression_policy,
        next_msg_seq=state.next_msg_seq,
        context_compression_version=state.context_compression_version,
        parts=lambda: _parts(state),
    )


def is_still_there(state: SessionState) -> bool:
    """Whether nothing of this state is gone: a compression without history takes all windows before its own away, and
    none comes back. Raises SessionNotFound.
    """
    now, version = session_state(state.session_id), state.context_compression_version
    return now.incarnation == state.incarnation and (
        now.context_compression_version == version or is_kept(state.session_id, version)
    )


def messages_in_order(session_id: str, *, below: int) -> Iterator[Message]:
    """The messages of the frames with a seq under `below`. Raises DamagedMessage."""
    return (_whole(Message(row.message)) for row in _frame_rows(session_id, below))


def _parts(state: SessionState) -> Iterator[Part]:
    session_id, current, below = state.session_id, state.context_compression_version, state.next_msg_seq
    for row in _frame_rows(session_id, below):
        frame = Frame.of(row)
        yield CopiedFrame(
            seq=frame.seq,
            source=frame.source,  # type: ignore[arg-type]
            created_at=frame.created_at,
            context_version=frame.context_version,
            metadata=frame.metadata,
            message=_whole(frame.message),
        )
    rows = ContextMessage.objects.filter(session_id=session_id, version__lte=current, first_seq__lt=below)
    lengths: dict[int, int] = dict(rows.values_list("version").annotate(Count("position")).order_by("version"))
    for read in versions(session_id, current=current):
        version = read.entry.version
        if version <= current:
            yield CopiedVersion(read.entry, lengths.get(version, 0 if version == current else None))
    for version in lengths:
        yield from _window(session_id, version, below)


def _frame_rows(session_id: str, below: int) -> Iterator[RawFrame]:
    frames = RawFrame.objects.filter(session_id=session_id).order_by("seq")
    for first in range(1, below, _FRAMES):
        stop = min(first + _FRAMES, below)
        rows = list(frames.filter(seq__gte=first, seq__lt=stop))
        if len(rows) != stop - first:
            raise DamagedMessage
        yield from rows


def _window(session_id: str, version: int, below: int) -> Iterator[CopiedContext]:
    window = ContextMessage.objects.filter(session_id=session_id, version=version, first_seq__lt=below)
    after = 0
    while rows := list(window.filter(position__gt=after).order_by("position")[:_CONTEXT]):
        for row in rows:
            yield _context(row, below)
        after = rows[-1].position


def _context(row: ContextMessage, below: int) -> CopiedContext:
    if row.kind == "original" or row.last_seq >= below:
        # A recovery message whose real reply came since: it still stood there unchanged.
        return CopiedContext(row.version, row.position, "original", Seqs.one(row.first_seq), None)
    seqs, message = Seqs.parse(row.original_seqs), _whole(Message(row.message))
    return CopiedContext(row.version, row.position, row.kind, seqs, message)  # type: ignore[arg-type]


def _whole(message: Message) -> Message:
    if message.is_damaged:
        raise DamagedMessage
    return message
