"""LangChain's messages: plain objects with a `type`, or its own form of a serialised class."""

from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.loose import as_object, as_text, without
from sessions_app.interchange.neutral import Message

_TYPES = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "user": "user",
    "assistant": "assistant",
    "developer": "developer",
}
_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
}
_KEPT = ("name", "tool_calls", "tool_call_id", "refusal", "reasoning_content", "function_call")


def is_message(value: dict[str, Any]) -> bool:
    if value.get("type") == "constructor":
        return _class_of(value) in _CLASSES
    return "role" not in value and "content" in value and value.get("type") in tuple(_TYPES)


def plain(value: dict[str, Any]) -> Message:
    """As a chat message. What a class has besides, its usage say, is told by the span."""
    if value.get("type") == "constructor":
        value = {**as_object(value.get("kwargs")), "type": _CLASSES[_class_of(value)]}
    others = {**as_object(value.get("additional_kwargs")), **without(value)}
    role, content = _TYPES[value["type"]], value.get("content")
    if content is None and role != "assistant":
        content = ""
    elif not isinstance(content, str | list | None):
        content = neutral.json_text(content)
    message: Message = {"role": role, "content": content}
    message |= {name: others[name] for name in _KEPT if others.get(name)}
    if role == "tool":
        message["tool_call_id"] = as_text(value.get("tool_call_id"))
    if value.get("status") == "error" and message["role"] == "tool":
        message["is_error"] = True
    return message


def _class_of(value: dict[str, Any]) -> str:
    path = value.get("id")
    return as_text(path[-1]) if isinstance(path, list) and path else ""
