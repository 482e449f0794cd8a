"""What a single event of OpenHands (before the SDK) says: a neutral message, and what it has besides."""

from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.openhands_events.finish import FINISH, joined, last_words, parted
from sessions_app.interchange.formats.openhands_events.parts import beyond
from sessions_app.interchange.loose import as_object, as_objects, as_text, without
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said

Event = dict[str, Any]

_FAILURES = frozenset({"error", "user_rejected"})
"""Observations by which a call failed, or was refused."""


def event_key(event: Event) -> tuple[int | str, ...]:
    """The id by which condensations name an event; none where it has none."""
    value = event.get("id")
    return (value,) if isinstance(value, int | str) else ()


def plain(number: int, event: Event, role: str, content: Any) -> Said:
    """A message that is no call and no reply. `content` may be of any type."""
    args = as_object(event.get("args"))
    images = _images(args.get("image_urls"))
    text = neutral.content("" if content is None else content)
    message = {
        "role": role,
        "content": [neutral.text_part(text), *images] if images and isinstance(text, str) else text,
    }
    left = {name: value for name, value in args.items() if value != content and not (images and name == "image_urls")}
    return _said(number, event, message, content, args=without(left))


def answer(number: int, event: Event, call: neutral.Message, response: dict[str, Any]) -> Said:
    """The answer of a model that an action is a call of. `response`: as its provider gave it, where the file has it."""
    choice = next(iter(as_objects(response.get("choices"))), {})
    told, args = as_object(choice.get("message")), as_object(event.get("args"))
    calls = [_call(c) for c in as_objects(told.get("tool_calls"))]
    if call["id"] not in {c["id"] for c in calls}:
        calls.append(call)
    ends = event.get("action") == FINISH
    wanting, ending = parted(calls, call, ends=ends)
    content = thought = neutral.content(told.get("content") or args.get("thought") or None)
    if ends:
        words = last_words({"thought": thought, **args}, event.get("message"))
        content = joined(thought, words)
    blocks = as_objects(told.get("thinking_blocks"))
    message = neutral.assistant(
        content,
        wanting,
        reasoning_content=as_text(told.get("reasoning_content")),
        reasoning_details=blocks if any(b.get("signature") or b.get("data") for b in blocks) else None,
    )
    asked = next(c for c in calls if c["id"] == call["id"])
    left = beyond(args, asked["function"]["arguments"])
    if left.get("thought") == thought:
        left.pop("thought", None)
    if ends and left.get("final_thought") == words:
        left.pop("final_thought", None)
    about = without(response, "id", "model", "usage", "choices")
    said = _said(number, event, message, content, args=left, model_response=about)
    if ending:
        said.metadata["extra"]["tool_calls"] = ending
    said.metadata.update(_of_response(response, choice))
    return said


def _of_response(response: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    return neutral.without_empty(
        {
            "model": response.get("model"),
            "usage": neutral.usage(response.get("usage")),
            "stop_reason": choice.get("finish_reason"),
            "response_id": response.get("id"),
        }
    )


def _call(call: dict[str, Any]) -> neutral.Message:
    function = as_object(call.get("function"))
    return neutral.call(call.get("id"), function.get("name"), function.get("arguments"))


def reply(number: int, event: Event, call_id: str, name: Any) -> Said:
    extras = as_object(event.get("extras"))
    images = _images(extras.get("image_urls"))
    content = neutral.content(event.get("content"))
    failed = event.get("observation") in _FAILURES or extras.get("error") is True
    body = [neutral.text_part(content), *images] if images and isinstance(content, str) else content
    message = neutral.reply(call_id, "" if body is None else body, name=name, is_error=failed)
    return _said(number, event, message, content, extras=without(extras, *(["image_urls"] if images else [])))


_RECALLED = ("repo_instructions", "conversation_instructions", "additional_agent_instructions")


def recalled(number: int, event: Event) -> Said | None:
    """What the memory added to the conversation: its texts. (The words that OpenHands puts around them are not in the
    file.) None where it added no text.
    """
    extras = as_object(event.get("extras"))
    pieces = as_objects(extras.get("microagent_knowledge"))
    texts = [extras.get(name) for name in _RECALLED] + [k.get("content") for k in pieces]
    found = [t for t in texts if isinstance(t, str) and t.strip()]
    if not found:
        return None
    left = {**without(extras, *_RECALLED), "microagent_knowledge": [without(k, "content") for k in pieces]}
    message = {"role": "user", "content": "\n\n".join(found)}
    return _said(number, event, message, event.get("content"), extras=without(left))


def _images(urls: Any) -> list[neutral.Message]:
    listed = urls if isinstance(urls, list) else ()
    return [neutral.image_part(url=url) for url in listed if isinstance(url, str) and url.strip()]


_TOLD = ("timestamp", "source", "message", "args", "extras", "content", "tool_call_metadata")
_CALL_TOLD = ("function_name", "tool_call_id", "total_calls_in_response", "model_response")


def _said(number: int, event: Event, message: neutral.Message, text: Any, **left: dict[str, Any]) -> Said:
    """`text`: what was said, which the event's line for people may repeat."""
    extra = {
        **without(event, *_TOLD),
        "message": event.get("message") if event.get("message") != text else None,
        "tool_call_metadata": without(as_object(event.get("tool_call_metadata")), *_CALL_TOLD),
        **left,
    }
    at = parse_time(event.get("timestamp"))
    return Said(message, (number,), {"extra": without(extra)}, at=at, keys=event_key(event))
