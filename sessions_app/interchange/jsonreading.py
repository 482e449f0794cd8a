"""Reading foreign JSON: leniently, in pieces, and never by an exception.

What a damaged file still holds is given; what it does not is named in the tally. The parser is that of the standard
library, fed piece by piece: ijson's C parser turns lone surrogates into `?` and stops at NaN, which real logs hold
(docs/decisions/0007).
"""

import codecs
import json
import math
from collections.abc import Container, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from sessions_app import jsontext
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

LONGEST_LINE: Final = 64 * 1024 * 1024
_PIECE: Final = 1024 * 1024
_NEAR_THE_END: Final = 32

_DEEPEST: Final = 200
"""Levels of a record. A message may have 128; what is deeper than this cannot be handled safely at all."""


def _finite(text: str) -> float | str:
    number = float(text)
    return text if math.isinf(number) else number


def _whole(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        # Over 4,300 digits: Python takes a long time for it, and refuses.
        return text


# NaN and Infinity become their names, and so does a number beyond IEEE double: the scores of an evaluation hold them,
# and none of them is JSON. An integer that Python refuses stays its digits.
_DECODER: Final = json.JSONDecoder(parse_constant=str, parse_float=_finite, parse_int=_whole)

TORN: Final = "is cut off: the file ends in the middle of it"


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file: its number from 1, its value, and the list of the document that it stands in.

    Of a line also where its bytes stand in the file, so that it can be read again by `line_at`.
    """

    number: int
    value: Any
    list: str = ""
    start: int = 0
    length: int = 0


class Unreadable(Exception):
    """The text is no JSON from here on. `at_end`: because it ends."""

    def __init__(self, why: str, *, at_end: bool) -> None:
        self.at_end = at_end
        super().__init__(why)


class TooDeep(Unreadable):
    """The value is whole, but nested too deeply to be handled. What follows it can be read."""

    def __init__(self) -> None:
        super().__init__(f"is nested over {_DEEPEST} levels deep", at_end=False)


class MoreFollows(Unreadable):
    """After the `value`, which is whole, the text goes on."""

    def __init__(self, value: Any, at: int) -> None:
        self.value = value
        super().__init__(f"is no JSON: more follows at character {at + 1:,}", at_end=False)


def loads(text: str) -> Any:
    """Raises Unreadable."""
    try:
        value, end = _DECODER.raw_decode(text, _skip_spaces(text, 0))
    except json.JSONDecodeError as e:
        raise Unreadable(f"is no JSON: {_fault(e)} at character {e.pos + 1:,}", at_end=_is_cut(e, len(text))) from e
    except RecursionError as e:
        raise Unreadable("is nested too deeply", at_end=False) from e
    if _skip_spaces(text, end) != len(text):
        raise MoreFollows(_shallow(value), end)
    return _shallow(value)


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
            _, end = _DECODER.raw_decode(text, _skip_spaces(text, end))
        except (json.JSONDecodeError, RecursionError):
            end = len(text)
        end = _skip_spaces(text, end)
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


class Document:
    """One JSON document, read once from its start to its end.

    `records()` gives the elements of the lists that `lists` names (a document that is a list itself has the name ""),
    one at a time; `header` holds all other members of an object, and is whole once `records()` has ended; the lists
    that `unread` names are passed over. Where the document breaks off, what came before it is given and the rest is
    named in the tally. Records are counted by their number in their list: name one list, or lists that exclude each
    other.
    """

    def __init__(self, source: Source, tally: Tally, *, lists: Container[str], unread: Container[str] = ()) -> None:
        self.header: dict[str, Any] = {}
        self._source, self._tally, self._lists, self._unread = source, tally, lists, unread
        self._number, self._list = 0, ""

    def records(self) -> Iterator[Record]:
        with self._source.open() as stream:
            text = _Text(stream)
            try:
                yield from self._document(text)
            except Unreadable as e:
                self._torn(e)
        if text.replaced:
            self._tally.skip("bytes", "are no UTF-8 and are read as U+FFFD", count=text.replaced)

    def _document(self, text: "_Text") -> Iterator[Record]:
        if text.peek() == "[":
            yield from self._elements("", text)
        else:
            text.expect("{")
            if text.peek() != "}":
                yield from self._members(text)
            text.expect("}")
        if text.peek():
            raise Unreadable("is no JSON: more follows after the end of the document", at_end=False)

    def _members(self, text: "_Text") -> Iterator[Record]:
        while True:
            self._list = ""
            if text.peek() != '"':
                raise Unreadable(
                    f"is no JSON: a member's name is expected, not {text.peek()!r}", at_end=not text.peek()
                )
            name = text.value()
            text.expect(":")
            if name in self._lists and text.peek() == "[":
                yield from self._elements(name, text)
            elif name in self._unread and text.peek() == "[":
                self._pass_over(text)
            else:
                try:
                    self.header[name] = text.value()
                except TooDeep as e:
                    self._tally.skip("member", str(e))
            if text.peek() != ",":
                return
            text.expect(",")

    def _elements(self, name: str, text: "_Text") -> Iterator[Record]:
        text.expect("[")
        self._list, self._number = name, 0
        if text.peek() == "]":
            text.expect("]")
            return
        while True:
            self._number += 1
            if not text.peek():
                raise Unreadable("ends", at_end=True)
            try:
                value = text.value()
            except TooDeep as e:
                self._tally.read.add(self._number)
                self._tally.skip("record", str(e), self._number)
            else:
                self._tally.read.add(self._number)
                yield Record(self._number, value, name)
            if text.peek() == "]":
                text.expect("]")
                return
            # The next number is the one that a break is named by.
            text.expect(",")

    def _pass_over(self, text: "_Text") -> None:
        """The elements of a list that nobody asks for, one at a time: they may be most of the file."""
        text.expect("[")
        while text.peek() != "]":
            with suppress(TooDeep):
                text.value()
            if text.peek() == "]":
                break
            text.expect(",")
        text.expect("]")

    def _torn(self, e: Unreadable) -> None:
        # What breaks off before its first record has none to name.
        number = self._number + (self._number in self._tally.read) or None
        if number is not None:
            self._tally.read.add(number)
        if e.at_end:
            self._tally.skip("record", TORN, number)
        else:
            self._tally.skip("rest of the file", str(e), number)


class _Text:
    """The text of a document, of which only the part that is being parsed is held."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._text, self._at, self._is_whole = stream, "", 0, False
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self.replaced = 0

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            self._at = _skip_spaces(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill(_PIECE):
                return ""

    def expect(self, character: str) -> None:
        """Raises Unreadable."""
        found = self.peek()
        if found != character:
            raise Unreadable(f"is no JSON: {character!r} is expected, not {found!r}", at_end=not found)
        self._at += 1

    def value(self) -> Any:
        """The value that stands here. Raises Unreadable."""
        self.peek()
        more = _PIECE
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as e:
                cut = _is_cut(e, len(self._text))
                if not cut or not self._fill(more):
                    raise Unreadable(f"is no JSON: {_fault(e)}", at_end=cut) from e
            except RecursionError as e:
                raise Unreadable("is nested too deeply", at_end=False) from e
            else:
                # A number that ends where the piece does, or before a "." or "e+" there, may go on in the next.
                if end < len(self._text) - 2 or not self._fill(more):
                    self._at = end
                    return _shallow(value)
            # Doubled, so that a value of many pieces is parsed a few times and not once for each.
            more *= 2

    def _fill(self, size: int) -> bool:
        if self._is_whole:
            return False
        data = self._stream.read(size)
        piece = self._decoder.decode(data, final=not data)
        self._is_whole = not data
        # Those that stand in the file itself are no damage.
        self.replaced += max(0, piece.count("\ufffd") - data.count(b"\xef\xbf\xbd"))
        if piece:
            self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece or data)


def _fault(e: json.JSONDecodeError) -> str:
    """Some of the parser's messages expect that a place follows."""
    return e.msg.removesuffix(" at")


def _is_cut(e: json.JSONDecodeError, length: int) -> bool:
    """Whether the text may just have ended too early: a string that has no end, or a fault at the very end."""
    return e.msg.startswith("Unterminated string") or e.pos >= length - _NEAR_THE_END


def _shallow(value: Any) -> Any:
    if jsontext.is_deeper_than(value, _DEEPEST):
        raise TooDeep
    return value


_SPACES: Final = " \t\r\n"


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at


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
