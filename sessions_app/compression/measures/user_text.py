"""How much of the users' own words survives: their grams, and which of them a message has.

A gram is 5 tokens in a row, or 8 characters of a text that is mostly Chinese, Japanese or Korean; a shorter text is one
gram. A token is a run of letters, digits and underscores, or one other sign, in lower case.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sessions_app.compression.measures.readable import pieces, texts_of
from sessions_app.engine import DamagedMessage, Frame, Message

TOKENS: Final = 5
CHARACTERS: Final = 8
_AT_ONCE: Final = 20_000

_TOKEN = re.compile(r"\w+|[^\w\s]")
_CJK = re.compile("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")

Gram = tuple[str, ...] | str
"""Tokens, or characters in a row."""


@dataclass(frozen=True)
class UserText:
    """The grams of everything that users said, without repetition."""

    grams: frozenset[Gram]

    @classmethod
    def of(cls, frames: Iterable[Frame]) -> "UserText":
        """Of raw frames with the role `user`: notes and summaries are no raw frames."""
        requests = (text for frame in frames if frame.role == "user" for text in _texts(frame.message))
        return cls(frozenset(gram for text in requests for gram in grams_of(text)))

    def missing_from(self, messages: Iterable[Message]) -> int:
        """How many grams are in none of the messages. Those that users wrote are looked through first."""
        missing = set(self.grams)
        rest: list[Message] = []
        for message in messages:
            if message.role == "user":
                missing -= _found(missing, message)
            else:
                rest.append(message)
        for message in rest:
            if not missing:
                break
            missing -= _found(missing, message)
        return len(missing)


def grams_of(text: str) -> Iterator[Gram]:
    if _is_cjk(text):
        characters = _without_blanks(text)
        if characters:
            yield from _strings(characters, min(CHARACTERS, len(characters)))
    elif tokens := _tokens(text):
        yield from _runs(tokens, min(TOKENS, len(tokens)))


def _found(wanted: set[Gram], message: Message) -> set[Gram]:
    """Those of the wanted grams that the message has."""
    if not wanted:
        return set()
    token_lengths = {len(gram) for gram in wanted if isinstance(gram, tuple)}
    string_lengths = {len(gram) for gram in wanted if isinstance(gram, str)}
    found: set[Gram] = set()
    for text in _texts(message):
        if token_lengths:
            tokens = _tokens(text)
            for length in token_lengths:
                found |= _among(wanted, _runs(tokens, length))
        if string_lengths and not text.isascii():
            characters = _without_blanks(text)
            for length in string_lengths:
                found |= _among(wanted, _strings(characters, length))
    return found


def _among(wanted: set[Gram], grams: Iterator[Gram]) -> set[Gram]:
    found: set[Gram] = set()
    while some := set(islice(grams, _AT_ONCE)):  # not all at once: one call must not keep other threads waiting
        found |= wanted & some
    return found


def _runs(tokens: Sequence[str], length: int) -> Iterator[Gram]:
    return zip(*(islice(tokens, start, None) for start in range(length)), strict=False)


def _strings(text: str, length: int) -> Iterator[Gram]:
    return (text[at : at + length] for at in range(len(text) - length + 1))


def _texts(message: Message) -> list[str]:
    try:
        return list(texts_of(message))
    except DamagedMessage:
        return []


def _tokens(text: str) -> list[str]:
    return [token for piece in pieces(text) for token in _TOKEN.findall(piece.casefold())]


def _without_blanks(text: str) -> str:
    return "".join(text.casefold().split())


def _is_cjk(text: str) -> bool:
    """Whether more than half of the signs are."""
    if text.isascii():
        return False
    return 2 * sum(len(_CJK.findall(piece)) for piece in pieces(text)) > len(_without_blanks(text))
