"""What a single event of the OpenHands SDK says: a neutral message, and what it has besides."""

from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.openhands_events.parts import beyond, content_of, parts_of, reasoning_of
from sessions_app.interchange.loose import as_object, as_objects, as_text, without
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said

Event = dict[str, Any]

_ROLES = ("system", "user", "assistant", "tool")


def system(number: int, event: Event) -> Said:
    content = content_of([event.get("system_prompt"), event.get("dynamic_context")])
    return _said(number, event, {"role": "system", "content": content or ""}, "system_prompt", "dynamic_context")


def message(number: int, event: Event) -> Said:
    told = as_object(event.get("llm_message"))
    role = told.get("role") if told.get("role") in _ROLES else "user" if event.get("source") == "user" else "assistant"
    content = content_of([*parts_of(told.get("content")), *parts_of(event.get("extended_content"))])
    if role == "assistant":
        asked = as_objects(told.get("tool_calls"))
        calls = [neutral.call(c.get("id"), c.get("name"), c.get("arguments")) for c in asked]
        said = neutral.assistant(content, calls, **reasoning_of(told))
    elif role == "tool":
        said = neutral.reply(told.get("tool_call_id"), content or "", name=told.get("name"))
    else:
        said = {"role": role, "content": content or ""}
    return _said(number, event, said, "llm_message", "extended_content")


def action(number: int, event: Event) -> Said:
    """One call of an answer. What the answer says besides stands with its first call only."""
    told = as_object(event.get("tool_call"))
    call = neutral.call(
        event.get("tool_call_id") or told.get("id"),
        told.get("name") or event.get("tool_name"),
        told.get("arguments", event.get("action")),
    )
    said = neutral.assistant(content_of(parts_of(event.get("thought"))), [call], **reasoning_of(event))
    left = {
        "action": beyond(as_object(event.get("action")), call["function"]["arguments"]),
        "tool_call": without(told, "id", "name", "arguments"),
    }
    carried = ("tool_call_id", "tool_name", "thought", "reasoning_content", "thinking_blocks", "reasoning_details")
    return _said(number, {**event, **left}, said, *carried, "responses_reasoning_item")


_REPLIES = {"ObservationEvent": "observation", "UserRejectObservation": "rejection_reason", "AgentErrorEvent": "error"}


def is_reply(kind: str) -> bool:
    return kind in _REPLIES


def reply(number: int, event: Event, kind: str) -> Said:
    told = event.get(_REPLIES[kind])
    failed, left = True, {}
    content: Any = told
    if kind == "ObservationEvent":
        observation = as_object(told)
        failed = observation.get("is_error") is True
        # Older observations have their text in a member of their own.
        name = next((n for n in ("content", "output") if n in observation), "")
        content = content_of([*parts_of(observation.get(name, told)), *parts_of(event.get("extended_content"))])
        left = without(observation, name, "is_error") if name else {}
    elif kind == "UserRejectObservation":
        content = f"Action rejected: {as_text(told) or 'User rejected the action'}"
    said = neutral.reply(
        event.get("tool_call_id"),
        "" if content is None else content,
        name=event.get("tool_name"),
        is_error=failed,
    )
    told_of = (_REPLIES[kind], "extended_content", "tool_call_id", "tool_name")
    return _said(number, without(event, *told_of) | ({"observation": left} if left else {}), said)


def foreign_call(number: int, event: Event) -> list[Said]:
    """A call that an agent of another make reports (ACP), with its reply; nothing before it has ended."""
    failed = event.get("is_error") is True or event.get("status") == "failed"
    if not failed and event.get("status") != "completed" and event.get("raw_output") is None:
        return []
    call_id = as_text(event.get("tool_call_id")) or f"event_{number}"
    call = neutral.call(call_id, event.get("title") or event.get("tool_kind"), event.get("raw_input"))
    output = event.get("raw_output") if event.get("raw_output") is not None else event.get("content")
    answer = neutral.reply(call_id, neutral.content(output) or "", name=call["function"]["name"], is_error=failed)
    told = ("tool_call_id", "title", "raw_input", "raw_output", "is_error")
    asked = _said(number, event, neutral.assistant(None, [call]), *told)
    return [asked, _said(number, {n: event.get(n) for n in ("id", "timestamp")}, answer)]


def model_of_state(event: Event) -> str:
    """The agent's model, where a state of the conversation tells it; the events of its answers do not."""
    value = as_object(event.get("value"))
    usages = as_object(value.get("usage_to_metrics"))
    told = next((as_object(usages[name]) for name in ("agent", "default") if name in usages), {})
    configured = as_object(as_object(value.get("agent")).get("llm"))
    return as_text(told.get("model_name")) or as_text(configured.get("model"))


def _said(number: int, event: Event, message: neutral.Message, *told: str) -> Said:
    response = as_text(event.get("llm_response_id"))
    extra = without(event, "timestamp", "source", "llm_response_id", *told)
    metadata = neutral.without_empty({"response_id": response, "extra": extra})
    key = event.get("id")
    at = parse_time(event.get("timestamp"))
    return Said(message, (number,), metadata, at=at, keys=(key,) if isinstance(key, str) else ())
