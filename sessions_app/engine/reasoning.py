"""What in a message is reasoning: members, and parts of its content. It may be signed or sealed, so it goes whole."""

from collections.abc import Mapping
from typing import Any, Final

from sessions_app.engine.window import ContextItem

REASONING_MEMBERS: Final = frozenset(
    {
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "reasoning_items",
        "reasoning_opaque",
        "reasoning_signature",
        "reasoning_text",
        "thinking",
        "thinking_blocks",
        "thinking_signature",
        "redacted_thinking",
        "responses_reasoning_item",
        "encrypted_content",
    }
)
REASONING_PARTS: Final = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_text"})


def has_reasoning(item: ContextItem) -> bool:
    data = item.message.data
    return any(data.get(member) for member in REASONING_MEMBERS) or any(map(_is_reasoning, _parts_of(data)))


def _is_reasoning(part: Mapping[str, Any]) -> bool:
    return part.get("type") in REASONING_PARTS


def without_reasoning(data: Mapping[str, Any]) -> dict[str, Any]:
    """The message without its reasoning. A content of nothing else becomes null."""
    left = {name: value for name, value in data.items() if name not in REASONING_MEMBERS}
    parts = _parts_of(data)
    said = [part for part in parts if not _is_reasoning(part)]
    if len(said) < len(parts):
        left["content"] = said or None
    return left


def _parts_of(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = data.get("content")
    return content if isinstance(content, list) else []
