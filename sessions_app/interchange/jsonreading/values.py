"""JSON values of other tools' files: read leniently, refused by one exception."""

import json
import math
from dataclasses import dataclass
from typing import Any, Final

from sessions_app import jsontext

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
DECODER: Final = json.JSONDecoder(parse_constant=str, parse_float=_finite, parse_int=_whole)

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
        value, end = DECODER.raw_decode(text, skip_spaces(text, 0))
    except json.JSONDecodeError as e:
        raise Unreadable(f"is no JSON: {fault_of(e)} at character {e.pos + 1:,}", at_end=is_cut(e, len(text))) from e
    except RecursionError as e:
        raise Unreadable("is nested too deeply", at_end=False) from e
    if skip_spaces(text, end) != len(text):
        raise MoreFollows(shallow(value), end)
    return shallow(value)


def fault_of(e: json.JSONDecodeError) -> str:
    """Some of the parser's messages expect that a place follows."""
    return e.msg.removesuffix(" at")


def is_cut(e: json.JSONDecodeError, length: int) -> bool:
    """Whether the text may just have ended too early: a string that has no end, or a fault at the very end."""
    return e.msg.startswith("Unterminated string") or e.pos >= length - _NEAR_THE_END


def shallow(value: Any) -> Any:
    if jsontext.is_deeper_than(value, _DEEPEST):
        raise TooDeep
    return value


_SPACES: Final = " \t\r\n"


def skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at
