"""Building blocks of neutral messages: the same member for the same thing, whatever the format calls it."""

from typing import Any

from sessions_app import jsontext

Message = dict[str, Any]


def call(call_id: Any, name: Any, arguments: Any) -> Message:
    """A tool call. A missing id stays missing (it is given one later); arguments become JSON text unless they are."""
    text = arguments if isinstance(arguments, str) else json_text({} if arguments is None else arguments)
    return {
        "id": call_id if isinstance(call_id, str) else "",
        "type": "function",
        "function": {"name": name if isinstance(name, str) and name else "unknown", "arguments": text},
    }


def assistant(content: Any, calls: list[Message] | None = None, **members: Any) -> Message:
    """`members` that are None or empty are left out."""
    message: Message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = calls
    return message | {name: value for name, value in members.items() if value not in (None, "", [], {})}


def reply(call_id: Any, content: Any, *, name: Any = None, is_error: bool = False) -> Message:
    """A tool reply. A missing id stays missing: it is matched to the call it answers later."""
    message: Message = {"role": "tool", "tool_call_id": call_id if isinstance(call_id, str) else ""}
    if isinstance(name, str) and name:
        message["name"] = name
    message["content"] = content if isinstance(content, str | list) else json_text(content)
    if is_error:
        message["is_error"] = True
    return message


def text_part(text: str) -> Message:
    return {"type": "text", "text": text}


def image_part(*, url: str = "", media_type: str = "", base64: str = "") -> Message:
    return {"type": "image_url", "image_url": {"url": url or f"data:{media_type};base64,{base64}"}}


def parts_or_text(parts: list[Message]) -> str | list[Message] | None:
    """A single text as a string, nothing as None, anything else as the list."""
    if not parts:
        return None
    if len(parts) == 1 and parts[0].keys() == {"type", "text"} and parts[0]["type"] == "text":
        return str(parts[0]["text"])
    return parts


def content(value: Any) -> str | list[Message] | None:
    """Text, a list of parts and nothing as they are; anything else as JSON text, so that it is kept."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in value):
        return value
    return json_text(value)


def json_text(value: Any) -> str:
    """A value as JSON text, for a place that holds text: arguments, a structured result."""
    return jsontext.dumps(value)


def without_empty(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in (None, "", [], {})}


_USAGE = {
    "input_tokens": ("input_tokens", "prompt_tokens", "input", "promptTokenCount", "prompt_token_count"),
    "output_tokens": ("output_tokens", "completion_tokens", "output", "candidatesTokenCount", "candidates_token_count"),
    "total_tokens": ("total_tokens", "total", "totalTokenCount", "total_token_count"),
    "cache_read_input_tokens": (
        "cache_read_input_tokens",
        "cached_input_tokens",
        "cached_tokens",
        "cache_read_tokens",
        "input_tokens_cache_read",
        "cached",
        "cachedContentTokenCount",
        "cached_content_token_count",
    ),
    "cache_creation_input_tokens": ("cache_creation_input_tokens", "cache_write_tokens", "input_tokens_cache_write"),
    "reasoning_tokens": (
        "reasoning_tokens",
        "reasoning_output_tokens",
        "thoughts",
        "thoughtsTokenCount",
        "thoughts_token_count",
    ),
}
_DETAILS = ("prompt_tokens_details", "completion_tokens_details", "input_tokens_details", "output_tokens_details")


def usage(reported: Any) -> dict[str, int]:
    """Token counts under the same names for all formats (those of Anthropic and of OpenTelemetry), where they are
    whole numbers. What a count includes is as the provider reports it.
    """
    if not isinstance(reported, dict):
        return {}
    flat = {
        **reported,
        **{k: v for d in _DETAILS if isinstance(inner := reported.get(d), dict) for k, v in inner.items()},
    }
    counts = {}
    for name, spellings in _USAGE.items():
        for spelling in spellings:
            value = flat.get(spelling)
            if isinstance(value, int) and not isinstance(value, bool):
                counts[name] = value
                break
    return counts
