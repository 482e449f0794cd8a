"""Recover: answer each open call with a frame that says what is known, so that the conversation can go on.

The engine never runs a tool again and never removes a call (contract, section 3, Recovery).
"""

from collections.abc import Callable
from datetime import datetime

from django.utils import timezone

from sessions_app.engine import reads
from sessions_app.engine.attempts import (
    Expected,
    Retry,
    Written,
    check_head,
    replay_of,
    result_of,
    write,
)
from sessions_app.engine.commit import PreparedWrite
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import Fault, InvalidInput
from sessions_app.engine.pairing import Walk
from sessions_app.engine.prepared import prepare_frames
from sessions_app.engine.receipts import IdempotencyKey
from sessions_app.engine.recovery_text import REASONS, RecoveryWording
from sessions_app.engine.state import SessionState


class _NothingOpen(Exception):
    def __init__(self, state: SessionState) -> None:
        self.state = state


@with_typed_failures
def recover(
    *,
    session_id: str,
    expected: Expected = None,
    reason: str | None = None,
    dry_run: bool = False,
    idempotency: IdempotencyKey | None = None,
    wording: RecoveryWording | None = None,
    now: Callable[[], datetime] = timezone.now,
    retry: Retry = Retry(),
) -> Written:
    """Write one recovery frame for each open call, in call order, in one transaction.

    No open call: nothing is written, and `frames` is empty. `reason`: None, `crash` or `user_interrupt`. A dry run
    gives what would be written, with the state as it is.

    Raises InvalidInput, SessionNotFound, KeyReused, StaleHead, HeadRequired, Conflict.
    """
    if reason is not None and reason not in REASONS:
        raise InvalidInput([Fault("/reason", "must be one of " + ", ".join(REASONS))])

    def prepare(state: SessionState) -> PreparedWrite:
        if not state.open_calls:
            raise _NothingOpen(state)
        walk = Walk(state, wording or RecoveryWording.configured())
        walk.fill(reason=reason)
        return prepare_frames(walk, notes=(), now=now(), find=lambda _seq: None)

    try:
        if dry_run:
            return _preview(session_id, expected, idempotency, now, prepare)
        return write(
            session_id=session_id,
            expected=expected,
            idempotency=idempotency,
            now=now,
            retry=retry,
            status=200,
            prepare=prepare,
        )
    except _NothingOpen as nothing:
        return Written(state=nothing.state, dry_run=dry_run)


def _preview(
    session_id: str,
    expected: Expected,
    idempotency: IdempotencyKey | None,
    now: Callable[[], datetime],
    prepare: Callable[[SessionState], PreparedWrite],
) -> Written:
    state = reads.session_state(session_id)
    replay, _ = replay_of(idempotency, state=state, now=now)
    if replay is not None:
        return replay
    check_head(expected, state, dry_run=True)
    would = result_of(prepare(state))
    return Written(state=state, frames=would.frames, context=would.context, dry_run=True)
