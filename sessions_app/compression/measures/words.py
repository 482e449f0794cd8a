"""Entities that are one word: paths, ids, numbers, versions, identifiers. Each distinct word is looked at once."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sessions_app.compression.measures.paths import FILE_NAMES, PRODUCTS, path_in

Entity = tuple[str, str]
"""A class, and the text that it was recognised in, normalised."""

LONGEST: Final = 200
"""Code points of a word. What is longer is encoded data."""

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)
_HEX = re.compile(r"(?:0x[0-9a-f]{3,64}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}|[0-9a-f]{32,128})\Z", re.IGNORECASE)
_TICKET = re.compile(r"(?:(?!UTF-|SHA-|ISO-|RFC-|GPT-)[A-Z][A-Z0-9]{1,9}-\d{1,7}|CVE-\d{4}-\d{4,7}|#\d{1,7})\Z")
_PREFIXED_ID = re.compile(r"[a-z]{2,12}(?:[_-][a-z]{2,12})?[_-](?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{10,80}\Z")
_RANDOM = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d\D*\d)[A-Za-z0-9]{16,64}\Z")
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}\Z")

_ADDRESS = re.compile(
    r"((?:localhost|\d{1,3}(?:\.\d{1,3}){3}|[\w-]{1,60}(?:\.[\w-]{1,60}){0,4}\.(?:com|org|net|edu|gov|cn|io|ai))"
    r"(?::\d{2,5})?)(?:/[\w./%~@+-]*)?\Z",
    re.IGNORECASE,
)

_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T_-].*)?\Z")
_VERSION = re.compile(
    r"v?(\d{1,4}(?:\.\d{1,6}){2,3}(?:[-.+_]?(?:[a-z]{1,8}[.-]?\d{0,8}|\d{1,8})){0,3}"
    r"|\d{1,4}\.\d{1,6}[-.]?(?:rc|alpha|beta|a|b|dev|post)[.-]?\d{0,6})\Z",
    re.IGNORECASE,
)
_V_VERSION = re.compile(r"v(\d{1,4}\.\d{1,6})\Z", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d{1,40}(?:\.\d{1,40})?)(?:[a-zA-Z%]{1,3})?\Z")
_FEWEST_DIGITS: Final = 2
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d)?\Z")
"""The time of day: it is on every line of a log."""

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+\Z", re.ASCII)
_SNAKE = re.compile(
    r"(?=[^a-zA-Z]*[a-zA-Z])_{0,2}[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_{0,2}\Z|_{1,2}[A-Za-z][A-Za-z0-9]{2,}_{0,2}\Z"
)
_CAMEL = re.compile(
    r"(?:[a-z][a-z0-9]{0,30}|[A-Z][A-Z0-9]{0,8}[a-z][a-z0-9]{0,30})(?:[A-Z]{1,8}[a-z0-9]{0,30}){1,8}\Z|[A-Z]{2,9}[a-z]{3,30}\Z"
)
# Names of products and people that are written like identifiers and say nothing of the work.
_NAMES: Final = frozenset(
    {
        "GitHub", "GitLab", "JavaScript", "TypeScript", "PostgreSQL", "MySQL", "SQLite", "MongoDB", "PyPI", "PyTorch",
        "TensorFlow", "YouTube", "LinkedIn", "OpenAI", "LangChain", "macOS", "MacBook", "iPhone", "iPad", "GraphQL",
        "LaTeX", "DevOps", "WebSocket", "NumPy", "SciPy", "NodeJS", "eBay", "PayPal", "WhatsApp", "PowerShell",
    }
)  # fmt: skip
_SURNAME = re.compile(r"(?:Mc|Mac|De|La|Le|Van|O)[A-Z][a-z]+\Z")
_EMPHASISED = re.compile(r"_[A-Za-z]+_\Z")
_OF_ITSELF = ("self.", "this.", "cls.", "super.")
_BETWEEN = re.compile(r"[/:@+#$~=-]+")
# Writing without blanks between words: what is not of it may stand right beside it.
_UNSPACED = re.compile("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
_ASCII_END = re.compile(r"[!-~]+\Z")
_TO_EXTENSION = re.compile(r"(.*\.[A-Za-z0-9]{1,8})[^\x00-\x7f]*\Z")


def is_plain(word: str) -> bool:
    """Whether a word is one of a language and nothing more, and needs no closer look."""
    if not _FEWEST_DIGITS <= len(word) <= LONGEST:
        return True
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper()) and word not in FILE_NAMES


@lru_cache(maxsize=65_536)
def entities_of_word(word: str) -> tuple[Entity, ...]:
    """What one word is; nothing for a plain one. Kept for a while: the same words come again in every message."""
    found = _in_ascii(word) if word.isascii() else _in_mixed(word)
    return tuple(dict.fromkeys(found))


def _in_mixed(word: str) -> Iterator[Entity]:
    """A word with letters of other writings: a path with such names, or words written right beside one another."""
    if not _UNSPACED.search(word):
        if (path := path_in(word.rstrip(".:,;-"))) is not None:
            yield "path", path
        return
    if "/" in word and (path := path_in(_without_neighbours(word))) is not None:
        yield "path", path
        return
    for part in _UNSPACED.split(word):
        if part.isascii() and not is_plain(part):
            yield from _in_ascii(part)


def _without_neighbours(word: str) -> str:
    """`见src/a.py文件` without what stands before the path and behind its extension."""
    first, slash, rest = word.partition("/")
    if (end := _ASCII_END.search(first)) is not None:
        first = end[0]
    trimmed = f"{first}{slash}{rest}"
    extension = _TO_EXTENSION.match(trimmed)
    return extension[1] if extension else trimmed


def _in_ascii(word: str) -> Iterator[Entity]:
    word = word.rstrip(".:,;-+@$~").lstrip("-+:@=")
    if word.startswith("//"):
        word = word.lstrip("/")
    if is_plain(word) or _TIME.match(word):
        return
    whole = _whole(word)
    if whole is not None:
        yield whole
        return
    located, _, behind = _beside_line_number(word)
    if (path := path_in(located)) is not None:
        yield "path", path
        if not behind.isdecimal():
            yield from _in_parts(behind)
        return
    if (name := _identifier(word)) is not None:
        yield "identifier", name
        return
    yield from _in_parts(word)


def _beside_line_number(word: str) -> tuple[str, str, str]:
    """`src/a.py:12` in its parts; the colon of a drive belongs to the path."""
    drive = 2 if word[1:3] == ":/" else 0
    located, colon, behind = word[drive:].partition(":")
    located, _, anchor = located.partition("#")
    return word[:drive] + located, colon, behind or anchor


def _in_parts(word: str) -> Iterator[Entity]:
    parts = _BETWEEN.split(word)
    if len(parts) > 1:
        for part in parts:
            if not is_plain(part):
                yield from _in_ascii(part)


def _whole(word: str) -> Entity | None:
    """What is recognised by the form of the whole word."""
    if word[0].isdigit() or (word[0] in "vV" and word[1].isdigit()):
        return _beginning_with_a_digit(word)
    if _UUID.match(word) or _HEX.match(word) or _TICKET.match(word):
        return "id", word.lower()
    if "/" not in word and (_PREFIXED_ID.match(word) or _RANDOM.match(word) or _EMAIL.match(word)):
        return "id", word.lower()
    address = _ADDRESS.match(word)
    return ("url", address[0].lower().rstrip("/")) if address else None


def _beginning_with_a_digit(word: str) -> Entity | None:
    number = _NUMBER.match(word)
    if number is not None:
        digits = number[1]
        return ("number", digits) if sum(c.isdigit() for c in digits) >= _FEWEST_DIGITS else None
    if (date := _DATE.match(word)) is not None:
        return "number", f"{date[1]}-{date[2]:0>2}-{date[3]:0>2}"
    if _ADDRESS.match(word):
        return "url", word.lower().rstrip("/")
    if (version := _VERSION.match(word) or _V_VERSION.match(word)) is not None:
        return "version", version[1].lower()
    if _UUID.match(word) or _HEX.match(word):
        return "id", word.lower()
    return None


def _identifier(word: str) -> str | None:
    name = word.removesuffix("()")
    for owner in _OF_ITSELF:
        name = name.removeprefix(owner)
    if _DOTTED.match(name):
        parts = re.split(r"\.|::", name)
        # "e.g", "i.e", "U.S": every part of an abbreviation is short.
        return name if max(map(len, parts)) > 2 and len(name) > 4 and name not in PRODUCTS else None
    if len(name) < 4 or name in _NAMES or _SURNAME.match(name) or _EMPHASISED.match(name):
        return None
    return name if _SNAKE.match(name) or _CAMEL.match(name) else None
