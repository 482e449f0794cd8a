"""Where a session stands: values read from its row, and their stored form."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sessions_app import jsontext
from sessions_app.models import Head, Session


class State(StrEnum):
    """What the session waits for, read off the tail of its window."""

    EMPTY = "empty"
    AWAITING_MODEL = "awaiting_model"
    AWAITING_TOOLS = "awaiting_tools"
    SETTLED = "settled"


class OpenCall(NamedTuple):
    """A call of the newest call group that no reply answers; `seq` is the frame that made it."""

    id: str
    name: str
    seq: int


class RecoveredCall(NamedTuple):
    """A call that a recovery frame answered and whose real reply may still come.

    `in_place`: no assistant message follows the recovery message, so that the real reply may take its place.
    """

    id: str
    name: str
    seq: int
    recovery_seq: int
    in_place: bool


def dump_calls(calls: tuple[OpenCall, ...] | tuple[RecoveredCall, ...]) -> str:
    return jsontext.dumps([list(c) for c in calls])


@dataclass(frozen=True, slots=True)
class SessionState:
    """What a write needs of the session row: the head, what is open, the settings that decide, and the counters."""

    session_id: str
    incarnation: str
    owner_id: int
    next_msg_seq: int
    context_compression_version: int
    keep_context_history: bool
    require_head: bool
    compression_policy: str
    open_calls: tuple[OpenCall, ...]
    recovered_calls: tuple[RecoveredCall, ...]
    raw_tokens: int
    context_tokens: int
    context_messages: int
    tail_role: str

    @classmethod
    def of(cls, row: Session) -> "SessionState":
        return cls(
            session_id=row.session_id,
            incarnation=row.incarnation,
            owner_id=row.owner_id,
            next_msg_seq=row.next_msg_seq,
            context_compression_version=row.context_compression_version,
            keep_context_history=row.keep_context_history,
            require_head=row.require_head,
            compression_policy=row.compression_policy,
            open_calls=load_open_calls(row.open_calls),
            recovered_calls=load_recovered_calls(row.recovered_calls),
            raw_tokens=row.raw_tokens,
            context_tokens=row.context_tokens,
            context_messages=row.context_messages,
            tail_role=row.tail_role,
        )

    @property
    def head(self) -> Head:
        return Head(self.session_id, self.next_msg_seq, self.context_compression_version, self.incarnation)

    @property
    def frame_count(self) -> int:
        return self.next_msg_seq - 1

    @property
    def state(self) -> State:
        return read_state(tail_role=self.tail_role, has_open_calls=bool(self.open_calls))


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The whole row as people see it: the state, and what it is called."""

    state: SessionState
    title: str
    labels: tuple[str, ...]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: Session) -> "SessionRecord":
        return cls(
            state=SessionState.of(row),
            title=row.title,
            labels=jsontext.unescape_lines(row.labels),
            created_at=row.created_at,
            updated_at=row.updated_at,
        )


def read_state(*, tail_role: str, has_open_calls: bool) -> State:
    if has_open_calls:
        return State.AWAITING_TOOLS
    if not tail_role:
        return State.EMPTY
    return State.SETTLED if tail_role == "assistant" else State.AWAITING_MODEL


def load_open_calls(text: str) -> tuple[OpenCall, ...]:
    return tuple(OpenCall(*c) for c in json.loads(text)) if text != "[]" else ()


def load_recovered_calls(text: str) -> tuple[RecoveredCall, ...]:
    return tuple(RecoveredCall(*c) for c in json.loads(text)) if text != "[]" else ()
