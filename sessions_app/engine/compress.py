"""Compress: publish a smaller window under the next version. Raw frames stay as they are.

The candidate is made outside any transaction. Frames that were appended meanwhile are carried over: a summary that
was paid for is not thrown away for an append (contract, section 3, Compression).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils import timezone
from pydantic import BaseModel

from sessions_app.engine import reads
from sessions_app.engine.attempts import Expected, Written, check_head, receipt_for, replay_of
from sessions_app.engine.commit import PreparedWrite, commit
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import Conflict, NothingToCompress, RuleBroken
from sessions_app.engine.ledger import LedgerEntry, Size, count_fates
from sessions_app.engine.projection import Placement, project
from sessions_app.engine.receipts import IdempotencyKey
from sessions_app.engine.rules import Candidate, FirstRequest, check
from sessions_app.engine.state import SessionState
from sessions_app.engine.strategy import CannotCompress, Strategy, Toolbox
from sessions_app.engine.window import Window

CARRIES = 5
"""How often frames that came meanwhile are carried over before the compression gives up."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A window that is to become the next version, and what the ledger will say of it."""

    window: Window
    strategy: str
    requested_strategy: str
    params: dict[str, Any]
    created_by: str
    started: float
    why: str = ""
    usage: dict[str, Any] | None = None


@with_typed_failures
def compress(
    *,
    session_id: str,
    strategy: Strategy,
    params: BaseModel,
    expected: Expected = None,
    dry_run: bool = False,
    tools: Toolbox = Toolbox(),
    created_by: str = "",
    idempotency: IdempotencyKey | None = None,
    now: Callable[[], datetime] = timezone.now,
    clock: Callable[[], float] = time.monotonic,
) -> Written:
    """Publish what `strategy` makes of the window. `expected` is checked now, when the request arrives.

    Raises SessionNotFound, KeyReused, StaleHead, HeadRequired, NothingToCompress, RuleBroken, and Conflict where the
    window moved meanwhile, or frames came faster than they could be carried over.
    """
    started = clock()
    read = reads.current_window(session_id)
    replay, expired = replay_of(idempotency, state=read.state, now=now)
    if replay is not None:
        return replay
    check_head(expected, read.state, dry_run=dry_run)
    after = candidate_of(strategy, params, read.window, read.state, tools)
    publication = Publication(
        window=after,
        strategy=strategy.name,
        requested_strategy=strategy.name,
        params=params.model_dump(mode="json"),
        created_by=created_by,
        started=started,
    )
    first_request = find_first_request(read.window, session_id)

    def ensure_rules(before: Window, after: Window, state: SessionState) -> None:
        candidate = Candidate(before, after, state.open_calls, state.next_msg_seq - 1, first_request)
        if broken := check(candidate):
            raise RuleBroken(broken, strategy=strategy.name)

    ensure_rules(read.window, after, read.state)
    if dry_run:
        prepared = prepare_publication(publication, read.window, read.state, now=now(), clock=clock)
        return Written(
            state=read.state,
            context=tuple(prepared.appended),
            compression=prepared.ledger,
            dry_run=True,
        )
    return publish(
        publication,
        read=read,
        idempotency=idempotency,
        expired=expired,
        now=now,
        clock=clock,
        ensure_rules=ensure_rules,
    )


def candidate_of(strategy: Strategy, params: BaseModel, window: Window, state: SessionState, tools: Toolbox) -> Window:
    """Raises NothingToCompress where the strategy has nothing to gain."""
    try:
        after = strategy.compress(window, params=params, tools=tools)
    except CannotCompress as e:
        raise NothingToCompress(actual=state, why=str(e)) from e
    if after.items == window.items:
        raise NothingToCompress(
            actual=state,
            why=f"{strategy.name!r} finds nothing in this window that it may compress.",
        )
    return after


def first_request_in(window: Window) -> FirstRequest | None:
    if not window.request_indexes:
        return None
    first = window[window.request_indexes[0]]
    return FirstRequest(first.original_seqs.first, first.message.body)


def find_first_request(window: Window, session_id: str) -> FirstRequest | None:
    """The first thing the user said; read from the frames only where a summary may cover it in this window."""
    if not any(item.kind == "summary" for item in window):
        return first_request_in(window)
    frame = reads.first_user_frame(session_id)
    return None if frame is None else FirstRequest(frame.seq, frame.message.body)


def publish(
    publication: Publication,
    *,
    read: "reads.WindowRead",
    idempotency: IdempotencyKey | None,
    expired: bool,
    now: Callable[[], datetime],
    clock: Callable[[], float],
    ensure_rules: Callable[[Window, Window, SessionState], None],
) -> Written:
    """Commit the window as the next version, carrying frames over that came since `read`."""
    before, after, state = read.window, publication.window, read.state
    for _ in range(CARRIES + 1):
        publication = replace(publication, window=after)
        prepared = prepare_publication(publication, before, state, now=now(), clock=clock)
        written = Written(state=prepared.after, context=tuple(prepared.appended), compression=prepared.ledger)
        if idempotency is not None:
            receipt = receipt_for(idempotency, written, status=201, now=prepared.now, expired=expired)
            prepared = replace(prepared, receipt=receipt)
        if commit(prepared):
            return written
        fresh = reads.session_state(state.session_id)
        replay, expired = replay_of(idempotency, state=fresh, now=now)
        if replay is not None:
            return replay
        if not _only_frames_came(state, fresh):
            raise Conflict("The context window moved while this version of it was being made.", actual=fresh)
        came = reads.frames_between(state.session_id, state.next_msg_seq, fresh.next_msg_seq - 1)
        before, after, state = project(before, came), project(after, came), fresh
        ensure_rules(before, after, state)
    raise Conflict(f"Frames kept coming: they were carried over {CARRIES} times.", actual=state)


def _only_frames_came(state: SessionState, fresh: SessionState) -> bool:
    return (
        fresh.incarnation == state.incarnation
        and fresh.context_compression_version == state.context_compression_version
        and fresh.next_msg_seq > state.next_msg_seq
    )


def prepare_publication(
    publication: Publication,
    before: Window,
    state: SessionState,
    *,
    now: datetime,
    clock: Callable[[], float],
) -> PreparedWrite:
    window = publication.window
    version = state.context_compression_version + 1
    after = replace(
        state,
        context_compression_version=version,
        context_tokens=window.tokens,
        context_messages=len(window),
        tail_role=window.tail_role,
    )
    ledger = LedgerEntry(
        version=version,
        strategy=publication.strategy,
        requested_strategy=publication.requested_strategy,
        params=publication.params,
        before=Size(before.tokens, len(before)),
        after=Size(window.tokens, len(window)),
        fates=count_fates(window, frame_count=state.frame_count),
        from_next_msg_seq=state.next_msg_seq,
        from_version=state.context_compression_version,
        created_by=publication.created_by,
        created_at=now,
        duration_ms=round((clock() - publication.started) * 1000),
        why=publication.why,
        usage=publication.usage or {},
    )
    placements = tuple(Placement(i, item) for i, item in enumerate(window, start=1))
    return PreparedWrite(before=state, after=after, now=now, appended=placements, ledger=ledger)
