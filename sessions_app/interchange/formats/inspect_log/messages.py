"""The messages of Inspect as neutral ones, and the attachments that stand for their longer texts."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.loose import as_object, as_objects, as_text, without

Message = dict[str, Any]

ROLES: Final = ("system", "user", "assistant", "tool")
REFERENCES: Final = ("attachment://", "tc://")
_ROOM: Final = 512 * 1024**2
"""Characters of attachments in the messages of a sample: each may be referred to any number of times."""


@dataclass(slots=True)
class Attachments:
    """Texts of a sample that its messages and events refer to. `left_out` counts the references that stay, by why."""

    texts: dict[str, Any]
    left_out: Counter[str] = field(default_factory=Counter)
    _room: int = _ROOM

    def resolved(self, value: Any) -> Any:
        """The value with each reference in it replaced."""
        if isinstance(value, str):
            return self._replaced(value) if value.startswith(REFERENCES) else value
        if isinstance(value, list):
            return [self.resolved(v) for v in value]
        if isinstance(value, dict):
            return {name: self.resolved(v) for name, v in value.items()}
        return value

    def text(self, reference: str) -> str | None:
        text = self.texts.get(reference.partition("://")[2])
        return text if isinstance(text, str) else None

    def _replaced(self, reference: str) -> str:
        text = self.text(reference)
        if text is None:
            self.left_out["is referred to, and not in the sample"] += 1
            return reference
        if len(text) > self._room:
            self.left_out["is referred to more often than there is room for its text"] += 1
            return reference
        self._room -= len(text)
        return text


def neutral_message(message: Message) -> tuple[neutral.Message, dict[str, Any]]:
    """The message, whose references are resolved and whose role is known, and what it has besides."""
    role = message["role"]
    content, reasoning = _content(message.get("content"))
    if role == "tool":
        return _reply(message, content)
    if role != "assistant":
        return {"role": role, "content": content or ""}, without(message, "role", "content")
    calls = as_objects(message.get("tool_calls"))
    said = neutral.assistant(
        content,
        [neutral.call(c.get("id"), c.get("function"), c.get("arguments")) for c in calls],
        reasoning_content="\n\n".join(t for t in map(_readable, reasoning) if t),
        reasoning_details=[r for r in reasoning if without(r, "type", "reasoning", "redacted") or r.get("redacted")],
    )
    left = [without(c, "id", "function", "arguments", "type") for c in calls]
    extra = without(message, "role", "content", "model", "tool_calls")
    return said, extra | ({"tool_calls": left} if any(left) else {})


def _reply(message: Message, content: Any) -> tuple[neutral.Message, dict[str, Any]]:
    error = as_object(message.get("error")) or without({"message": message.get("tool_error")})
    told = {"role", "content", "tool_call_id", "function", "error", "tool_error"}
    # A model is shown the error where there is one; the content is then often empty.
    shows_error = not content and bool(as_text(error.get("message")))
    said = neutral.reply(
        message.get("tool_call_id"),
        error["message"] if shows_error else content or "",
        name=message.get("function"),
        is_error=bool(error),
    )
    extra = without(message, *told) | without({"error": without(error, *(["message"] if shows_error else []))})
    return said, extra


def _content(content: Any) -> tuple[Any, list[Message]]:
    """What is said, and the blocks of reasoning among it."""
    if not isinstance(content, list):
        return neutral.content(content), []
    parts = [
        p if isinstance(p, dict) else neutral.text_part(p if isinstance(p, str) else neutral.json_text(p))
        for p in content
    ]
    reasoning = [p for p in parts if p.get("type") == "reasoning"]
    return neutral.parts_or_text([_part(p) for p in parts if p.get("type") != "reasoning"]), reasoning


def _part(part: Message) -> neutral.Message:
    kind = part.get("type")
    if kind == "image" and isinstance(part.get("image"), str):
        image = neutral.image_part(url=part["image"])
        if isinstance(part.get("detail"), str) and part["detail"] != "auto":
            image["image_url"]["detail"] = part["detail"]
        return image
    if kind == "text" and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"], **without(part, "type", "text")}
    return part if isinstance(kind, str) else neutral.text_part(neutral.json_text(part))


def _readable(block: Message) -> str:
    """Redacted reasoning can be read as its summary only."""
    return as_text(block.get("summary") if block.get("redacted") else block.get("reasoning"))
