"""Raw frames for the tests of measures, numbered from 1, replies tied to their calls."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sessions_app.engine import Frame, Message

Msg = dict[str, Any]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def frames_of(messages: Iterable[Msg | Message]) -> list[Frame]:
    frames: list[Frame] = []
    callers: dict[str, int] = {}
    for seq, given in enumerate(messages, start=1):
        message = given if isinstance(given, Message) else Message.of(given)
        frames.append(_frame(seq, message, callers))
        if not message.is_damaged:
            callers |= {call.id: seq for call in message.calls}
    return frames


def _frame(seq: int, message: Message, callers: dict[str, int]) -> Frame:
    damaged = message.is_damaged
    return Frame(
        seq=seq,
        source="agent",
        created_at=NOON,
        context_version=1,
        tokens=0 if damaged else message.count_tokens(),
        metadata={},
        message=message,
        role="user" if damaged else message.role,
        tool_names=(),
        call_seq=None if damaged else callers.get(message.tool_call_id or ""),
        recovery_seq=None,
    )
