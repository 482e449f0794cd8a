"""Compress: a strategy makes a smaller window of the current one, and it is published under the next version."""

import time
from collections.abc import Callable
from datetime import datetime

from django.utils import timezone
from pydantic import BaseModel

from sessions_app.engine import reads
from sessions_app.engine.attempts import Expected, Written
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import NothingToCompress, RuleBroken
from sessions_app.engine.publish import Proposal, publish
from sessions_app.engine.receipts import IdempotencyKey
from sessions_app.engine.rules import Candidate, FirstRequest, check
from sessions_app.engine.state import SessionState
from sessions_app.engine.strategy import CannotCompress, Compressed, Strategy, Toolbox, made_by
from sessions_app.engine.window import Window


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
    return publish(
        session_id=session_id,
        propose=proposer(strategy, params, tools),
        expected=expected,
        dry_run=dry_run,
        created_by=created_by,
        idempotency=idempotency,
        now=now,
        clock=clock,
    )


def proposer(strategy: Strategy, params: BaseModel, tools: Toolbox) -> Callable[[reads.WindowRead], Proposal]:
    """What `publish` asks for a window: that of the strategy, under the rules."""

    def propose(read: reads.WindowRead) -> Proposal:
        first_request = find_first_request(read.window, read.state.session_id)

        def ensure_rules(before: Window, after: Window, state: SessionState) -> None:
            candidate = Candidate(before, after, state.open_calls, state.frame_count, first_request)
            if broken := check(candidate):
                raise RuleBroken(broken, strategy=strategy.name)

        made = candidate_of(strategy, params, read.window, read.state, tools)
        return Proposal(
            window=made.window,
            strategy=made.used or strategy.name,
            requested_strategy=strategy.name,
            params=params.model_dump(mode="json"),
            why=made.why,
            usage=made.usage,
            ensure_rules=ensure_rules,
        )

    return propose


def candidate_of(
    strategy: Strategy, params: BaseModel, window: Window, state: SessionState, tools: Toolbox
) -> Compressed:
    """Raises NothingToCompress where the strategy has nothing to gain."""
    try:
        return made_by(strategy, window, params=params, tools=tools)
    except CannotCompress as e:
        raise NothingToCompress(actual=state, why=str(e)) from e


def first_request_in(window: Window) -> FirstRequest | None:
    if not window.request_indexes:
        return None
    first = min((window[i] for i in window.request_indexes), key=lambda item: item.original_seqs.first)
    return FirstRequest(first.original_seqs.first, first.message.body)


def find_first_request(window: Window, session_id: str) -> FirstRequest | None:
    """The first thing the user said; read from the frames only where a summary may cover it in this window."""
    if not any(item.kind == "summary" for item in window):
        return first_request_in(window)
    frame = reads.first_user_frame(session_id)
    return None if frame is None else FirstRequest(frame.seq, frame.message.body)
