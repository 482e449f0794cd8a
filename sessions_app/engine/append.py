"""Append: messages enter the raw history and the window together, all or none."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils import timezone

from sessions_app.engine import reads
from sessions_app.engine.attempts import Expected, Retry, Written, write
from sessions_app.engine.commit import PreparedWrite
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import Fault, InvalidMessages
from sessions_app.engine.messages import Message
from sessions_app.engine.pairing import Walk
from sessions_app.engine.prepared import prepare_frames
from sessions_app.engine.projection import FindRecovery, Placement
from sessions_app.engine.receipts import IdempotencyKey
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.state import OpenCall, SessionState
from sessions_app.engine.validity import json_faults, parse_messages

MAX_MESSAGES = 1000

Metadata = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


@with_typed_failures
def append(
    *,
    session_id: str,
    messages: Sequence[Mapping[str, Any]],
    expected: Expected = None,
    recover: bool = False,
    metadata: Metadata = None,
    idempotency: IdempotencyKey | None = None,
    wording: RecoveryWording | None = None,
    now: Callable[[], datetime] = timezone.now,
    retry: Retry = Retry(),
) -> Written:
    """Append 1 to 1,000 `messages` as one transaction; never reads the window.

    `expected`: the head that the writer has seen; without it the append is tried again on the fresh head. `recover`:
    where a message of another role meets open calls, recovery frames are written before it. `metadata`: an object for
    one message, or a list as long as `messages`.

    Raises InvalidMessages, SessionNotFound, KeyReused, StaleHead, HeadRequired, OpenToolCalls, UnmatchedToolReply,
    Conflict, DatabaseBusy, DatabaseUnavailable. Nothing is written then.
    """
    batch = _Batch(messages, metadata)
    opened_before: list[frozenset[OpenCall]] = []

    def prepare(state: SessionState) -> PreparedWrite:
        # Only what was open when the request was first read may be filled: another writer's newer call may be running.
        opened_before.append(frozenset(state.open_calls))
        walk = Walk(state, wording or RecoveryWording.configured(), recover=recover, may_fill=opened_before[0])
        walk.take_all(batch.messages)
        return prepare_frames(walk, notes=batch.metadata, now=now(), find=recovery_finder(state))

    return write(
        session_id=session_id,
        expected=expected,
        idempotency=idempotency,
        now=now,
        retry=retry,
        status=201,
        prepare=prepare,
    )


class _Batch:
    """The messages of one append, checked once and when first needed: a stale head is told before a bad message."""

    def __init__(self, messages: Any, metadata: Any) -> None:
        self._messages, self._metadata = messages, metadata

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        return parse_batch(self._messages)

    @cached_property
    def metadata(self) -> tuple[dict[str, Any], ...]:
        return parse_metadata(self._metadata, len(self.messages))


def parse_batch(messages: Any, *, at_least: int = 1) -> tuple[Message, ...]:
    if isinstance(messages, list | tuple) and not at_least <= len(messages) <= MAX_MESSAGES:
        raise InvalidMessages(
            [
                Fault(
                    "/messages",
                    f"must hold {at_least} to {MAX_MESSAGES:,} messages, not {len(messages):,}",
                )
            ]
        )
    return parse_messages(messages)


def parse_metadata(metadata: Any, count: int) -> tuple[dict[str, Any], ...]:
    """One object for each message. Raises InvalidMessages."""
    if metadata is None:
        return ({},) * count
    if isinstance(metadata, dict):
        if count != 1:
            raise InvalidMessages([Fault("/metadata", f"must be a list of {count} objects, one for each message")])
        if faults := json_faults(metadata, "/metadata"):
            raise InvalidMessages(faults)
        return (metadata,)
    if not isinstance(metadata, list):
        raise InvalidMessages([Fault("/metadata", "must be an object, or a list as long as `messages`")])
    if len(metadata) != count:
        raise InvalidMessages([Fault("/metadata", f"must be as long as `messages` ({count}), not {len(metadata)}")])
    faults = [Fault(f"/metadata/{i}", "must be an object") for i, m in enumerate(metadata) if not isinstance(m, dict)]
    faults += [fault for i, m in enumerate(metadata) for fault in json_faults(m, f"/metadata/{i}")]
    if faults:
        raise InvalidMessages(faults)
    return tuple(metadata)


def recovery_finder(state: SessionState) -> FindRecovery:
    """Looks a recovery message up in the current window, where the state says that no assistant message follows it."""
    version = state.context_compression_version
    replaceable = {c.recovery_seq for c in state.recovered_calls if c.in_place}

    def find(recovery_seq: int) -> Placement | None:
        if recovery_seq not in replaceable:
            return None
        return reads.recovery_message(state.session_id, version=version, recovery_seq=recovery_seq)

    return find
