"""Calls and their results as ShareGPT files hold them: JSON in text, without ids."""

import re
from dataclasses import dataclass
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.jsonreading import Unreadable, loads
from sessions_app.interchange.neutral import Message

_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_WRAPPED = frozenset({"tool_call_id", "name", "content", "role"})
_TAGGED = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


def called(value: Any) -> tuple[str, list[Message]]:
    """What was thought before a `function_call`, and its calls. The value is JSON of one or of several, or those."""
    thought = ""
    if isinstance(value, str):
        if found := _THOUGHT.match(value):
            thought, value = found[1].strip(), value[found.end() :]
        value = _json(value)
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    return thought, [_call(v) for v in (value if isinstance(value, list) else [value])]


def tagged(text: str) -> tuple[str, list[Message]]:
    """The text of an answer without the calls that it holds between tags, and those; none where one is no JSON."""
    values = [_json(inner) for inner in _TAGGED.findall(text)]
    if not values or not all(isinstance(v, dict) and isinstance(v.get("name"), str) for v in values):
        return text, []
    return _TAGGED.sub("", text).strip(), [_call(v) for v in values]


@dataclass(frozen=True, slots=True)
class Result:
    """What one call gave; `call_id` and `name` where the file tells them."""

    content: Any
    call_id: str = ""
    name: str = ""


def results(value: Any, count: int) -> list[Result]:
    """The results of `count` calls that are told as one: a list of so many, else it is one that tells of all."""
    parsed = _json(value) if isinstance(value, str) else value
    if not isinstance(parsed, list) or len(parsed) != count or not count:
        return [Result(value)]
    if count == 1 and not _is_wrapped(parsed[0]):
        return [Result(value)]
    return [_result(v) for v in parsed]


def _is_wrapped(value: Any) -> bool:
    return isinstance(value, dict) and "content" in value and _WRAPPED.issuperset(value)


def _result(value: Any) -> Result:
    if not _is_wrapped(value):
        return Result(value)
    call_id, name = value.get("tool_call_id"), value.get("name")
    return Result(
        "" if value["content"] is None else value["content"],
        call_id if isinstance(call_id, str) else "",
        name if isinstance(name, str) else "",
    )


def _call(value: Any) -> Message:
    inner = value.get("function") if isinstance(value, dict) and isinstance(value.get("function"), dict) else value
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return neutral.call(None, None, value)
    call_id = value.get("id") if isinstance(value, dict) else None
    return neutral.call(call_id, inner["name"], inner.get("arguments", inner.get("parameters")))


def _json(text: str) -> Any:
    """The value of a text that is JSON; the text itself where it is none."""
    try:
        return loads(text)
    except Unreadable:
        return text
