"""How calls to models were written down before the conventions had messages: numbered attributes, and events."""

import re
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.traces.span import decoded
from sessions_app.interchange.loose import as_object, as_text
from sessions_app.interchange.neutral import Message

_NUMBERED = re.compile(r"(\d{1,6})\.(.+)")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")


def numbered(attributes: dict[str, Any], prefix: str) -> list[Message]:
    """`gen_ai.prompt.0.role`, `gen_ai.prompt.0.tool_calls.0.name` and so on."""
    rows = _rows(attributes, prefix)
    return [_message(row, default="assistant" if "completion" in prefix else "user") for row in rows]


def _rows(attributes: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    rows: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if name.startswith(f"{prefix}.") and (found := _NUMBERED.fullmatch(name[len(prefix) + 1 :])):
            rows.setdefault(int(found[1]), {})[found[2]] = value
    return [rows[n] for n in sorted(rows)]


def _message(row: dict[str, Any], *, default: str) -> Message:
    role, content = as_text(row.get("role")) or default, row.get("content")
    parts = decoded(content)
    if isinstance(parts, list) and parts and all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in parts):
        content = parts
    if role == "tool":
        return neutral.reply(row.get("tool_call_id"), "" if content is None else content)
    if role != "assistant":
        return {
            "role": role if role in ("system", "developer") else "user",
            "content": "" if content is None else content,
        }
    calls = [neutral.call(c.get("id"), c.get("name"), c.get("arguments")) for c in _rows(row, "tool_calls")]
    return neutral.assistant(content, calls)


def told_by_events(events: Any) -> list[Message]:
    """The messages that were sent, of events such as `gen_ai.user.message`."""
    return [m for event in _events(events) if (m := _sent(*event)) is not None]


def chosen_by_events(events: Any) -> list[Message]:
    """What the model answered: the first `gen_ai.choice`."""
    for name, body in _events(events):
        if name == "gen_ai.choice":
            message = {**body, **as_object(decoded(body.get("message")))}
            return [_answer(message)]
    return []


def _events(events: Any) -> list[tuple[str, dict[str, Any]]]:
    """(name, body): an event of a span has its body in attributes, one of a log is its body."""
    found = []
    for event in decoded(events) if isinstance(decoded(events), list) else ():
        event = as_object(event)
        name = as_text(event.get("event.name")) or as_text(event.get("name"))
        body = event.get("attributes") if isinstance(event.get("attributes"), dict) else event.get("body", event)
        found.append((name, as_object(decoded(body))))
    return found


def _sent(name: str, body: dict[str, Any]) -> Message | None:
    if not (found := _EVENT.fullmatch(name)):
        return None
    content = body.get("content")
    content = content if isinstance(content, str | list) or content is None else neutral.json_text(content)
    match found[1]:
        case "tool":
            return neutral.reply(body.get("id"), "" if content is None else content, name=body.get("gen_ai.tool.name"))
        case "assistant":
            return _answer(body)
    return {"role": found[1], "content": "" if content is None else content}


def _answer(body: dict[str, Any]) -> Message:
    calls = []
    given = decoded(body.get("tool_calls"))
    for call in given if isinstance(given, list) else ():
        inner = as_object(as_object(call).get("function"))
        calls.append(neutral.call(as_object(call).get("id"), inner.get("name"), inner.get("arguments")))
    content = body.get("content")
    return neutral.assistant(content if isinstance(content, str | list) else None, calls)
