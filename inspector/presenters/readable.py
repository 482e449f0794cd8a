"""What a person reads of a message: its text, its reasoning, its calls."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from inspector.presenters.parts import reasoning_text
from sessions_app import engine

NO_MESSAGE: Final = (engine.DamagedMessage, KeyError, TypeError, AttributeError)
"""What reading a damaged message raises: stored text that is no JSON, or JSON that the engine never let in."""


@dataclass(frozen=True, slots=True)
class Readable:
    texts: tuple[str, ...]
    reasoning: str
    calls: tuple[engine.Call, ...]


def readable(message: engine.Message) -> Readable | None:
    """None where the message is damaged."""
    try:
        read = Readable(message.texts, reasoning_text(message), message.calls)
    except NO_MESSAGE:
        return None
    are_texts = all(isinstance(value, str) for c in read.calls for value in (c.id, c.name, c.arguments))
    return read if are_texts else None


def whole_text(message: engine.Message) -> tuple[str, ...]:
    """Its text, then its calls as `name(arguments)`; the stored text of a damaged one. To be joined."""
    read = readable(message)
    if read is None:
        return (message.text,)
    calls = [part for call in read.calls for part in (*call_text(call), "\n")]
    return (*_lines(read.texts), *(["\n\n"] if calls and any(read.texts) else []), *calls)


def call_text(call: engine.Call) -> tuple[str, ...]:
    return (call.name, "(", call.arguments, ")")


def _lines(texts: tuple[str, ...]) -> Iterator[str]:
    for i, text in enumerate(texts):
        if i:
            yield "\n"
        yield text
