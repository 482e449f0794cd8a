"""What a request and a response of the API hold, and how an exchange of both is found in a record."""

from datetime import datetime
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.exchanges import body_of
from sessions_app.interchange.formats.openai_responses import items as items
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.kinds import Item
from sessions_app.interchange.jsonreading import Unreadable, loads
from sessions_app.interchange.times import parse_time

Body = dict[str, Any]

_OBJECTS = ("response", "response.compaction")
_LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed")
_CARRIED = ("id", "object", "created_at", "model", "output", "status", "usage", "incomplete_details", "instructions")


def request_of(record: Any) -> Body:
    """The request of an exchange; what a response says of its own where the record is just that."""
    if is_response(record):
        told = ("instructions", "previous_response_id", "conversation")
        return {name: record[name] for name in told if record.get(name)}
    return body_of(record, "request")


def response_of(record: Any) -> Body:
    if is_response(record):
        return dict(record)
    body = body_of(record, "response")
    return body or _streamed(record)


def is_response(value: Any) -> bool:
    return isinstance(value, dict) and value.get("object") in (*_OBJECTS,) and isinstance(value.get("output"), list)


def is_exchange(value: Any) -> bool:
    """Whether a record is an exchange with this API, or a response of it."""
    if is_response(response_of(value)):
        return True
    half = value.get("request") if isinstance(value, dict) else None
    uri = half.get("uri") or half.get("url") if isinstance(half, dict) else None
    return isinstance(uri, str) and "/responses" in uri and "input" in body_of(value, "request")


def _streamed(record: Any) -> Body:
    """The response of a stream of events that was recorded as text: it stands whole in the last one."""
    half = record.get("response") if isinstance(record, dict) else None
    text = half.get("body") if isinstance(half, dict) else None
    for line in reversed(text.splitlines()) if isinstance(text, str) and "data:" in text else ():
        if not line.startswith("data:"):
            continue
        try:
            event = loads(line.removeprefix("data:"))
        except Unreadable:
            continue
        if isinstance(event, dict) and event.get("type") in (*_LAST_EVENTS,) and is_response(event.get("response")):
            return dict(event["response"])
    return {}


def input_of(request: Body) -> list[Any]:
    said = request.get("input")
    if isinstance(said, str):
        return [{"role": "user", "content": said}]
    return said if isinstance(said, list) else []


def output_of(response: Body) -> list[Any]:
    output = response.get("output")
    return output if isinstance(output, list) else []


def instructions_of(body: Body) -> list[Item]:
    """They stand outside of the items, and are what the system says."""
    said = body.get("instructions")
    if isinstance(said, list):
        return [item for item in said if kinds.kind_of(item)]
    return [{"role": "system", "content": said}] if isinstance(said, str) and said else []


def sealed_in(values: list[Any]) -> Item | None:
    """The last compaction among items that has a content."""
    return next((v for v in reversed(values) if kinds.kind_of(v) in kinds.COMPACTIONS and items.is_sealed(v)), None)


def id_of(body: Body, member: str) -> str:
    """An id, or that of the object which stands there."""
    value = body.get(member)
    value = value.get("id") if isinstance(value, dict) else value
    return value if isinstance(value, str) else ""


def said_at(response: Body) -> datetime | None:
    return parse_time(response.get("created_at"))


def about(response: Body, *known: Body) -> dict[str, Any]:
    """The metadata of a response's message. What the `known` bodies say as well is left out."""
    details, error = response.get("incomplete_details"), response.get("error")
    reason = details.get("reason") if isinstance(details, dict) else None
    if reason is None and isinstance(error, dict):
        reason = error.get("code")
    others = {
        name: value
        for name, value in response.items()
        if name not in _CARRIED and value not in (None, "", [], {}) and all(k.get(name) != value for k in known)
    }
    return neutral.without_empty(
        {
            "model": response.get("model"),
            "usage": neutral.usage(response.get("usage")),
            "stop_reason": reason or response.get("status"),
            "response_id": response.get("id"),
            "extra": {"response": others} if others else {},
        }
    )
