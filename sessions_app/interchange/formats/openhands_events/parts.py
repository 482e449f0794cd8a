"""Pieces of the events of OpenHands: the parts of a content, its reasoning, and an action beside its call."""

from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.jsonreading import Unreadable, loads
from sessions_app.interchange.loose import as_object, as_objects, as_text, without


def parts_of(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [] if content is None else [content]


def content_of(parts: list[Any]) -> Any:
    """Texts and images of the SDK; whether a part may be cached says nothing."""
    said: list[neutral.Message] = []
    for part in parts:
        told = as_object(part)
        if isinstance(part, str):
            said.append(neutral.text_part(part))
        elif isinstance(told.get("image_urls"), list):
            said += [neutral.image_part(url=url) for url in told["image_urls"] if isinstance(url, str)]
        elif isinstance(told.get("text"), str):
            said.append({**{n: v for n, v in told.items() if n != "cache_prompt"}, "type": "text"})
        elif part is not None:
            said.append(told if isinstance(told.get("type"), str) else neutral.text_part(neutral.json_text(part)))
    return neutral.parts_or_text(said)


def reasoning_of(told: dict[str, Any]) -> dict[str, Any]:
    blocks, item = as_objects(told.get("thinking_blocks")), as_object(told.get("responses_reasoning_item"))
    texts = [as_text(b.get("thinking")) for b in blocks] + [
        t for name in ("summary", "content") for t in parts_of(item.get(name)) if isinstance(t, str)
    ]
    signed = blocks if any(b.get("signature") or b.get("data") for b in blocks) else []
    sealed = [item] if item.get("encrypted_content") else []
    return {
        "reasoning_content": as_text(told.get("reasoning_content")) or "\n\n".join(t for t in texts if t),
        "reasoning_details": [*signed, *sealed, *as_objects(told.get("reasoning_details"))],
    }


def beyond(action: dict[str, Any], arguments: str) -> dict[str, Any]:
    """What an action holds besides the arguments of its call."""
    try:
        asked = as_object(loads(arguments))
    except Unreadable:
        asked = {}
    return without({n: v for n, v in action.items() if n not in asked or asked[n] != v})
