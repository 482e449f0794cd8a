"""Gemini's contents, `{role: user|model, parts}`, as its API takes and gives them."""

from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.google_adk_session.parts import parts_of, snake
from sessions_app.interchange.loose import as_object, as_objects, as_text
from sessions_app.interchange.neutral import Message

_PARTS: Final = ("text", "function_call", "function_response", "inline_data", "file_data")
_INSTRUCTION: Final = "system_instruction"


def is_content(value: Any) -> bool:
    """Whether it is one: its parts have a member for each kind, and no `type`."""
    parts = as_object(value).get("parts")
    return isinstance(parts, list) and all(isinstance(p, dict) and any(n in snake(p) for n in _PARTS) for p in parts)


def request_or_response(value: dict[str, Any]) -> list[Message]:
    places = (snake(value), snake(as_object(value.get("config"))))
    instruction = next((place[_INSTRUCTION] for place in places if place.get(_INSTRUCTION)), None)
    system = [{"role": "system", "content": _text(instruction)}] if instruction else []
    candidates = [as_object(c.get("content")) for c in as_objects(value.get("candidates"))[:1]]
    contents = [c for c in (*as_objects(value.get("contents")), *candidates) if is_content(c)]
    return [*system, *(m for content in contents for m in messages_of(content))]


def messages_of(content: dict[str, Any]) -> list[Message]:
    parts = parts_of(content)
    said = neutral.parts_or_text(parts.said)
    if content.get("role") == "model":
        thoughts = "\n\n".join(filter(None, parts.thoughts))
        return [neutral.assistant(said, parts.calls, reasoning_content=thoughts, reasoning_details=parts.details)]
    if parts.replies and said is None:
        return parts.replies
    return [*parts.replies, {"role": "user", "content": said or ""}]


def _text(instruction: Any) -> str:
    if isinstance(instruction, str):
        return instruction
    return "\n".join(as_text(p.get("text")) for p in as_objects(as_object(instruction).get("parts")))
