"""What of a message can be read: its text, its reasoning, the names and arguments of its calls. Cut in pieces."""

import json
from collections.abc import Iterator
from typing import Any, Final

from sessions_app.engine import Call, Message

PIECE: Final = 65_536
"""Code points looked at by one call of a pattern: no such call may keep other threads waiting for long."""

_REASONING_MEMBERS: Final = ("reasoning", "reasoning_content", "thinking")
_REASONING_PARTS: Final = ("thinking", "reasoning", "summary")


def texts_of(message: Message) -> Iterator[str]:
    """All of it, arguments as they read and not as they are escaped. Raises DamagedMessage."""
    yield from message.texts
    yield from reasoning_of(message)
    for call in message.calls:
        yield call.name
        yield from argument_texts(call)


def reasoning_of(message: Message) -> Iterator[str]:
    data = message.data
    for member in _REASONING_MEMBERS:
        if isinstance(data.get(member), str):
            yield data[member]
    yield from _values(data.get("reasoning_details"), only=("text", "summary"))
    content = data.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict):
            yield from _values([part.get(member) for member in _REASONING_PARTS], only=("text",))


def arguments_of(call: Call) -> Any:
    """The arguments decoded; None where they are no JSON."""
    try:
        return json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None


def argument_texts(call: Call) -> Iterator[str]:
    """The values of decoded arguments, without the members' names, which say nothing of the work; else the text."""
    value = arguments_of(call)
    if isinstance(value, dict | list | str):
        yield from _values(value)
    else:
        yield call.arguments


def _values(value: Any, *, only: tuple[str, ...] = ()) -> Iterator[str]:
    """Texts and numbers in a decoded value, in order; of objects only the members named, if any are."""
    rest = [value]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            rest += reversed(value)
        elif isinstance(value, dict):
            rest += reversed([v for k, v in value.items() if not only or k in only])
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield repr(value) if isinstance(value, float) or abs(value) < 10**18 else ""


def pieces(text: str) -> Iterator[str]:
    """The text in pieces, cut at a line break, else at a blank, else anywhere."""
    start = 0
    while len(text) - start > PIECE:
        stop = start + PIECE
        cut = max(text.rfind("\n", start, stop), text.rfind(" ", stop - 1_000, stop)) + 1
        stop = cut if cut > start else stop
        yield text[start:stop]
        start = stop
    yield text[start:]
