"""The steps of a history taken in order: messages become frames in batches, compactions versions of the window."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from sessions_app.engine import reads
from sessions_app.engine.commit import PreparedWrite
from sessions_app.engine.import_steps import Imported, ImportedCompaction, ImportedMessage, ImportStep, Status
from sessions_app.engine.imported_window import Refused, compacted, order_told
from sessions_app.engine.messages import Message
from sessions_app.engine.pairing import Walk
from sessions_app.engine.prefix import NOT_A_VERSION, Continuation, hash_of
from sessions_app.engine.prepared import prepare_frames
from sessions_app.engine.projection import FindRecovery
from sessions_app.engine.publish import Occasion, Proposal, prepare_version
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.state import SessionState

_BATCH = 500

COMPACTION, HASH = "compaction", "hash"
"""The parameters in the ledger that say which compaction of its file a version is, from 1, and tell it from others."""


def in_no_window(_state: SessionState) -> FindRecovery:
    return lambda _seq: None


def left_out(made_from: Continuation) -> tuple[tuple[int, str], ...]:
    return tuple((number, NOT_A_VERSION) for number in made_from.left_out)


class Retelling:
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
        self._refused = list(left_out(self._start))
        self._batch: list[tuple[int, ImportedMessage]] = []

    def of(
        self,
        steps: Iterator[ImportStep],
        *,
        save: Callable[[PreparedWrite], None],
        finder: Callable[[SessionState], FindRecovery],
        with_versions: bool = True,
    ) -> Imported:
        """Without versions nothing is read from the database: a compaction only ends the batch before it."""
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
                # Neither one that is a version already, nor one that was left out before what is stored.
                if compactions > self._start.newest_compaction and messages >= self._stored:
                    self._write_batch(is_last=False)
                    if with_versions and messages == self._stored and self._is_anothers_window():
                        self._refused.append((compactions, NOT_A_VERSION))
                    elif with_versions:
                        self._compact(compactions, step, messages)
        self._write_batch(is_last=True)
        return Imported(self._status, self._state, tuple(self._orphans), tuple(self._refused))

    def _is_anothers_window(self) -> bool:
        """Whether the window is no longer the one that an import left behind: a compaction of what is stored already
        was refused then, or would undo what was done since.
        """
        version = self._state.context_compression_version
        if self._status == "created" or version == 1:
            return False
        entry = reads.ledger_entry(self._state.session_id, version)
        return entry is not None and entry.strategy != self._strategy

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
