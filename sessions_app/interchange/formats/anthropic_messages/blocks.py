"""Anthropic's content blocks as neutral messages: what the Messages API takes and gives, and Claude Code logs."""

from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.neutral import Message

Block = dict[str, Any]

_TOOL_USE = ("type", "id", "name", "input", "cache_control")


def blocks_of(content: Any) -> list[Block]:
    """The blocks of a content: a string is one of text, and so is what is no block at all."""
    if content is None:
        return []
    return [_block(element) for element in (content if isinstance(content, list) else [content])]


def _block(element: Any) -> Block:
    if isinstance(element, dict) and isinstance(element.get("type"), str):
        return element
    return neutral.text_part(element if isinstance(element, str) else neutral.json_text(element))


def system_message(system: Any) -> Message | None:
    """The system prompt stands outside the messages: a string, or blocks of text."""
    content = neutral.parts_or_text([_part(block) for block in blocks_of(system)])
    return {"role": "system", "content": content} if content else None


def assistant_message(content: Any) -> Message:
    """One message: its text and whatever a server's tool did as content, its thinking and its calls beside it."""
    parts: list[Block] = []
    calls: list[Message] = []
    thoughts: list[str] = []
    details: list[Block] = []
    for block in blocks_of(content):
        match block["type"]:
            case "thinking" | "redacted_thinking":
                if isinstance(block.get("thinking"), str) and block["thinking"]:
                    thoughts.append(block["thinking"])
                # A signature holds for the bytes it was made over: the block stays as it is.
                if block.get("signature") or block["type"] == "redacted_thinking":
                    details.append(block)
            case "tool_use":
                calls.append(_call(block))
            case _:
                parts.append(_part(block))
    return neutral.assistant(
        neutral.parts_or_text(parts), calls, reasoning_content="\n\n".join(thoughts), reasoning_details=details
    )


def user_messages(content: Any) -> list[Message]:
    """The results in a user message each become a reply; what is said beside them follows as a user message."""
    blocks = blocks_of(content)
    replies = [_reply(block) for block in blocks if block["type"] == "tool_result"]
    parts = [_part(block) for block in blocks if block["type"] != "tool_result"]
    if replies and not parts:
        return replies
    said = neutral.parts_or_text(parts)
    return [*replies, {"role": "user", "content": "" if said is None else said}]


def _call(block: Block) -> Message:
    """Other members, such as the `caller` of a call that a program made, stay with the call."""
    call = neutral.call(block.get("id"), block.get("name"), block.get("input"))
    return call | {name: value for name, value in block.items() if name not in _TOOL_USE and name not in call}


def _reply(block: Block) -> Message:
    content = block.get("content")
    if content is None or isinstance(content, list):
        content = neutral.parts_or_text([_part(b) for b in blocks_of(content)])
    return neutral.reply(
        block.get("tool_use_id"), "" if content is None else content, is_error=block.get("is_error") is True
    )


def _part(block: Block) -> Block:
    """Without the mark of the prompt cache: it moves from request to request, and says nothing."""
    part = {name: value for name, value in block.items() if name != "cache_control"}
    match part["type"]:
        case "text" if isinstance(part.get("text"), str):
            return {name: value for name, value in part.items() if name == "text" or value not in (None, [])}
        case "text":
            return neutral.text_part(neutral.json_text(part))
        case "image":
            return _image(part)
    return part


def _image(part: Block) -> Block:
    match part.get("source"):
        case {"type": "base64", "media_type": str(media_type), "data": str(data)}:
            return neutral.image_part(media_type=media_type, base64=data)
        case {"type": "url", "url": str(url)} if url:
            return neutral.image_part(url=url)
    return part
