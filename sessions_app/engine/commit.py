"""The one place where a prepared write becomes rows: the conditional UPDATE, then the inserts, in one transaction.

Everything else prepares. So the commit can become one statement on PostgreSQL without a second copy of any rule.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from sessions_app import jsontext
from sessions_app.engine.frames import Frame
from sessions_app.engine.ledger import LedgerEntry
from sessions_app.engine.projection import Placement
from sessions_app.engine.receipts import Receipt, dump_answered
from sessions_app.engine.state import SessionRecord, SessionState, dump_calls
from sessions_app.models import Compression, ContextMessage, IdempotencyRecord, RawFrame, Session


@dataclass(frozen=True, slots=True)
class PreparedWrite:
    """A candidate: what the session will be, and the rows that make it so. Nothing of it is visible yet."""

    before: SessionState
    after: SessionState
    now: datetime
    frames: Sequence[Frame] = ()
    appended: Sequence[Placement] = ()
    replaced: Sequence[Placement] = ()
    ledger: LedgerEntry | None = None
    receipt: Receipt | None = None
    amends: Receipt | None = None
    """The receipt of an earlier write whose answer this one becomes a part of: from now on it tells both."""
    by_policy: bool = False
    """Made because the session's policy says so: nothing is written where that has been set anew since, and what
    `after` says of the policy is written with it.
    """


def commit(prepared: PreparedWrite) -> bool:
    """Write all of it, or nothing. False: the head is no longer that of `prepared.before`, or the session is gone."""
    with transaction.atomic(durable=True):
        return _write(prepared)


@contextmanager
def in_turn(session_id: str) -> Iterator[Callable[[PreparedWrite], bool]]:
    """Hold the session's row from before the read to the commit, so that the head cannot move in between.

    For a writer without a head that has lost to others before. Gives what to save with in place of `commit`.
    """
    with transaction.atomic(durable=True):
        # Changes nothing, and queues behind whoever writes to the session now.
        Session.objects.filter(session_id=session_id).update(incarnation=F("incarnation"))
        yield _write


class HeadMoved(Exception):
    """The head is no longer that of the prepared write; what the transaction wrote before is undone."""


class Several:
    """Writes that stand or fall together."""

    def create(self, record: SessionRecord, prepared: PreparedWrite) -> None:
        """Raises IntegrityError where the id is taken."""
        _write_new(record, prepared)

    def write(self, prepared: PreparedWrite) -> None:
        """Raises HeadMoved."""
        if not _write(prepared):
            raise HeadMoved

    def insert(
        self,
        session_id: str,
        *,
        frames: Sequence[Frame],
        ledger: Sequence[LedgerEntry],
        context: Sequence[tuple[int, Placement]],
    ) -> None:
        """Rows of a session that `create` made in this transaction with the head that they lead to."""
        _insert_frames(session_id, frames)
        Compression.objects.bulk_create([entry.row(session_id) for entry in ledger])
        ContextMessage.objects.bulk_create([_context_row(session_id, version, p) for version, p in context])


@contextmanager
def several(*, dry_run: bool = False) -> Iterator[Several]:
    """One transaction for all writes of a block: a session is imported whole or not at all.

    A dry run undoes them at the end of the block.
    """
    with transaction.atomic(durable=True):
        yield Several()
        if dry_run:
            transaction.set_rollback(True)


def _write(prepared: PreparedWrite) -> bool:
    if not _move_head(prepared):
        # Nothing was written yet: leaving the block commits an empty transaction.
        return False
    after = prepared.after
    if prepared.ledger is not None:
        # Read here, where our UPDATE holds the row: a switch that was set before this commit is honoured.
        if not _keeps_history(after):
            ContextMessage.objects.filter(session_id=after.session_id).remove()
            # They go with their windows: nobody who gets a copy of the session could find them out again.
            Compression.objects.filter(session_id=after.session_id).exclude(fate_bins="").update(fate_bins="")
        Compression.objects.bulk_create([prepared.ledger.row(after.session_id)])
    _insert_frames(after.session_id, prepared.frames)
    _replace_context(after, prepared.replaced)
    _insert_context(after, prepared.appended)
    if prepared.receipt is not None:
        _insert_receipt(prepared.receipt)
    if prepared.amends is not None:
        prepared.amends.rows().update(answer=dump_answered(prepared.amends.answered))
    return True


def commit_new(record: SessionRecord, prepared: PreparedWrite) -> None:
    """Write a session that does not exist yet. Raises IntegrityError where its id, or the idempotency key, is taken."""
    with transaction.atomic(durable=True):
        _write_new(record, prepared)


def _write_new(record: SessionRecord, prepared: PreparedWrite) -> None:
    # First the key: of two creations under one key the second waits here, and is then answered as a replay.
    if prepared.receipt is not None:
        _insert_receipt(prepared.receipt)
    Session.objects.bulk_create([_session_row(record)])
    if prepared.ledger is not None:
        Compression.objects.bulk_create([prepared.ledger.row(record.state.session_id)])
    _insert_frames(record.state.session_id, prepared.frames)
    _insert_context(prepared.after, prepared.appended)


def commit_delete(state: SessionState, *, any_head: bool) -> bool:
    """Remove the session row first, by conditional delete, then all that hangs on it. False: it moved or is gone."""
    with transaction.atomic(durable=True):
        sessions = Session.objects.living(session_id=state.session_id, incarnation=state.incarnation)
        condition = sessions if any_head else Session.objects.at(state.head)
        if condition.remove() != 1:
            return False
        for rows in (
            RawFrame.objects,
            ContextMessage.objects,
            Compression.objects,
            IdempotencyRecord.objects,
        ):
            rows.filter(session_id=state.session_id).remove()
    return True


def commit_change(state: SessionState, columns: Mapping[str, Any]) -> bool:
    """Set columns that belong to no head. False: the session is gone, or was made again."""
    sessions = Session.objects.living(session_id=state.session_id, incarnation=state.incarnation)
    return sessions.update(**columns) == 1


def _move_head(prepared: PreparedWrite) -> bool:
    after = prepared.after
    sessions, columns = Session.objects.at(prepared.before.head), {}
    if prepared.by_policy:
        sessions = sessions.filter(compression_policy=prepared.before.compression_policy)
        columns = {"compression_policy": after.compression_policy}
    moved = sessions.update(
        next_msg_seq=after.next_msg_seq,
        context_compression_version=after.context_compression_version,
        open_calls=dump_calls(after.open_calls),
        recovered_calls=dump_calls(after.recovered_calls),
        raw_tokens=after.raw_tokens,
        context_tokens=after.context_tokens,
        context_messages=after.context_messages,
        tail_role=after.tail_role,
        updated_at=prepared.now,
        **columns,
    )
    return moved == 1


def _keeps_history(state: SessionState) -> bool:
    return Session.objects.values_list("keep_context_history", flat=True).get(session_id=state.session_id)


def _session_row(record: SessionRecord) -> Session:
    state = record.state
    return Session(
        session_id=state.session_id,
        incarnation=state.incarnation,
        owner_id=state.owner_id,
        title=record.title,
        labels=jsontext.escape_lines(record.labels),
        next_msg_seq=state.next_msg_seq,
        context_compression_version=state.context_compression_version,
        keep_context_history=state.keep_context_history,
        require_head=state.require_head,
        compression_policy=state.compression_policy,
        open_calls=dump_calls(state.open_calls),
        recovered_calls=dump_calls(state.recovered_calls),
        raw_tokens=state.raw_tokens,
        context_tokens=state.context_tokens,
        context_messages=state.context_messages,
        tail_role=state.tail_role,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def _insert_frames(session_id: str, frames: Sequence[Frame]) -> None:
    if frames:
        RawFrame.objects.bulk_create([f.row(session_id) for f in frames])


def _insert_context(state: SessionState, placements: Sequence[Placement]) -> None:
    if placements:
        session_id, version = state.session_id, state.context_compression_version
        ContextMessage.objects.bulk_create([_context_row(session_id, version, p) for p in placements])


def _replace_context(state: SessionState, placements: Sequence[Placement]) -> None:
    for placement in placements:
        row = _context_row(state.session_id, state.context_compression_version, placement)
        rows = ContextMessage.objects.filter(
            session_id=state.session_id,
            version=state.context_compression_version,
            position=placement.position,
        )
        rows.update(
            kind=row.kind,
            original_seqs=row.original_seqs,
            first_seq=row.first_seq,
            last_seq=row.last_seq,
            tokens=row.tokens,
            message=row.message,
        )


def _context_row(session_id: str, version: int, placement: Placement) -> ContextMessage:
    item = placement.item
    return ContextMessage(
        session_id=session_id,
        version=version,
        position=placement.position,
        kind=item.kind,
        original_seqs=str(item.original_seqs),
        first_seq=item.original_seqs.first,
        last_seq=item.original_seqs.last,
        tokens=item.tokens,
        message="" if item.kind == "original" else item.message.text,
    )


def _insert_receipt(receipt: Receipt) -> None:
    if receipt.replaces_expired:
        receipt.rows().remove()
    IdempotencyRecord.objects.bulk_create([receipt.row()])
