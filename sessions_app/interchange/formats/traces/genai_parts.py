"""Messages of OpenTelemetry's GenAI conventions, `{role, parts}`, as neutral ones."""

from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.loose import as_object, as_text
from sessions_app.interchange.neutral import Message

_ROLES = {"system": "system", "developer": "developer", "user": "user", "assistant": "assistant", "tool": "tool"}


def is_genai(message: dict[str, Any]) -> bool:
    parts = message.get("parts")
    return isinstance(parts, list) and all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in parts)


def messages_of(message: dict[str, Any]) -> list[Message]:
    """Each response to a call becomes a reply, whoever brings it; what stands beside it is said by the role."""
    role = _ROLES.get(as_text(message.get("role")), "user")
    replies, calls, thoughts, details, others = [], [], [], [], []
    for part in message["parts"]:
        match part["type"]:
            case "tool_call_response":
                replies.append(_reply(part))
            case "tool_call" if role == "assistant":
                calls.append(neutral.call(part.get("id"), part.get("name"), part.get("arguments")))
            case "reasoning" | "thinking" if role == "assistant":
                thoughts.append(_text(part))
                # Signatures, and whatever else the provider wants back.
                if part.keys() - {"type", "content", "text"}:
                    details.append(part)
            case _:
                others.append(_part(part))
    content = neutral.parts_or_text(others)
    if role == "assistant":
        readable = "\n\n".join(t for t in thoughts if t)
        return [
            *replies,
            neutral.assistant(content, calls, reasoning_content=readable, reasoning_details=details),
        ]
    if role == "tool" or (replies and content is None):
        return replies or ([neutral.reply(None, content)] if content else [])
    said: Message = {"role": role, "content": "" if content is None else content}
    if as_text(message.get("name")):
        said["name"] = message["name"]
    return [*replies, said]


def parts_of(values: Any) -> str | list[Message] | None:
    """Instructions: a text, or parts of one."""
    if isinstance(values, str):
        return values
    parts = values if isinstance(values, list) else [values]
    return neutral.parts_or_text([_part(p) for p in parts if p is not None])


def _reply(part: Message) -> Message:
    response = next((part[m] for m in ("response", "result", "content") if part.get(m) is not None), "")
    return neutral.reply(part.get("id"), response if isinstance(response, str) else neutral.json_text(response))


def _text(part: Message) -> str:
    return as_text(part.get("content")) or as_text(part.get("text"))


def _part(part: Any) -> Message:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return neutral.text_part(part if isinstance(part, str) else neutral.json_text(part))
    is_image = part.get("modality") == "image" or as_text(part.get("mime_type")).startswith("image/")
    match part:
        case {"type": "text", "content": str(text)} | {"type": "text", "text": str(text)}:
            return neutral.text_part(text)
        case {"type": "blob", "content": str(data)} | {"type": "blob", "data": str(data)} if is_image and data:
            return neutral.image_part(media_type=as_text(part.get("mime_type")) or "image/png", base64=data)
        case {"type": "uri", "uri": str(url)} if is_image and url:
            return neutral.image_part(url=url)
    return as_object(part)
