"""What a message must be to enter a session: each fault with a JSON pointer to it.

The rules are those of the contract, section 4, "A message is valid when". All other members are kept as they came.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sessions_app import jsontext
from sessions_app.engine.errors import Fault, InvalidMessages
from sessions_app.engine.messages import ROLES, Message

_LARGEST_INTEGER = 10**4300


def parse_messages(values: Any, *, pointer: str = "/messages") -> tuple[Message, ...]:
    """Check a list of messages and give them their stored form.

    Raises InvalidMessages with a JSON pointer and a sentence for each fault; nothing of `values` is kept or changed.
    """
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise InvalidMessages([Fault(pointer, "must be a list of messages")])
    faults: list[Fault] = []
    for i, value in enumerate(values):
        faults += _faults(value, f"{pointer}/{i}")
    if faults:
        raise InvalidMessages(faults)
    return tuple(Message.of(v) for v in values)


def json_faults(value: Any, pointer: str) -> list[Fault]:
    """Where a Python value is no JSON that could be stored: by path, so that the sender finds it."""
    if jsontext.is_deeper_than(value, jsontext.MAX_DEPTH):
        return [Fault(pointer, f"is nested over {jsontext.MAX_DEPTH} levels deep")]
    faults: list[Fault] = []
    stack = [(value, pointer)]
    while stack:
        item, at = stack.pop()
        if isinstance(item, dict):
            for name, member in item.items():
                if isinstance(name, str):
                    stack.append((member, f"{at}/{escape_pointer(name)}"))
                else:
                    faults.append(Fault(at, f"has a member name that is no string: {name!r}"))
        elif isinstance(item, list):
            stack.extend((member, f"{at}/{i}") for i, member in enumerate(item))
        elif (problem := _scalar_fault(item)) is not None:
            faults.append(Fault(at, problem))
    return faults


def escape_pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _scalar_fault(item: Any) -> str | None:
    match item:
        case None | bool() | str():
            return None
        case int():
            return "has over 4,300 digits" if abs(item) >= _LARGEST_INTEGER else None
        case float():
            return None if math.isfinite(item) else "is no finite number"
    return f"is a {type(item).__name__}, which is no JSON value"


def _faults(value: Any, at: str) -> Iterable[Fault]:
    if not isinstance(value, dict):
        return [Fault(at, "must be an object")]
    faults = json_faults(value, at)
    if faults:
        return faults
    role = value.get("role")
    if role not in ROLES:
        said = "is missing" if "role" not in value else "must be one of " + ", ".join(ROLES)
        return [Fault(f"{at}/role", said)]
    return [*_content_faults(value, at), *_call_faults(value, at), *_name_faults(value, at)]


def _content_faults(message: dict[str, Any], at: str) -> Iterator[Fault]:
    if "content" not in message:
        if message["role"] != "assistant":
            yield Fault(f"{at}/content", "is missing")
        return
    content = message["content"]
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        yield Fault(f"{at}/content", "must be a string, null or a list of parts")
        return
    for i, part in enumerate(content):
        if not isinstance(part, dict):
            yield Fault(f"{at}/content/{i}", "must be an object with a string `type`")
        elif not isinstance(part.get("type"), str):
            yield Fault(f"{at}/content/{i}/type", "must be a string")


def _name_faults(message: dict[str, Any], at: str) -> Iterator[Fault]:
    call_id = message.get("tool_call_id")
    if message["role"] == "tool" and not (isinstance(call_id, str) and call_id):
        yield Fault(f"{at}/tool_call_id", "must be a non-empty string on a tool message")
    name = message.get("name")
    if name is not None and not isinstance(name, str):
        yield Fault(f"{at}/name", "must be a string")
    legacy = message.get("function_call")
    if legacy is not None and not isinstance(legacy, dict):
        yield Fault(f"{at}/function_call", "must be an object")


def _call_faults(message: dict[str, Any], at: str) -> Iterator[Fault]:
    calls = message.get("tool_calls")
    if calls is None or calls == []:
        return
    if not isinstance(calls, list):
        yield Fault(f"{at}/tool_calls", "must be a list")
        return
    if message["role"] != "assistant":
        yield Fault(f"{at}/tool_calls", "may stand on an assistant message only")
        return
    seen: set[str] = set()
    for i, call in enumerate(calls):
        here = f"{at}/tool_calls/{i}"
        if not isinstance(call, dict):
            yield Fault(here, "must be an object")
            continue
        call_id = call.get("id")
        if not isinstance(call_id, str) or not call_id:
            yield Fault(f"{here}/id", "must be a non-empty string")
        elif call_id in seen:
            yield Fault(f"{here}/id", "stands twice in this message; call ids are unique within a message")
        else:
            seen.add(call_id)
        yield from _function_faults(call, here)


def _function_faults(call: dict[str, Any], at: str) -> Iterator[Fault]:
    for kind, text in (("function", "arguments"), ("custom", "input")):
        inner = call.get(kind)
        if inner is None:
            continue
        if not isinstance(inner, dict):
            yield Fault(f"{at}/{kind}", "must be an object")
            return
        if not isinstance(inner.get("name"), str) or not inner["name"]:
            yield Fault(f"{at}/{kind}/name", "must be a non-empty string")
        if not isinstance(inner.get(text), str):
            yield Fault(
                f"{at}/{kind}/{text}",
                "must be a string; it is kept as it is, even when it is no JSON",
            )
        return
    yield Fault(f"{at}/function", "is missing: a call has a `function` or a `custom` member")
