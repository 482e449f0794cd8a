"""A window made fit for providers, which refuse messages that a session must keep (contract, `context/messages/`)."""

from collections.abc import Iterable
from typing import Any

from sessions_app.engine.messages import Message

EMPTY_USER = "(empty)"
EMPTY_REPLY = "(no output)"


def sendable(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The list to send, of dicts of the caller's own. Raises DamagedMessage."""
    return [data for message in messages if (data := _fit(message)) is not None]


def _fit(message: Message) -> dict[str, Any] | None:
    data = message.copy()
    if not is_blank(data.get("content")):
        return data
    match data["role"]:
        case "assistant" if not _says_otherwise(data):
            return None
        case "user":
            return {**data, "content": EMPTY_USER}
        case "tool":
            return {**data, "content": EMPTY_REPLY}
    return data


def is_blank(content: Any) -> bool:
    """Whether there is no text and nothing else in a message's content."""
    if content is None:
        return True
    if isinstance(content, str):
        return not content.strip()
    return all(
        part["type"] in ("text", "input_text", "output_text") and not str(part.get("text") or "").strip()
        for part in content
    )


def _says_otherwise(data: dict[str, Any]) -> bool:
    """Whether an assistant message without content says something all the same: a call, a refusal, a voice."""
    return any(data.get(member) for member in ("tool_calls", "function_call", "refusal", "audio"))
