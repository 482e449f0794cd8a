"""Create: a session, its version 1, and the first messages if any, in one transaction."""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.utils import timezone
from uuid_utils import uuid7

from sessions_app.engine import reads
from sessions_app.engine.append import Metadata, parse_batch, parse_metadata
from sessions_app.engine.commit import PreparedWrite, commit_new
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import Fault, InvalidInput, SessionExists
from sessions_app.engine.fate_bins import FateBins
from sessions_app.engine.ledger import LedgerEntry, Size
from sessions_app.engine.pairing import Walk
from sessions_app.engine.prepared import prepare_frames
from sessions_app.engine.receipts import Answered, IdempotencyKey, Receipt, load_answered
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.settings_of_session import check_labels, check_policy, check_title
from sessions_app.engine.state import SessionRecord, SessionState
from sessions_app.engine.window import Window

SESSION_ID = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._:@~-]{1,200}\Z")


@dataclass(frozen=True, slots=True)
class Created:
    record: SessionRecord
    replayed: bool = False


def new_session_id() -> str:
    return str(uuid7())


def new_incarnation() -> str:
    return secrets.token_hex(8)


@with_typed_failures
def create(
    *,
    owner_id: int,
    session_id: str | None = None,
    title: str = "",
    labels: Sequence[str] = (),
    keep_context_history: bool = True,
    require_head: bool = False,
    compression_policy: str = "",
    messages: Sequence[Mapping[str, Any]] = (),
    metadata: Metadata = None,
    created_by: str = "",
    idempotency: IdempotencyKey | None = None,
    wording: RecoveryWording | None = None,
    now: Callable[[], datetime] = timezone.now,
    make_id: Callable[[], str] = new_session_id,
    make_incarnation: Callable[[], str] = new_incarnation,
) -> Created:
    """Make a session for `owner_id` under `session_id`, or under a UUIDv7.

    Raises InvalidInput, InvalidMessages, OpenToolCalls, UnmatchedToolReply, SessionExists, KeyReused.
    """
    created_at = now()
    replay, expired = _replay(idempotency, created_at)
    if replay is not None:
        return replay
    parsed = parse_batch(messages, at_least=0)
    notes = parse_metadata(metadata, len(parsed))
    check_title(title)
    check_labels(labels)
    check_policy(compression_policy)
    if session_id is not None and not SESSION_ID.match(session_id):
        raise InvalidInput(
            [
                Fault(
                    "/session_id",
                    "must be 1 to 200 of the characters A-Z a-z 0-9 . _ : @ ~ - and neither . nor ..",
                )
            ]
        )
    empty = empty_state(
        session_id=session_id or make_id(),
        incarnation=make_incarnation(),
        owner_id=owner_id,
        keep_context_history=keep_context_history,
        require_head=require_head,
        compression_policy=compression_policy,
    )
    walk = Walk(empty, wording or RecoveryWording.configured())
    walk.take_all(parsed)
    prepared = prepare_frames(walk, notes=notes, now=created_at, find=lambda _seq: None)
    record = SessionRecord(
        prepared.after,
        title=title,
        labels=tuple(labels),
        created_at=created_at,
        updated_at=created_at,
    )
    prepared = replace(prepared, ledger=version_1(empty, created_by=created_by, now=created_at))
    if idempotency is not None:
        prepared = replace(prepared, receipt=_receipt(idempotency, record, expired=expired))
    try:
        commit_new(record, prepared)
    except IntegrityError as e:
        return _taken(prepared, idempotency, created_at, e)
    return Created(record)


def _taken(
    prepared: PreparedWrite, idempotency: IdempotencyKey | None, now: datetime, refused: IntegrityError
) -> Created:
    """Another creation was first: under the same key, then ours is its replay, or under the same id.

    Raises what the database said where it was neither: an owner that does not exist, say.
    """
    replay, _ = _replay(idempotency, now)
    if replay is not None:
        return replay
    if not reads.session_exists(prepared.after.session_id):
        raise refused
    raise SessionExists(prepared.after.session_id)


def _replay(key: IdempotencyKey | None, now: datetime) -> tuple[Created | None, bool]:
    if key is None:
        return None, False
    record, expired = reads.remembered(key, session_id="", incarnation="", now=now)
    if record is None:
        return None, expired
    answered = load_answered(record.answer)
    called = answered.called
    return Created(
        SessionRecord(
            answered.state,
            title=called["title"],
            labels=tuple(called["labels"]),
            created_at=datetime.fromisoformat(called["created_at"]),
            updated_at=datetime.fromisoformat(called["created_at"]),
        ),
        replayed=True,
    ), False


def _receipt(key: IdempotencyKey, record: SessionRecord, *, expired: bool) -> Receipt:
    called = {
        "title": record.title,
        "labels": list(record.labels),
        "created_at": record.created_at.isoformat(),
    }
    return Receipt(
        key=key,
        session_id="",
        incarnation="",
        status=201,
        answered=Answered(state=record.state, first_seq=None, last_seq=None, positions=(), called=called),
        now=record.created_at,
        replaces_expired=expired,
    )


def empty_state(
    *,
    session_id: str,
    incarnation: str,
    owner_id: int,
    keep_context_history: bool = True,
    require_head: bool = False,
    compression_policy: str = "",
) -> SessionState:
    """A session before its first message."""
    return SessionState(
        session_id=session_id,
        incarnation=incarnation,
        owner_id=owner_id,
        next_msg_seq=1,
        context_compression_version=1,
        keep_context_history=keep_context_history,
        require_head=require_head,
        compression_policy=compression_policy,
        open_calls=(),
        recovered_calls=(),
        raw_tokens=0,
        context_tokens=0,
        context_messages=0,
        tail_role="",
    )


def version_1(empty: SessionState, *, created_by: str, now: datetime) -> LedgerEntry:
    """The uncompressed projection: made from nothing, by no strategy."""
    bins = FateBins.of(Window(), frame_count=0)
    return LedgerEntry(
        version=1,
        strategy=None,
        requested_strategy=None,
        params={},
        before=Size(0, 0),
        after=Size(0, 0),
        fates=bins.totals,
        from_next_msg_seq=empty.next_msg_seq,
        from_version=0,
        created_by=created_by,
        created_at=now,
        fate_bins=bins,
    )
