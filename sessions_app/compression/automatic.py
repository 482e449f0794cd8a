"""Automatic compression: an append, and right after it, where the policy asks for that, a compression.

In a transaction of its own and before the answer, whose head is that after it. A failure there never fails the append.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils import timezone

from sessions_app import engine
from sessions_app.compression.parameters import parse_params
from sessions_app.compression.policy import Policy, is_due, load_policy
from sessions_app.compression.registry import find
from sessions_app.compression.stopping import policy_after, stopped
from sessions_app.engine import (
    Conflict,
    EngineError,
    Expected,
    IdempotencyKey,
    NothingToCompress,
    RecoveryWording,
    Retry,
    SessionNotFound,
    SessionState,
    StaleHead,
    Toolbox,
    Written,
)

logger = logging.getLogger(__name__)

_RETRY: Final = Retry()
_OF_NO_CONCERN: Final = (NothingToCompress, StaleHead, Conflict, SessionNotFound)
"""What happens in the best of sessions: there is nothing to gain, or another was faster."""


def append(
    *,
    session_id: str,
    messages: Sequence[Mapping[str, Any]],
    expected: Expected = None,
    recover: bool = False,
    metadata: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    idempotency: IdempotencyKey | None = None,
    wording: RecoveryWording | None = None,
    now: Callable[[], datetime] = timezone.now,
    retry: Retry = _RETRY,
    created_by: str = "",
) -> Written:
    """`engine.append`, and then what the session's policy does by itself; `created_by` stands in the ledger then.

    Where it compressed, `compression` is the row of the ledger, `state` the one after it, and `context` what stands for
    the new frames in the new window, which is `window`. Raises what `engine.append` raises.
    """
    written = engine.append(
        session_id=session_id,
        messages=messages,
        expected=expected,
        recover=recover,
        metadata=metadata,
        idempotency=idempotency,
        wording=wording,
        now=now,
        retry=retry,
    )
    policy = None if written.replayed else _due_policy(written.state)
    if policy is None:
        return written
    try:
        return _compressed(written, policy, idempotency, created_by, now)
    except _OF_NO_CONCERN as e:
        logger.info("Session %s was not compressed automatically: %s", session_id, e)
    except EngineError as e:
        logger.warning("Session %s could not be compressed automatically by %r: %s", session_id, policy.strategy, e)
    except Exception:
        # The append is committed: a defect of a strategy must not make its writer send it again.
        logger.exception("Session %s could not be compressed automatically by %r", session_id, policy.strategy)
    return written


def _due_policy(state: SessionState) -> Policy | None:
    """The policy that asks for a compression now. Reads nothing: the append has read the session's row."""
    text = state.compression_policy
    if not is_due(policy_text=text, context_tokens=state.context_tokens):
        return None
    policy = load_policy(text)
    return policy if policy is not None and policy.auto and not stopped(text) else None


def _compressed(
    written: Written,
    policy: Policy,
    idempotency: IdempotencyKey | None,
    created_by: str,
    now: Callable[[], datetime],
) -> Written:
    strategy = find(policy.strategy)
    return engine.compress_after(
        written,
        strategy=strategy,
        params=parse_params(strategy, policy.params_for(strategy)),
        policy_after=policy_after(written.state),
        tools=Toolbox(limit_tokens=policy.limit_tokens, may_ask_model=False),
        created_by=created_by,
        idempotency=idempotency,
        now=now,
    )
