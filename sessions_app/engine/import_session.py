"""Import: a recorded history is replayed as appends and as versions of the window, in one transaction a session.

What is stored keeps every rule: a call that the history leaves behind gets a recovery frame there, a reply that comes
later is a late reply, one that matches nothing is kept in no window. Calls open at the end stay open.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from django.db import IntegrityError
from django.utils import timezone

from sessions_app.engine import reads
from sessions_app.engine.append import recovery_finder
from sessions_app.engine.commit import HeadMoved, PreparedWrite, Several, several
from sessions_app.engine.create import empty_state, new_incarnation, version_1
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import Conflict, SessionNotFound
from sessions_app.engine.imported_window import Refused, compacted, order_told
from sessions_app.engine.messages import Message
from sessions_app.engine.pairing import Walk
from sessions_app.engine.prefix import NOT_A_VERSION, Continuation, find_continuation, hash_of
from sessions_app.engine.prepared import prepare_frames
from sessions_app.engine.projection import FindRecovery
from sessions_app.engine.publish import Occasion, Proposal, prepare_version
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.settings_of_session import check_labels, check_title
from sessions_app.engine.state import SessionRecord, SessionState

ATTEMPTS = 5
_BATCH = 500

COMPACTION, HASH = "compaction", "hash"
"""The parameters in the ledger that say which compaction of its file a version is, from 1, and tell it from others."""


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message of a history, valid by `parse_messages`. `at`: when it was said; None: now."""

    message: Message
    metadata: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportedCompaction:
    """The window becomes the messages in `keeps` (their numbers among those of the history, from 0) and `summary`."""

    keeps: frozenset[int]
    summary: Message | None = None
    params: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None
    order: tuple[int | None, ...] = ()
    """The messages as the model saw them, None for the summary, where that is not the order of their numbers."""


