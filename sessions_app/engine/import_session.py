"""Import: a recorded history is replayed as appends and as versions of the window, in one transaction a session.

What is stored keeps every rule: a call that the history leaves behind gets a recovery frame there, a reply that comes
later is a late reply, one that matches nothing is kept in no window. Calls open at the end stay open.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.db import IntegrityError
from django.utils import timezone

from sessions_app.engine import reads
from sessions_app.engine.append import recovery_finder
from sessions_app.engine.commit import HeadMoved, PreparedWrite, Several, several
from sessions_app.engine.create import empty_state, new_incarnation, version_1
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import Conflict, SessionNotFound
from sessions_app.engine.import_steps import Imported, ImportedCompaction, ImportStep
from sessions_app.engine.prefix import Continuation, find_continuation
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.retelling import Retelling, in_no_window, left_out
from sessions_app.engine.settings_of_session import check_labels, check_title
from sessions_app.engine.state import SessionRecord

ATTEMPTS = 5


@with_typed_failures
def import_session(
    *,
    owner_id: int,
    session_id: str,
    history: Callable[[], Iterator[ImportStep]],
    strategy: str,
    title: str = "",
    labels: Sequence[str] = (),
    created_by: str = "",
    dry_run: bool = False,
    wording: RecoveryWording | None = None,
    now: Callable[[], datetime] = timezone.now,
    make_incarnation: Callable[[], str] = new_incarnation,
) -> Imported:
    """Make the session of a recorded history, or continue the one that begins like it. `history()` gives it anew.

    `strategy` is the name of its compactions in the ledger. A dry run says what would be done and writes nothing.
    Raises HistoryDiverged where the session exists and is another one; InvalidInput, Conflict.
    """
    check_title(title)
    check_labels(labels)
    for _ in range(ATTEMPTS):
        made_from: Continuation | None = None
        try:
            state = reads.session_state(session_id)
        except SessionNotFound:
            state = empty_state(session_id=session_id, incarnation=make_incarnation(), owner_id=owner_id)
        else:
            made_from = find_continuation(state, history(), owner_id=owner_id, strategy=strategy)
            if not made_from.has_more:
                return Imported("exists", state, tuple(made_from.orphans), left_out(made_from))
        retelling = Retelling(state, strategy, created_by, wording or RecoveryWording.configured(), now, made_from)
        if dry_run and not _compacts(history()):
            return retelling.of(history(), save=_nowhere, finder=in_no_window)
        refused: Exception
        try:
            with several(dry_run=dry_run) as transaction:
                if made_from is None:
                    record = SessionRecord(state, title, tuple(labels), created_at=now(), updated_at=now())
                    _create(transaction, record, created_by=created_by, began=_beginning(history()) or now())
                return retelling.of(history(), save=transaction.write, finder=recovery_finder)
        except (HeadMoved, IntegrityError) as e:
            refused = e  # another writer was faster: look again
    if not reads.session_exists(session_id):
        raise refused
    raise Conflict("Others kept writing to the session while it was imported.", actual=reads.session_state(session_id))


def _compacts(steps: Iterator[ImportStep]) -> bool:
    return any(isinstance(step, ImportedCompaction) for step in steps)


def _nowhere(_prepared: PreparedWrite) -> None:
    """Where no compaction asks for the window, a dry run needs no lock of the database."""


def _beginning(steps: Iterator[ImportStep]) -> datetime | None:
    first = next(steps, None)
    return None if first is None else first.at


def _create(transaction: Several, record: SessionRecord, *, created_by: str, began: datetime) -> None:
    """The session is made now; the first version of its window is as old as its first message."""
    state = record.state
    ledger = version_1(state, created_by=created_by, now=began)
    transaction.create(record, PreparedWrite(before=state, after=state, now=record.created_at, ledger=ledger))
