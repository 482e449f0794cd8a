"""Idempotency: what is remembered of a write that succeeded under a key, and the answer rebuilt from it.

Small on purpose: frames are rebuilt from their rows, the window's items from the version they were written under.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sessions_app import jsontext
from sessions_app.engine.state import SessionState, dump_calls, load_open_calls
from sessions_app.models import IdempotencyRecord, RowsQuerySet

KEPT_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """Names one request of one user. `request_hash` tells it from another request under the same key."""

    owner_id: int
    key: str
    request_hash: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The small part of an answer: the state after the write, the frames and positions that it wrote, its version."""

    state: SessionState
    first_seq: int | None
    last_seq: int | None
    positions: tuple[int, ...] | None
    """Positions of the new context items; None: the whole window of the version."""
    compressed: bool = False
    """For an append: whether its answer tells of the compression that followed it, which made the version."""
    called: dict[str, Any] = field(default_factory=dict)
    """For a creation: title, labels and times, which a later change must not alter in the replay."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """An idempotency record before it is written. `session_id` and `incarnation` are empty for a creation."""

    key: IdempotencyKey
    session_id: str
    incarnation: str
    status: int
    answered: Answered
    now: datetime
    replaces_expired: bool = False

    def rows(self) -> RowsQuerySet[IdempotencyRecord]:
        return records(self.key, session_id=self.session_id, incarnation=self.incarnation)

    def row(self) -> IdempotencyRecord:
        return IdempotencyRecord(
            owner_id=self.key.owner_id,
            session_id=self.session_id,
            incarnation=self.incarnation,
            key=self.key.key,
            request_hash=self.key.request_hash,
            status=self.status,
            answer=dump_answered(self.answered),
            created_at=self.now,
        )


def records(key: IdempotencyKey, *, session_id: str, incarnation: str) -> RowsQuerySet[IdempotencyRecord]:
    return IdempotencyRecord.objects.filter(
        owner_id=key.owner_id, session_id=session_id, incarnation=incarnation, key=key.key
    )


def dump_answered(answered: Answered) -> str:
    state = answered.state
    return jsontext.dumps(
        {
            "state": {
                name: getattr(state, name)
                for name in SessionState.__slots__
                if name not in ("open_calls", "recovered_calls")
            },
            "open_calls": dump_calls(state.open_calls),
            "frames": [answered.first_seq, answered.last_seq],
            "positions": answered.positions,
            "compressed": answered.compressed,
            "called": answered.called,
        }
    )


def load_answered(text: str) -> Answered:
    """Undo `dump_answered`. The calls that await a late reply are in no answer, and are not kept."""
    stored = json.loads(text)
    positions = stored["positions"]
    return Answered(
        state=SessionState(**stored["state"], open_calls=load_open_calls(stored["open_calls"]), recovered_calls=()),
        first_seq=stored["frames"][0],
        last_seq=stored["frames"][1],
        positions=None if positions is None else tuple(positions),
        compressed=stored.get("compressed", False),
        called=stored["called"],
    )
