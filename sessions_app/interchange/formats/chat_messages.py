"""Messages of OpenAI's chat API, which the logs of many programs hold."""

from typing import Any

from sessions_app.interchange import neutral

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def is_chat_message(value: dict[str, Any]) -> bool:
    """Whether an object is a message of this API and of none that resembles it."""
    return has_chat_role(value) and not _has_foreign_parts(value) and "parts" not in value


def has_chat_role(value: dict[str, Any]) -> bool:
    role = value.get("role")
    return isinstance(role, str) and role in _ROLES


def _has_foreign_parts(message: dict[str, Any]) -> bool:
    """Anthropic's blocks for calls and results stand among the parts of the content."""
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    return any(isinstance(p, dict) and p.get("type") in ("tool_use", "tool_result") for p in parts)


def neutral_message(message: dict[str, Any]) -> dict[str, Any]:
    """As it is, but for the calls of the API before there were tools (a `function_call`, and a reply of that role),
    and for calls that local servers and logs write otherwise.
    """
    if message.get("role") == "function":
        return neutral.reply(None, message.get("content"), name=message.get("name"))
    if message.get("role") == "tool":
        # Logs hold results as they were, too. Where there is none, the reply is an empty one.
        return {**message, "content": neutral.content(message.get("content", ""))}
    if message.get("role") != "assistant":
        return message
    calls, legacy = message.get("tool_calls"), message.get("function_call")
    if isinstance(calls, list) and calls:
        return {**message, "tool_calls": [_call(c) for c in calls]}
    if isinstance(legacy, dict) and not calls:
        kept = {name: value for name, value in message.items() if name != "function_call"}
        return {**kept, "tool_calls": [neutral.call(None, legacy.get("name"), legacy.get("arguments"))]}
    return message


def _call(call: Any) -> dict[str, Any]:
    """As it is where it is well formed. Arguments may also be an object, and may stand in the call itself."""
    if not isinstance(call, dict):
        return neutral.call(None, None, call)
    function = call.get("function")
    if isinstance(call.get("custom"), dict) and function is None:
        return call
    inner = function if isinstance(function, dict) else call
    if inner is function and isinstance(inner.get("name"), str) and isinstance(inner.get("arguments"), str):
        return call
    arguments = inner.get("arguments", inner.get("args"))
    return neutral.call(call.get("id"), inner.get("name"), arguments)
