"""Compress after an append: a compression that follows it by itself, and becomes a part of its answer."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from django.utils import timezone
from pydantic import BaseModel

from sessions_app.engine.attempts import Written, receipt_for
from sessions_app.engine.commit import PreparedWrite
from sessions_app.engine.compress import proposer
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.ledger import LedgerEntry
from sessions_app.engine.projection import Placement
from sessions_app.engine.publish import publish
from sessions_app.engine.receipts import IdempotencyKey
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.state import SessionState
from sessions_app.engine.strategy import Strategy, Toolbox
from sessions_app.engine.window import Window


@with_typed_failures
def compress_after(
    appended: Written,
    *,
    strategy: Strategy,
    params: BaseModel,
    policy_after: str,
    tools: Toolbox = Toolbox(),
    created_by: str = "",
    idempotency: IdempotencyKey | None = None,
    now: Callable[[], datetime] = timezone.now,
    clock: Callable[[], float] = time.monotonic,
) -> Written:
    """Compress the window as `appended`, an append that is committed, left it. Gives the answer to both.

    It starts from exactly that head and carries nothing over that came since: the answer's head would cover frames that
    its reader never saw. It stands on the policy that the append found, and leaves `policy_after` in its place. What
    was remembered under `idempotency`, the append's key, is amended in the same transaction.

    Raises StaleHead or Conflict where the session, or its policy, has moved since; and what `compress` raises.
    """

    def finish(prepared: PreparedWrite) -> PreparedWrite:
        assert prepared.ledger is not None  # a version that is made stands in the ledger
        prepared = replace(
            prepared,
            after=replace(prepared.after, compression_policy=policy_after),
            ledger=replace(prepared.ledger, automatic=True),
            by_policy=True,
        )
        if idempotency is None:
            return prepared
        answer = _answer(appended, prepared.after, tuple(prepared.appended), prepared.ledger)
        receipt = receipt_for(idempotency, answer, status=201, now=prepared.now, expired=False)
        return replace(prepared, amends=receipt)

    assert appended.frames  # an append writes at least one
    made = publish(
        session_id=appended.state.session_id,
        propose=proposer(strategy, params, tools),
        expected=appended.state.head,
        dry_run=False,
        created_by=created_by,
        idempotency=None,
        now=now,
        clock=clock,
        carries=0,
        finish=finish,
    )
    return _answer(appended, made.state, made.context or (), made.compression)


def _answer(
    appended: Written, state: SessionState, window: tuple[Placement, ...], entry: LedgerEntry | None
) -> Written:
    """The append's, with the head and the window after the compression: of that, what stands for its frames."""
    first, last = appended.frames[0].seq, appended.frames[-1].seq
    return replace(
        appended,
        state=state,
        context=tuple(p for p in window if _stands_for_any(p.item.original_seqs, first, last)),
        compression=entry,
        window=Window.of(p.item for p in window),
    )


def _stands_for_any(seqs: Seqs, first: int, last: int) -> bool:
    return any(a <= last and b >= first for a, b in seqs.ranges)
