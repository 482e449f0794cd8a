"""Entities: what a message names, by class and in a normal form, so that two messages can be compared by it.

Definitions (compression page, section 6: E_k(X), the normalised matches of class k in X):

- path: words with slashes, or with the extension of a file (`paths`); `/` between segments, no line number.
- url: of http, ws, ssh, git, s3, file and of databases, without fragment and trailing signs, 300 code points of it; the
  name or the number of a host, with a port or without.
- id: UUIDs, hexadecimal of 7 digits and more, tickets, random and prefixed keys, mail addresses; in lower case.
- number: two digits and more, without separators of thousands and unit; a date. Shorter ones are everywhere, and
  digits of another entity belong to that. Numbers of lines that stand before file content are none.
- error: from the word that names an error to the end of its line, 120 code points, in lower case.
- identifier: snake_case, camelCase, CONST_CASE and dotted names, without `self.`; no plain word.
- version: three numbers and more, or two with a `v` before or `rc1` behind them; in lower case, without the `v`.
- command: the commands of a shell call, and those in a text (behind a prompt, fenced, between backticks).
- quoted: strings of more than one word between quotation marks, on one line.
- constraint: sentences of what must be and must not be, said by a user, a developer or the system, in lower case.
  What a tool returns is left out: every manual that is read has hundreds.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from sessions_app.compression.content_cache import ContentCache
from sessions_app.compression.digesting.shell_use import command_in
from sessions_app.compression.measures.lines import (
    commands_in,
    constraint_sentences_in,
    errors_in,
    quotes_in,
    simple_commands,
)
from sessions_app.compression.measures.readable import arguments_of, pieces, texts_of
from sessions_app.compression.measures.words import Entity, entities_of_word, is_plain
from sessions_app.engine import DamagedMessage, Message

CLASSES: Final = (
    "path",
    "url",
    "id",
    "number",
    "error",
    "identifier",
    "version",
    "command",
    "quoted",
    "constraint",
)
_CACHED_ENTITIES: Final = 500_000
_WHO_SETS_CONSTRAINTS: Final = ("user", "system", "developer")

_SCHEME = re.compile(
    r"(?<![A-Za-z0-9])(?:https?|wss?|ftp|ssh|git|s3|gs|file|postgres(?:ql)?|mysql|mongodb|redis|amqp)\Z", re.IGNORECASE
)
_LONGEST_SCHEME: Final = 12
_LONGEST_URL: Final = 300
_BEHIND_SCHEME = re.compile(r"[^\s<>\"'`()\[\]{}\\|，。；、（）【】《》“”]{3,1000}")
_WINDOWS_PATH = re.compile(r"(?<![\w\\])(?:[A-Za-z]:|\\)\\{1,2}[\w.$~-]{1,100}(?:\\{1,2}[\w.$~-]{1,100}){0,20}")
_SIGNS_IN_WORDS: Final = "_./:~@#$+-"
_WORD = re.compile(rf"[\w{re.escape(_SIGNS_IN_WORDS)}]+")
_BLANKS: Final = {n: " " for n in range(128) if not chr(n).isalnum() and chr(n) not in _SIGNS_IN_WORDS}
_LINE_NUMBER = re.compile(r"\n[ \t]{0,8}\d{1,6}(?:\t|→|:(?! ?\w)|(?=[ ]{0,2}\|))")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?![\d]))")


def entities_in(message: Message) -> frozenset[Entity]:
    """What a message names: in its text, its reasoning, the names and arguments of its calls.

    A damaged message names nothing. Kept by content, so that the next window and the next request get it for nothing.
    """
    return _CACHE.of(message.text)


def entities_in_text(text: str, *, sets_constraints: bool = True) -> frozenset[Entity]:
    found: set[Entity] = set()
    for piece in pieces(text):
        text = _LINE_NUMBER.sub("\n", f"\n{piece}")
        found.update(_said_in(text))
        found.update(_words_in(text))
        if sets_constraints:
            found.update(("constraint", sentence) for sentence in constraint_sentences_in(text))
    return frozenset(found)


def _read(text: str) -> frozenset[Entity]:
    message = Message(text)
    found: set[Entity] = set()
    try:
        sets_constraints = message.role in _WHO_SETS_CONSTRAINTS
        for said in texts_of(message):
            found |= entities_in_text(said, sets_constraints=sets_constraints)
        found.update(_called(message))
    except DamagedMessage:
        return frozenset()
    return frozenset(found)


def _called(message: Message) -> Iterator[Entity]:
    for call in message.calls:
        arguments = arguments_of(call)
        line = command_in(call.name, arguments) if isinstance(arguments, dict) else ""
        for command in simple_commands(line):
            yield "command", command


def _said_in(piece: str) -> Iterator[Entity]:
    for error in errors_in(piece):
        yield "error", error
    for quoted in quotes_in(piece):
        yield "quoted", quoted
    if "`" in piece or "$ " in piece:
        for command in commands_in(piece):
            yield "command", command


def _words_in(piece: str) -> set[Entity]:
    found: set[Entity] = set()
    if "://" in piece:
        urls, piece = _without_urls(piece)
        found.update(("url", _normal_url(url)) for url in urls)
    if "\\" in piece:
        found.update(("path", _normal_windows_path(path)) for path in _WINDOWS_PATH.findall(piece))
        # Text with escapes in it, of JSON that holds JSON: a line break must not become the `n` of a name.
        piece = _WINDOWS_PATH.sub(" ", piece).replace("\\n", "\n").replace("\\t", "\t")
    if "," in piece:
        piece = _THOUSANDS.sub("", piece)
    words = (word for word in set(_split(piece)) if not is_plain(word))
    found.update(chain.from_iterable(map(entities_of_word, words)))
    return found


def _split(piece: str) -> list[str]:
    """The words; two ways to the same end, of which the first is several times as fast."""
    return piece.translate(_BLANKS).split() if piece.isascii() else _WORD.findall(piece)


def _normal_windows_path(path: str) -> str:
    return path.replace("\\\\", "/").replace("\\", "/").rstrip("./")


def _without_urls(piece: str) -> tuple[list[str], str]:
    """The URLs in a text, and what is left of it. They are found by their `://`, which few texts hold."""
    urls, rest, done = [], [], 0
    at = piece.find("://")
    while at >= 0:
        scheme = _SCHEME.search(piece[max(at - _LONGEST_SCHEME, done) : at])
        behind = _BEHIND_SCHEME.match(piece, at + 3)
        if scheme is not None and behind is not None:
            start = at - len(scheme[0])
            urls.append(piece[start : behind.end()])
            rest.append(piece[done:start])
            done = behind.end()
        at = piece.find("://", max(at + 3, done))
    return urls, " ".join((*rest, piece[done:]))


def _normal_url(url: str) -> str:
    scheme, _, rest = url.partition("#")[0].rstrip(".,;:!?*_~-").partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}{slash}{path}".rstrip("/")[:_LONGEST_URL]


_CACHE: Final = ContentCache(make=_read, weigh=len, limit=_CACHED_ENTITIES)
