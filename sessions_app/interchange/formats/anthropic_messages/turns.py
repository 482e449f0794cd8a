"""A message of Anthropic's API with what is known of it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time

ROLES = ("user", "assistant", "system")

_CARRIED = ("role", "content", "type", "model", "usage", "stop_reason", "id", "timestamp")
_COUNTED = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the API with what is known of it: those of a request are bare, a response says a good deal."""

    role: str
    content: Any
    records: tuple[int, ...]
    metadata: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None
    iterations: tuple[Any, ...] = ()
    """What each pass of the model used: a compaction is one of its own."""

    def with_extra(self, **members: Any) -> "Turn":
        return replace(self, metadata={**self.metadata, "extra": {**self.metadata.get("extra", {}), **members}})


def turn_of(message: Any, records: tuple[int, ...], tally: Tally) -> Turn | None:
    """The turn of a message, or None, and a word in the tally, for what is none."""
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        tally.skip("message", "has no role of this API", records[0])
        return None
    usage = message.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    extra = {name: value for name, value in message.items() if name not in _CARRIED and not _is_hollow(value)}
    if further := {k: v for k, v in usage.items() if k not in _COUNTED and not _is_hollow(v)}:
        extra["usage"] = further
    metadata = {
        "model": message.get("model"),
        "usage": neutral.usage(usage),
        "stop_reason": message.get("stop_reason"),
        "response_id": message.get("id"),
        "extra": extra,
    }
    iterations = usage.get("iterations")
    return Turn(
        role=message["role"],
        content=message.get("content"),
        records=records,
        metadata=neutral.without_empty(metadata),
        at=parse_time(message.get("timestamp")),
        iterations=tuple(iterations) if isinstance(iterations, list) else (),
    )


def _is_hollow(value: Any) -> bool:
    """Whether a member says nothing: null, or an object that holds only such members."""
    if isinstance(value, dict):
        return all(_is_hollow(v) for v in value.values())
    return value in (None, "", [])
