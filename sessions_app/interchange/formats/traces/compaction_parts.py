"""Parts of type `compaction`: a provider's summary of all that was said before them, readable or not."""

from typing import Any, Final

from sessions_app.interchange.exchanges import key_of
from sessions_app.interchange.loose import as_objects, as_text
from sessions_app.interchange.neutral import Message

_OPAQUE: Final = "[An opaque summary, that only the provider's model can read.]"


def compaction_in(message: Message) -> dict[str, Any] | None:
    """The last one among the parts of a message."""
    return next((p for p in reversed(as_objects(message.get("content"))) if _is_compaction(p)), None)


def key_of_compaction(messages: list[Message]) -> str:
    """By which a later call is known to go on from one; empty where the first message holds none."""
    part = compaction_in(messages[0]) if messages else None
    if part is None:
        return ""
    # One that says nothing is known by what it stands with.
    return f"compaction {key_of(part if part.get('id') or part.get('content') else messages[0])}"


def summary_of(part: dict[str, Any]) -> Message:
    return {"role": "user", "content": as_text(part.get("content")) or _OPAQUE}


def sealed_in(part: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a part beside its summary: the whole of one that cannot be read."""
    return {} if as_text(part.get("content")) else {"sealed": [part]}


def besides(message: Message) -> list[Message]:
    return [part for part in as_objects(message["content"]) if not _is_compaction(part)]


def _is_compaction(part: dict[str, Any]) -> bool:
    return part.get("type") == "compaction"
