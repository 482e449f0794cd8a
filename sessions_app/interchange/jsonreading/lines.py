"""JSON Lines: a value a line, and a line that cannot be read loses itself only."""

import json
from collections.abc import Iterator
from typing import Any, Final

from sessions_app.interchange.jsonreading.values import (
    DECODER,
    TORN,
    MoreFollows,
    Record,
    Unreadable,
    loads,
    skip_spaces,
)
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

LONGEST_LINE: Final = 64 * 1024 * 1024
_PIECE: Final = 1024 * 1024


def json_lines(source: Source, tally: Tally, *, objects_only: bool = True) -> Iterator[Record]:
    """The records of a JSON Lines file. A line that cannot be read is named in the tally, and only that one is lost.

    Where a line break was lost, the objects of a line share its number.
    """
    for number, start, line, is_last in numbered_lines(source):
        if line is None:
            tally.read.add(number)
            tally.skip("line", f"is longer than {LONGEST_LINE // 1024**2} MiB", number)
            continue
        text = _decoded(line, tally, number)
        if not text.strip():
            continue
        tally.read.add(number)
        for at, length, value in _values(text, line):
            if isinstance(value, Unreadable):
                tally.skip("line", TORN if value.at_end and is_last else str(value), number)
            elif objects_only and not isinstance(value, dict):
                tally.skip("line", f"is JSON, but {_kind(value)} and no object", number)
            else:
                yield Record(number, value, start=start + at, length=length)


def _values(text: str, line: bytes) -> Iterator[tuple[int, int, Any]]:
    """(position, length, value or why it cannot be read): one for a line, or several that an object begins."""
    value = _loaded(text)
    if not isinstance(value, MoreFollows) or not isinstance(value.value, dict):
        yield 0, len(line), value
        return
    at = 0
    for piece in _pieces(line):
        yield at, len(piece), _loaded(piece.decode("utf-8-sig", errors="replace"))
        at += len(piece)


def _loaded(text: str) -> Any:
    try:
        return loads(text)
    except Unreadable as e:
        return e


def _pieces(line: bytes) -> Iterator[bytes]:
    """The bytes of each value of a line, and of what is left when the next one is none."""
    text = line.decode("utf-8", errors="surrogateescape")
    start, end = 0, 1 if text.startswith("\ufeff") else 0
    while start < len(text):
        try:
            _, end = DECODER.raw_decode(text, skip_spaces(text, end))
        except (json.JSONDecodeError, RecursionError):
            end = len(text)
        end = skip_spaces(text, end)
        yield text[start:end].encode("utf-8", errors="surrogateescape")
        start = end


def line_at(source: Source, start: int, length: int) -> Any:
    """The value of a line that `json_lines` has given before: for what is read in another order than the file's."""
    return loads(source.read_at(start, length).decode("utf-8-sig", errors="replace"))


def numbered_lines(source: Source) -> Iterator[tuple[int, int, bytes | None, bool]]:
    """(number, position, bytes, whether the file ends in it without a line break); None for one that is too long."""
    with source.open() as stream:
        number, start = 0, 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            length = len(line)
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                while rest := stream.readline(_PIECE):
                    length += len(rest)
                    if rest.endswith(b"\n"):
                        break
                yield number, start, None, False
            else:
                yield number, start, line, not line.endswith(b"\n")
            start += length


def _decoded(line: bytes, tally: Tally, number: int) -> str:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        tally.skip("bytes", "are no UTF-8 and are read as U+FFFD", number)
        return line.decode("utf-8-sig", errors="replace")


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
    return "a list"
