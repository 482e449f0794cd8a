"""Messages as Markdown to read and to paste. Nothing in a message can end the block that it stands in."""

import re
from collections.abc import Iterator
from typing import Final

from inspector.presenters.parts import other_parts
from inspector.presenters.readable import Readable, readable
from sessions_app import engine, jsontext

_TICKS: Final = re.compile("`+")


def markdown_of(place: str, message: engine.Message) -> Iterator[str]:
    """A heading, `### #12 assistant`, and below it what the message says. `place` is ours."""
    read = readable(message)
    if read is None:
        yield f"### {place} damaged\n\n"
        yield from _block(message.text)
        return
    yield f"### {place} {message.role}{_of_reply(message)}\n\n"
    yield from _said(message, read)
    for call in read.calls:
        yield f"Calls {_code(call.name)} as {_code(call.id)}:\n\n"
        yield from _block(call.arguments, "json")


def _said(message: engine.Message, read: Readable) -> Iterator[str]:
    if read.reasoning:
        yield "Reasoning:\n\n"
        yield from _block(read.reasoning)
    if any(read.texts):
        yield from _block("\n".join(read.texts))
    for part in other_parts(message):
        detail = f" {_code(part.detail)}" if part.detail else ""
        yield f"{_code(part.kind)} {_code(part.note)}{detail}\n\n"


def _of_reply(message: engine.Message) -> str:
    if message.tool_call_id is None:
        return ""
    name = f" {_code(message.tool_name)}" if message.tool_name else ""
    return f"{name} replies to {_code(message.tool_call_id)}{', an error' if message.is_error else ''}"


def _block(text: str, language: str = "") -> Iterator[str]:
    fence = "`" * max(3, _longest_run(text) + 1)
    yield f"{fence}{language}\n"
    yield text
    yield f"\n{fence}\n\n" if not text.endswith("\n") else f"{fence}\n\n"


def _code(text: str) -> str:
    """In a line, between more backticks than stand in it."""
    line = " ".join(jsontext.printable(text).split())
    ticks, space = "`" * (_longest_run(line) + 1), " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}" if line else "(empty)"


def _longest_run(text: str) -> int:
    if "`" not in text:
        return 0
    return max(len(found[0]) for found in _TICKS.finditer(text))
