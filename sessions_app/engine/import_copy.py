"""Import of a copy: a session as it was elsewhere, frames, ledger and windows, whole or not at all."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice

from django.db import IntegrityError
from django.utils import timezone

from sessions_app.engine import reads
from sessions_app.engine.commit import PreparedWrite, Several, several
from sessions_app.engine.copied import CopiedContext, CopiedFrame, CopiedVersion, Copy, Part
from sessions_app.engine.copy_check import CheckedCopy, check_copy
from sessions_app.engine.create import new_incarnation
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import SessionExists
from sessions_app.engine.ledger import LedgerEntry
from sessions_app.engine.messages import Message
from sessions_app.engine.projection import Placement
from sessions_app.engine.rewalk import Rewalk
from sessions_app.engine.state import SessionRecord, SessionState
from sessions_app.engine.window import ContextItem

_BATCH = 500


@with_typed_failures
def import_copy(
    copy: Copy,
    *,
    owner_id: int,
    session_id: str,
    dry_run: bool = False,
    now: Callable[[], datetime] = timezone.now,
    make_incarnation: Callable[[], str] = new_incarnation,
) -> SessionState:
    """Make the session of a copy under `session_id`, in one transaction. Its own times stay; it was created now.

    All of it is checked before the transaction begins; a dry run ends there. Raises CopyRefused, SessionExists.
    """
    checked = check_copy(copy)
    state = replace(checked.state, session_id=session_id, owner_id=owner_id, incarnation=make_incarnation())
    if dry_run:
        return state
    at = now()
    record = SessionRecord(state, copy.title, copy.labels, created_at=at, updated_at=at)
    try:
        with several() as transaction:
            transaction.create(record, PreparedWrite(before=state, after=state, now=at))
            _insert(transaction, copy.parts(), checked, session_id)
    except IntegrityError as e:
        if reads.session_exists(session_id):
            raise SessionExists(session_id) from e
        raise
    return state


def _insert(transaction: Several, parts: Iterator[Part], checked: CheckedCopy, session_id: str) -> None:
    rewalk = Rewalk()
    while batch := list(islice(parts, _BATCH)):
        transaction.insert(
            session_id,
            frames=[rewalk.take(part) for part in batch if isinstance(part, CopiedFrame)],
            ledger=[_entry(part, checked) for part in batch if isinstance(part, CopiedVersion)],
            context=[_placed(part, checked) for part in batch if isinstance(part, CopiedContext)],
        )


def _entry(copied: CopiedVersion, checked: CheckedCopy) -> LedgerEntry:
    return replace(copied.entry, fate_bins=checked.fate_bins.get(copied.entry.version))


def _placed(copied: CopiedContext, checked: CheckedCopy) -> tuple[int, Placement]:
    seqs, message = copied.original_seqs, copied.message
    tokens = checked.tokens[seqs.first - 1] if message is None else message.count_tokens()
    item = ContextItem(copied.kind, seqs, tokens, message or Message(""))
    return copied.version, Placement(copied.position, item)