ImportStep = ImportedMessage | ImportedCompaction
Status = Literal["created", "extended", "exists"]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. `state` is that of the session after it; `refused`: compactions that were left out, by
    their number in the history from 1, with the reason.
    """

    status: Status
    state: SessionState
    orphan_replies: tuple[int, ...] = ()
    """Numbers of the messages, from 0, that answer no call."""
    refused: tuple[tuple[int, str], ...] = ()


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
                return Imported("exists", state, tuple(made_from.orphans), _left_out(made_from))
        replay = _Replay(state, strategy, created_by, wording or RecoveryWording.configured(), now, made_from)
        if dry_run and not _compacts(history()):
            return replay.of(history(), save=_nowhere, finder=_in_no_window)
        refused: Exception
        try:
            with several(dry_run=dry_run) as transaction:
                if made_from is None:
                    record = SessionRecord(state, title, tuple(labels), created_at=now(), updated_at=now())
                    _create(transaction, record, created_by=created_by, began=_beginning(history()) or now())
                return replay.of(history(), save=transaction.write, finder=recovery_finder)
        except (HeadMoved, IntegrityError) as e:
            refused = e  # another writer was faster: look again
    if not reads.session_exists(session_id):
        raise refused
    raise Conflict("Others kept writing to the session while it was imported.", actual=reads.session_state(session_id))


def _compacts(steps: Iterator[ImportStep]) -> bool:
    return any(isinstance(step, ImportedCompaction) for step in steps)


def _nowhere(_prepared: PreparedWrite) -> None:
    """Where no compaction asks for the window, a dry run needs no lock of the database."""


def _in_no_window(_state: SessionState) -> FindRecovery:
    return lambda _seq: None


def _left_out(made_from: Continuation) -> tuple[tuple[int, str], ...]:
    return tuple((number, NOT_A_VERSION) for number in made_from.left_out)


def _beginning(steps: Iterator[ImportStep]) -> datetime | None:
    first = next(steps, None)
    return None if first is None else first.at


def _create(transaction: Several, record: SessionRecord, *, created_by: str, began: datetime) -> None:
    """The session is made now; the first version of its window is as old as its first message."""
    state = record.state
    ledger = version_1(state, created_by=created_by, now=began)
    transaction.create(record, PreparedWrite(before=state, after=state, now=record.created_at, ledger=ledger))


class _Replay:
    """Takes the steps of a history in order and writes them in batches."""

    def __init__(
        self,
        state: SessionState,
        strategy: str,
        created_by: str,
        wording: RecoveryWording,
        now: Callable[[], datetime],
        made_from: Continuation | None,
    ) -> None:
        self._state, self._wording, self._now = state, wording, now
        self._strategy, self._created_by = strategy, created_by
        self._start = made_from or Continuation()
        self._status: Status = "created" if made_from is None else "exists"
        self._seqs: dict[int, tuple[int, ...]] = dict(self._start.seqs)
        self._stored = self._start.messages
        self._orphans: list[int] = list(self._start.orphans)
        self._refused = list(_left_out(self._start))
        self._batch: list[tuple[int, ImportedMessage]] = []

    def of(
        self,
        steps: Iterator[ImportStep],
        *,
        save: Callable[[PreparedWrite], None],
        finder: Callable[[SessionState], FindRecovery],
    ) -> Imported:
        self._save, self._finder = save, finder
        messages = compactions = 0
        for step in steps:
            if isinstance(step, ImportedMessage):
                if messages in self._start.rests:
                    self._batch.append((messages, replace(step, message=self._start.rests[messages])))
                elif messages not in self._seqs:
                    self._batch.append((messages, step))
                messages += 1
                if len(self._batch) >= _BATCH:
                    self._write_batch(is_last=False)
            else:
                compactions += 1
                # Neither one that is a version already, nor one that was left out before messages that are stored.
                if compactions not in self._start.compactions and messages >= self._stored:
                    self._compact(compactions, step, messages)
        self._write_batch(is_last=True)
        return Imported(self._status, self._state, tuple(self._orphans), tuple(self._refused))

    def _write_batch(self, *, is_last: bool) -> None:
        if not self._batch:
            return
        batch, times = self._batch, [step.at or self._now() for _, step in self._batch]
        walk = Walk(
            self._state,
            self._wording,
            source="import",
            recover=True,
            may_fill=frozenset(self._state.open_calls),
        )
        waiting = _take_in_order(walk, [step.message for _, step in batch], is_last=is_last)
        if walk.accepted:
            prepared = prepare_frames(
                walk,
                notes=[step.metadata for _, step in batch],
                times=times,
                now=self._now(),
                find=self._finder(self._state),
            )
            self._commit(prepared)
        for accepted in walk.accepted:
            if accepted.index is not None:
                number = batch[accepted.index][0]
                self._seqs[number] = (*self._seqs.get(number, ()), accepted.seq)
                if accepted.message.role == "tool" and accepted.call_seq is None:
                    self._orphans.append(number)
        self._batch = [batch[index] for index in waiting]

    def _compact(self, number: int, step: ImportedCompaction, messages: int) -> None:
        self._write_batch(is_last=False)
        read = reads.current_window(self._state.session_id)
        numbered = frozenset(seq for seqs in self._seqs.values() for seq in seqs)
        kept = frozenset(seq for n in step.keeps if n < messages for seq in self._seqs.get(n, ()))
        order = [seq for n in step.order for seq in ((None,) if n is None else self._seqs.get(n, ()))]
        try:
            window = compacted(
                read.window, state=self._state, kept=kept, numbered=numbered, summary=step.summary, order=order
            )
        except Refused as e:
            self._refused.append((number, str(e)))
            return
        at = step.at or self._now()
        proposal = Proposal(
            window=window,
            strategy=self._strategy,
            params={**step.params, **order_told(window), COMPACTION: number, HASH: hash_of(step)},
            usage=step.usage,
        )
        occasion = Occasion(self._created_by, now=lambda: at, clock=time.monotonic, started=time.monotonic())
        prepared = prepare_version(proposal, read.window, self._state, occasion)
        self._commit(replace(prepared, now=self._now()))

    def _commit(self, prepared: PreparedWrite) -> None:
        self._save(prepared)
        self._state = prepared.after
        if self._status == "exists":
            self._status = "extended"


def _take_in_order(walk: Walk, messages: Sequence[Message], *, is_last: bool) -> list[int]:
    """Put the messages through the walk; the indexes of those that still wait for open calls to be closed.

    A late reply becomes a note, which may not stand between a call and its reply: it waits until none is open. What
    still waits at the end of the history stands in no window.
    """
    waiting: list[int] = []
    for index, message in enumerate(messages):
        if message.role == "tool":
            answers = walk.answers(message)
            if answers == "nothing":
                walk.take_orphan(message, index=index)
                continue
            if answers == "late" and walk.open_calls:
                waiting.append(index)
                continue
        elif walk.open_calls and waiting:
            walk.fill(reason=None)
            waiting = _take_waiting(walk, messages, waiting)
        walk.take(message, index=index, pointer=f"/messages/{index}")
        if waiting and not walk.open_calls:
            waiting = _take_waiting(walk, messages, waiting)
    if is_last:
        for index in waiting:
            walk.take_orphan(messages[index], index=index)
        return []
    return waiting


def _take_waiting(walk: Walk, messages: Sequence[Message], waiting: Sequence[int]) -> list[int]:
    for index in waiting:
        if walk.answers(messages[index]) == "late":
            walk.take(messages[index], index=index, pointer=f"/messages/{index}")
        else:  # another of the same id was faster
            walk.take_orphan(messages[index], index=index)
    return []
