"""The parts of Google's content (`text`, `function_call` …), in either spelling, as parts of neutral messages."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.loose import as_object, as_objects, as_text, without


def snake(value: Any) -> Any:
    """An object with the names of its members, not those of their values, in snake case: files have either spelling."""
    return {_snake(name): member for name, member in value.items()} if isinstance(value, dict) else value


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda m: f"_{m[0]}", name).lower()


@dataclass(slots=True)
class Parts:
    """What the parts of one event say. `details`: those that carry a signature."""

    said: list[neutral.Message] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    details: list[dict[str, Any]] = field(default_factory=list)
    calls: list[neutral.Message] = field(default_factory=list)
    replies: list[neutral.Message] = field(default_factory=list)


def parts_of(content: Any) -> Parts:
    found = Parts()
    told = as_object(content).get("parts")
    for part in map(snake, as_objects(told if isinstance(told, list) else [told])):
        _take(part, found)
    return found


def _take(part: dict[str, Any], found: Parts) -> None:
    signature = part.get("thought_signature")
    if signature:
        found.details.append(_signed(part))
    if part.get("thought") is True:
        found.thoughts.append(as_text(part.get("text")))
    elif isinstance(part.get("function_call"), dict):
        call = part["function_call"]
        found.calls.append(neutral.call(call.get("id"), call.get("name"), call.get("args")))
    elif isinstance(part.get("function_response"), dict):
        found.replies.append(_reply(part["function_response"]))
    elif part.get("text") == "":
        return
    elif isinstance(part.get("text"), str):
        found.said.append(
            {"type": "text", "text": part["text"], **without(part, "text", "thought", "thought_signature")}
        )
    elif told := without(part, "thought", "thought_signature"):
        found.said.append(_other(told))


def _signed(part: dict[str, Any]) -> dict[str, Any]:
    """A block with its signature; the arguments of a call stand in the call."""
    call = as_object(part.get("function_call"))
    return {**part, "function_call": without(call, "args")} if call else part


def _reply(response: dict[str, Any]) -> neutral.Message:
    told = response.get("response")
    failed = isinstance(told, dict) and bool(told.get("error"))
    # A single text has this name when a tool answers with nothing else.
    alone = as_object(told).get("result") if isinstance(told, dict) and told.keys() == {"result"} else None
    content = alone if isinstance(alone, str) else neutral.json_text({} if told is None else told)
    return neutral.reply(response.get("id"), content, name=response.get("name"), is_error=failed)


_BASE64_OF_URLS: Final = str.maketrans("-_", "+/")


def _other(part: dict[str, Any]) -> neutral.Message:
    kind = next(iter(part))
    told = snake(part[kind])
    media = as_text(as_object(told).get("mime_type"))
    if kind == "inline_data" and media.startswith("image/") and isinstance(told.get("data"), str):
        return neutral.image_part(media_type=media, base64=told["data"].translate(_BASE64_OF_URLS))
    if kind == "file_data" and media.startswith("image/") and isinstance(told.get("file_uri"), str):
        return neutral.image_part(url=told["file_uri"])
    return {"type": kind, **part}
