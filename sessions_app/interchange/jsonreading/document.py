"""One large JSON document, read piece by piece: by the elements of its lists."""

import codecs
import json
from collections.abc import Container, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Final

from sessions_app.interchange.jsonreading.values import (
    DECODER,
    TORN,
    Record,
    TooDeep,
    Unreadable,
    fault_of,
    is_cut,
    shallow,
    skip_spaces,
)
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

_PIECE: Final = 1024 * 1024


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
            self._at = skip_spaces(self._text, self._at)
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
                value, end = DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as e:
                cut = is_cut(e, len(self._text))
                if not cut or not self._fill(more):
                    raise Unreadable(f"is no JSON: {fault_of(e)}", at_end=cut) from e
            except RecursionError as e:
                raise Unreadable("is nested too deeply", at_end=False) from e
            else:
                # A number that ends where the piece does, or before a "." or "e+" there, may go on in the next.
                if end < len(self._text) - 2 or not self._fill(more):
                    self._at = end
                    return shallow(value)
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
