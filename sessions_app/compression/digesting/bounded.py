"""Pieces of text that cannot run away: one line stays one line, and a huge output is looked at from its two ends."""

import re
from collections.abc import Iterator

HEAD = 16_000
TAIL = 8_000
LINE = 240
"""Code points of a collected line. Long enough for a sentence, short enough that no single one fills a section."""

# Line breaks of every kind, other control characters, and marks that turn the reading direction: any of them can make
# one line look like two, or like another one.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LEFT_OUT = re.compile(r" … \(\d{1,12} characters left out\) … ")
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def ends(text: str) -> str:
    """The text, or the beginning and the end of a long one."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def one_line(text: str, limit: int = LINE) -> str:
    """The beginning of the text on one line, at most `limit` code points."""
    looked_at = text[: limit * 4]
    flat = flattened(looked_at)
    if len(flat) <= limit and len(looked_at) == len(text):
        return flat
    return flat[: limit - 1].rstrip() + "…"


def flattened(text: str) -> str:
    """The whole text on one line."""
    return " ".join(_UNPRINTABLE.sub(" ", _SURROGATE.sub("\ufffd", text)).split())


def shortened(text: str, limit: int) -> str:
    """The text with its line breaks made alike; of a long one the beginning, and a third as much from the end."""
    if len(text) > limit:
        head, tail = limit * 3 // 4, limit // 4
        text = f"{text[:head]} … ({len(text) - head - tail} characters left out) … {text[-tail:]}"
    return _LINE_BREAK.sub("\n", text)


def without_cuts(text: str) -> str:
    """The text without the words that `one_line` and `shortened` cut off, and without what they say of the cut."""
    halves = _LEFT_OUT.split(text)
    whole = [half if i == 0 else half.lstrip().partition(" ")[2] for i, half in enumerate(halves)]
    return " ".join(_before_cuts("…".join(whole)))


def _before_cuts(text: str) -> Iterator[str]:
    *cut, last = text.split("…")
    for part in cut:
        stripped = part.rstrip()
        yield stripped[: max(stripped.rfind(" "), stripped.rfind("\n")) + 1]
    yield last
