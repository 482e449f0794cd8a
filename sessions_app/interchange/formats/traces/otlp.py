"""Spans as OTLP writes them in JSON, as SDKs print them, and as plain objects of attributes."""

import re
from typing import Any

from sessions_app.interchange.formats.traces.span import Span, kind_of, time_of
from sessions_app.interchange.loose import as_object, as_objects, as_text

_INTEGER = re.compile(r"-?[0-9]{1,40}")
_PREFIXES = ("gen_ai.", "llm.request.type")
_IDS = {
    "id": ("spanId", "span_id"),
    "parent": ("parentSpanId", "parent_span_id", "parent_id"),
    "trace": ("traceId", "trace_id"),
}
_START = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
_END = ("endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")


def is_genai(span: dict[str, Any]) -> bool:
    return any(name.startswith(_PREFIXES) for name in attributes_of(span))


def as_span(record: int, value: Any) -> Span:
    raw = as_object(value)
    attributes = attributes_of(raw)
    operation = attributes.get("gen_ai.operation.name")
    status = as_object(raw.get("status"))
    return Span(
        record=record,
        kind=kind_of(attributes),
        what=as_text(operation) or "span",
        id=_id(raw, "id"),
        parent=_id(raw, "parent"),
        session=as_text(attributes.get("gen_ai.conversation.id")) or _id(raw, "trace"),
        start=next((t for n in _START if (t := time_of(raw.get(n)))), None),
        end=next((t for n in _END if (t := time_of(raw.get(n)))), None),
        attributes=attributes,
        events=tuple({**e, "attributes": _plain(e.get("attributes"))} for e in as_objects(raw.get("events"))),
        given=raw.get("input"),
        said=raw.get("output"),
        is_error=status.get("code") in (2, "STATUS_CODE_ERROR") or status.get("status_code") == "ERROR",
    )


def attributes_of(span: dict[str, Any]) -> dict[str, Any]:
    """An object, OTLP's list of `{key, value}`, or the dotted members of the span itself."""
    if "attributes" in span:
        return _plain(span["attributes"])
    return {name: value for name, value in span.items() if "." in name}


def _plain(attributes: Any) -> dict[str, Any]:
    if isinstance(attributes, dict):
        return attributes
    return {as_text(a.get("key")): _value(a.get("value"), 20) for a in as_objects(attributes)}


def _value(value: Any, depth: int) -> Any:
    """OTLP names the type of each value, and writes integers as text."""
    if not isinstance(value, dict) or not depth:
        return value
    for name, inner in value.items():
        match name:
            case "stringValue" | "boolValue" | "doubleValue" | "bytesValue":
                return inner
            case "intValue":
                return int(inner) if isinstance(inner, str) and _INTEGER.fullmatch(inner) else inner
            case "arrayValue":
                return [_value(v, depth - 1) for v in as_objects(as_object(inner).get("values"))]
            case "kvlistValue":
                pairs = as_objects(as_object(inner).get("values"))
                return {as_text(p.get("key")): _value(p.get("value"), depth - 1) for p in pairs}
    return value


def _id(span: dict[str, Any], which: str) -> str:
    places = (span, as_object(span.get("context")), as_object(span.get("spanContext")))
    return next((t for place in places for name in _IDS[which] if (t := as_text(place.get(name)))), "")
