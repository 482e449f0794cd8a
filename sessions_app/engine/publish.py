"""Publish: a window becomes the next version. Shared by compression and by restoring, which propose the window.

The proposal is made outside any transaction. Frames that were appended meanwhile are carried over: a summary that was
paid for is not thrown away for an append (contract, section 3, Compression).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sessions_app.engine import reads
from sessions_app.engine.attempts import Expected, Written, check_head, receipt_for, replay_of
from sessions_app.engine.commit import PreparedWrite, commit
from sessions_app.engine.errors import Conflict
from sessions_app.engine.fate_bins import FateBins
from sessions_app.engine.ledger import LedgerEntry, Size
from sessions_app.engine.projection import Placement, project
from sessions_app.engine.receipts import IdempotencyKey
from sessions_app.engine.state import SessionState
from sessions_app.engine.window import Window

CARRIES = 5
"""How often frames that came meanwhile are carried over before a compression gives up."""


def _as_it_is(prepared: PreparedWrite) -> PreparedWrite:
    return prepared


def _no_rules(_before: Window, _after: Window, _state: SessionState) -> None:
    """A restored window was a window of the session: it is not judged again."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A window that is to become the next version, and what the ledger will say of it.

    `ensure_rules(before, after, state)` raises where the window breaks a rule; asked again after each carry.
    """

    window: Window
    strategy: str
    params: dict[str, Any]
    requested_strategy: str = ""
    why: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    ensure_rules: Callable[[Window, Window, SessionState], None] = _no_rules


@dataclass(frozen=True, slots=True)
class Occasion:
    """Who publishes, when, and how long it takes to get there: for the ledger."""

    created_by: str
    now: Callable[[], datetime]
    clock: Callable[[], float]
    started: float


def publish(
    *,
    session_id: str,
    propose: Callable[[reads.WindowRead], Proposal],
    expected: Expected,
    dry_run: bool,
    created_by: str,
    idempotency: IdempotencyKey | None,
    now: Callable[[], datetime],
    clock: Callable[[], float],
    carries: int = CARRIES,
    finish: Callable[[PreparedWrite], PreparedWrite] = _as_it_is,
) -> Written:
    """Ask `propose` for a window and commit it as the next version. `expected` is checked when the request arrives.
    `finish` has the last word on what is committed.

    Raises SessionNotFound, KeyReused, StaleHead, HeadRequired, what `propose` and its rules raise, and Conflict where
    the window moved meanwhile, or frames came faster than they could be carried over.
    """
    occasion = Occasion(created_by, now, clock, started=clock())
    read = reads.current_window(session_id)
    replay, expired = replay_of(idempotency, state=read.state, now=now)
    if replay is not None:
        return replay
    check_head(expected, read.state, dry_run=dry_run)
    proposal = propose(read)
    proposal.ensure_rules(read.window, proposal.window, read.state)
    if dry_run:
        return replace(
            _result(prepare_version(proposal, read.window, read.state, occasion)), state=read.state, dry_run=True
        )
    return _commit(proposal, read, occasion, idempotency, expired=expired, carries=carries, finish=finish)


def _commit(
    proposal: Proposal,
    read: reads.WindowRead,
    occasion: Occasion,
    idempotency: IdempotencyKey | None,
    *,
    expired: bool,
    carries: int,
    finish: Callable[[PreparedWrite], PreparedWrite],
) -> Written:
    before, state = read.window, read.state
    for carried in range(carries + 1):
        prepared = finish(prepare_version(proposal, before, state, occasion))
        written = _result(prepared)
        if idempotency is not None:
            receipt = receipt_for(idempotency, written, status=201, now=prepared.now, expired=expired)
            prepared = replace(prepared, receipt=receipt)
        if commit(prepared):
            return written
        fresh = reads.session_state(state.session_id)
        replay, expired = replay_of(idempotency, state=fresh, now=occasion.now)
        if replay is not None:
            return replay
        if not _only_frames_came(state, fresh):
            raise Conflict("The context window moved while this version of it was being made.", actual=fresh)
        if carried == carries:
            break
        came = reads.frames_between(state.session_id, state.next_msg_seq, fresh.next_msg_seq - 1)
        before, state = project(before, came), fresh
        proposal = replace(proposal, window=project(proposal.window, came))
        proposal.ensure_rules(before, proposal.window, state)
    raise Conflict(f"Frames kept coming: they were carried over {carries} times.", actual=fresh)


def _result(prepared: PreparedWrite) -> Written:
    return Written(state=prepared.after, context=tuple(prepared.appended), compression=prepared.ledger)


def _only_frames_came(state: SessionState, fresh: SessionState) -> bool:
    return (
        fresh.incarnation == state.incarnation
        and fresh.context_compression_version == state.context_compression_version
        and fresh.next_msg_seq > state.next_msg_seq
    )


def prepare_version(proposal: Proposal, before: Window, state: SessionState, occasion: Occasion) -> PreparedWrite:
    """The write that makes the proposed window the next version, with its row of the ledger."""
    window, now = proposal.window, occasion.now()
    version = state.context_compression_version + 1
    after = replace(
        state,
        context_compression_version=version,
        context_tokens=window.tokens,
        context_messages=len(window),
        tail_role=window.tail_role,
    )
    bins = FateBins.of(window, frame_count=state.frame_count)
    ledger = LedgerEntry(
        version=version,
        strategy=proposal.strategy,
        requested_strategy=proposal.requested_strategy or proposal.strategy,
        params=proposal.params,
        before=Size(before.tokens, len(before)),
        after=Size(window.tokens, len(window)),
        fates=bins.totals,
        from_next_msg_seq=state.next_msg_seq,
        from_version=state.context_compression_version,
        created_by=occasion.created_by,
        created_at=now,
        duration_ms=round((occasion.clock() - occasion.started) * 1000),
        why=proposal.why,
        usage=proposal.usage,
        fate_bins=bins,
    )
    placements = tuple(Placement(i, item) for i, item in enumerate(window, start=1))
    return PreparedWrite(before=state, after=after, now=now, appended=placements, ledger=ledger)
