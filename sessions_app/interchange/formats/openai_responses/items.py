"""What an item of the Responses API says, in the engine's form."""

from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.exchanges import key_of
from sessions_app.interchange.formats.openai_responses.kinds import CALLS, COMPACTIONS, HOSTED, OUTPUTS, Item, kind_of
from sessions_app.interchange.neutral import Message

_TEXTS: Final = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})


def call(item: Item) -> Message:
    kind = item["type"]
    name, places = CALLS[kind]
    said = _text(item.get("name")) or name
    given = next((item[p] for p in places if item.get(p) is not None), None)
    if kind == "custom_tool_call":
        inner = neutral.call("", said, "" if given is None else given)["function"]
        custom = {"name": inner["name"], "input": inner["arguments"]}
        return {"id": call_id(item), "type": "custom", "custom": custom}
    return neutral.call(call_id(item), said, given)


def reply(item: Item) -> Message:
    kind = item["type"]
    if kind == "mcp_approval_response":
        content: Any = neutral.json_text({m: item[m] for m in OUTPUTS[kind] if item.get(m) is not None})
    else:
        content = next((item[m] for m in OUTPUTS[kind] if item.get(m) is not None), None)
    failed = item.get("status") == "failed"
    # Codex wrapped what failed.
    if isinstance(content, dict) and isinstance(content.get("content"), str | list):
        failed |= content.get("success") is False
        content = content["content"]
    return neutral.reply(call_id(item), _content(content) or "", name=item.get("name"), is_error=failed)


def call_id(item: Item) -> str:
    """`id` is the item's own name, and that of the call only where nothing else is."""
    return next((v for m in ("call_id", "approval_request_id", "id") if (v := _text(item.get(m)))), "")


def message_parts(item: Item) -> list[Message]:
    content = item.get("content")
    if content is None or content == "":
        return []
    return [_part(value) for value in (content if isinstance(content, list) else [content])]


def hosted_parts(item: Item) -> list[Message]:
    """The item as it is; a picture that was made becomes one."""
    picture = item.get("result")
    if item["type"] != "image_generation_call" or not isinstance(picture, str) or not picture:
        return [item]
    made = {name: value for name, value in item.items() if name != "result"}
    media_type = f"image/{_text(item.get('output_format')) or 'png'}"
    return [made, neutral.image_part(media_type=media_type, base64=picture)]


def _content(value: Any) -> str | list[Message] | None:
    if isinstance(value, dict) and not isinstance(value.get("type"), str):
        return neutral.json_text(value)
    if isinstance(value, list | dict):
        return neutral.parts_or_text([_part(v) for v in (value if isinstance(value, list) else [value])])
    return value if isinstance(value, str) or value is None else neutral.json_text(value)


def _part(part: Any) -> Message:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return neutral.text_part(part if isinstance(part, str) else neutral.json_text(part))
    others = {name: value for name, value in part.items() if value not in (None, [], {})}
    if part["type"] in _TEXTS:
        if not isinstance(part.get("text"), str):
            return neutral.text_part(neutral.json_text(part))
        # Citations and the like stay with the text that they are about.
        return neutral.text_part(part["text"]) | {n: v for n, v in others.items() if n not in ("type", "text")}
    if part["type"] in ("input_image", "computer_screenshot") and (url := _text(part.get("image_url"))):
        image = neutral.image_part(url=url)
        image["image_url"] |= {n: v for n, v in others.items() if n not in ("type", "image_url")}
        return image
    return part


def reasoning_text(item: Item) -> str:
    """What of the reasoning can be read: its summary, and the reasoning itself where the provider gives it."""
    texts = []
    for member in ("summary", "content"):
        parts = item.get(member)
        for part in parts if isinstance(parts, list) else [parts]:
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str) and text:
                texts.append(text)
    return "\n\n".join(texts)


def is_sealed(item: Item) -> bool:
    """Whether it carries what cannot be read, and can be given back to the provider."""
    return bool(_text(item.get("encrypted_content")))


_CARRIED: Final = {
    "message": ("type", "role", "content"),
    "reasoning": ("type", "summary", "content", "encrypted_content"),
    "agent_message": ("type", "author", "content"),
}


def others_of(item: Item) -> dict[str, Any]:
    """The members that the message does not carry: its own id above all. What is empty or usual is left out."""
    kind = kind_of(item)
    if kind in HOSTED or (kind == "reasoning" and is_sealed(item)):
        return {}
    carried = _CARRIED.get(kind) or ("type", "call_id", "name", *CALLS.get(kind, ("", ()))[1], *OUTPUTS.get(kind, ()))
    if kind not in _CARRIED and call_id(item) == item.get("id"):
        carried = (*carried, "id")
    others = {name: value for name, value in item.items() if name not in carried and value not in (None, "", [], {})}
    return {name: value for name, value in others.items() if (name, value) != ("status", "completed")}


def digest(item: Any) -> int | None:
    """The same for items that say the same, however they are written. None for what is left out when it is sent again:
    reasoning, and what says nothing.
    """
    kind = kind_of(item)
    if kind == "message":
        # A provider hands back the text alone of what it was given.
        parts = [(p["type"], p.get("text", p)) for p in message_parts(item)]
        said: list[Any] = [item.get("role"), parts]
    elif kind in CALLS:
        said = [call_id(item), call(item)]
    elif kind in OUTPUTS:
        said = [reply(item)]
    elif kind in COMPACTIONS:
        said = [item.get("encrypted_content")]
        kind = "compaction"
    elif kind in HOSTED:
        said = [{name: value for name, value in item.items() if name not in ("id", "status")}]
    else:
        return None
    return int(key_of([kind, *said])[:16], 16)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
