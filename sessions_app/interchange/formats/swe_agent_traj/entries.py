"""The entries of a history of SWE-agent as messages."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.chat_messages import neutral_message
from sessions_app.interchange.loose import as_objects
from sessions_app.interchange.transcript import Said

_ROLES = ("system", "user", "assistant", "tool")
_CARRIED = ("role", "content", "tool_calls", "tool_call_ids", "agent", "thinking_blocks", "cache_control")


def has_role(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("role") in _ROLES


def said(entry: dict[str, Any], number: int) -> Said:
    metadata = {"agent": entry.get("agent"), "extra": _extra(entry)}
    return Said(_message(entry), (number,), neutral.without_empty(metadata))


def calls_of(message: dict[str, Any]) -> set[str]:
    return {c["id"] for c in as_objects(message.get("tool_calls")) if isinstance(c.get("id"), str)}


def replies_besides(told: Said, entry: dict[str, Any], calls: set[str]) -> Iterator[Said]:
    """An observation may be the reply to several of the open calls: each gets it, or it would look unanswered."""
    ids = entry.get("tool_call_ids")
    named = [i for i in ids if isinstance(i, str)] if isinstance(ids, list) and told.message["role"] == "tool" else []
    for call_id in dict.fromkeys(named):
        if call_id in calls and call_id != told.message["tool_call_id"]:
            yield replace(told, message={**told.message, "tool_call_id": call_id}, metadata={})


def _message(entry: dict[str, Any]) -> dict[str, Any]:
    role, content = entry["role"], entry.get("content")
    if role == "tool":
        ids = entry.get("tool_call_ids")
        # SWE-agent itself answers the first call only.
        return neutral.reply(ids[0] if isinstance(ids, list) and ids else None, "" if content is None else content)
    message = {"role": role, "content": content}
    if role == "assistant":
        if entry.get("tool_calls"):
            message["tool_calls"] = entry["tool_calls"]
        message |= _reasoning(entry.get("thinking_blocks"))
    return neutral_message(message)


def _reasoning(blocks: Any) -> dict[str, Any]:
    known = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    thoughts = [b["thinking"] for b in known if isinstance(b.get("thinking"), str)]
    signed = [b for b in known if b.get("signature") or b.get("data")]
    return neutral.without_empty({"reasoning_content": "\n\n".join(thoughts), "reasoning_details": signed})


def _extra(entry: dict[str, Any]) -> dict[str, Any]:
    """What an entry says besides. Thought and action are parts of the content of those who write them as text."""
    content = text(entry.get("content"))
    extra = {name: value for name, value in entry.items() if name not in _CARRIED}
    for name in ("thought", "action"):
        if isinstance(extra.get(name), str) and extra[name].strip() in content:
            del extra[name]
    ids = entry.get("tool_call_ids")
    if isinstance(ids, list) and len(ids) > 1:
        extra["tool_call_ids"] = ids
    return neutral.without_empty(extra)


def text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))


def is_demo(said: Said) -> bool:
    return bool(said.metadata.get("extra", {}).get("is_demo"))
