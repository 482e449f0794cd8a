"""Whether a file holds Anthropic messages, and how they are laid out in it."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from sessions_app.interchange.exchanges import body_of
from sessions_app.interchange.formats.anthropic_messages.turns import ROLES
from sessions_app.interchange.sniff import Sniff

Layout = Literal["document", "messages", "conversations", "exchanges"]

_BLOCKS: Final = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "compaction")
_WITH_SOURCE: Final = ("image", "document")
_FOREIGN_ROLES: Final = ("developer", "tool", "function")


def layout_of(sniff: Sniff) -> Layout | None:
    if sniff.shape == "object":
        return "document" if _is_request(sniff.members) else None
    if sniff.shape not in ("array", "lines"):
        return None
    if any(_is_exchange(o) for o in sniff.objects):
        return "exchanges"
    if any(_is_request(o) for o in sniff.objects) or any(_has_own_blocks(r) for r in sniff.records):
        return "conversations"
    return "messages" if _has_own_blocks(sniff.records) else None


def _is_exchange(value: dict[str, Any]) -> bool:
    request, response = body_of(value, "request"), body_of(value, "response")
    return _is_request(request) or (isinstance(request.get("messages"), list) and response.get("type") == "message")


def _is_request(value: dict[str, Any]) -> bool:
    """`{system, messages}`, with a system prompt beside the messages or blocks of this API's own among them."""
    messages = value.get("messages")
    if not isinstance(messages, list) or not any(_has_role(m, ROLES) for m in messages) or _are_foreign(messages):
        return False
    model = value.get("model")
    is_claude = isinstance(model, str) and "claude" in model and "max_tokens" in value
    return isinstance(value.get("system"), str | list) or is_claude or _has_own_blocks(messages)


def _has_own_blocks(messages: Any) -> bool:
    if not isinstance(messages, list | tuple) or _are_foreign(messages):
        return False
    contents = [m.get("content") for m in messages if _has_role(m, ROLES)]
    return any(_is_own(block) for content in contents if isinstance(content, list) for block in content)


def _are_foreign(messages: Sequence[Any]) -> bool:
    """Whether a message among them has the role, the calls or the parts of another API."""
    for message in messages:
        if _has_role(message, _FOREIGN_ROLES) or (isinstance(message, dict) and "tool_calls" in message):
            return True
        content = message.get("content") if isinstance(message, dict) else None
        parts = [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []
        if any("value" in p or p.get("type") == "image_url" for p in parts):
            return True
    return False


def _has_role(value: Any, roles: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and value.get("role") in roles


def _is_own(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    return block.get("type") in _BLOCKS or (block.get("type") in _WITH_SOURCE and isinstance(block.get("source"), dict))
