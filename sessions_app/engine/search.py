"""Finding text in messages as they are stored: a pattern for the database, and an exact look at what it gives.

The patterns are a superset on both databases: they are matched against the JSON text (whose member names match too),
and they leave out letters whose case the databases fold differently. `Needle.is_in` then decides. Never a silent miss.

The arguments of a call are JSON within JSON: what a reader sees in them, a line break or Chinese, may stand there
escaped once more, and as `\\u5b58` where whoever wrote them escaped all but ASCII.
"""

import json
import re
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db.models import CharField, Lookup, Q, TextField
from django.db.models.sql.compiler import SQLCompiler

from sessions_app import jsontext
from sessions_app.engine.messages import Message

_PATTERN_LENGTH: Final = 1000
"""SQLite refuses a pattern of over 50,000 bytes. The beginning of a text is found wherever the whole of it stands."""
_TRIGRAM: Final = re.compile("[0-9A-Za-z]{3}")


@dataclass(frozen=True, slots=True)
class Needle:
    """What is searched for, whatever its case."""

    text: str

    def is_in(self, text: str) -> bool:
        return self.text.lower() in text.lower()

    def is_in_message(self, message: Message) -> bool:
        return not message.is_damaged and any(self.is_in(text) for text in message.searched_texts())

    @property
    def has_trigram(self) -> bool:
        """Whether an index of trigrams can narrow the search. Letters of other scripts are in it by the locale only."""
        return _TRIGRAM.search(jsontext.escape(self.text)[:_PATTERN_LENGTH]) is not None

    @property
    def pattern(self) -> str:
        """For columns that hold plain text."""
        return _pattern(self.text)

    @property
    def json_pattern(self) -> str:
        """For columns that hold JSON text, where quotes and line breaks are escaped."""
        return _pattern(jsontext.escape(self.text))

    @property
    def in_a_message(self) -> Q:
        """Of frames: those whose message may hold it. One condition for a plain word."""
        within = (jsontext.escape(self.text), json.dumps(self.text)[1:-1])
        patterns = dict.fromkeys((self.json_pattern, *(_pattern(jsontext.escape(text)) for text in within)))
        return reduce(or_, (Q(message__matches_pattern=pattern) for pattern in patterns))


def _pattern(text: str) -> str:
    return "%" + "".join(_for_like(c) for c in text[:_PATTERN_LENGTH]) + "%"


def _for_like(character: str) -> str:
    if character in "%_\\":
        return f"\\{character}"
    if jsontext.printable(character) != character:  # in no column of either database, and in no parameter
        return "%"
    # Both databases fold ASCII; beyond it one folds nothing, the other by its locale, and some letters change their
    # length.
    folded_otherwise = not character.isascii() and character.lower() != character.upper()
    return "%" if folded_otherwise else character


class MatchesPattern(Lookup):
    """`column__matches_pattern`: LIKE with a pattern of our own, ASCII letters in any case."""

    lookup_name = "matches_pattern"

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        column, column_params = self.process_lhs(compiler, connection)
        pattern, pattern_params = self.process_rhs(compiler, connection)
        operator = "ILIKE" if connection.vendor == "postgresql" else "LIKE"
        return f"{column} {operator} {pattern} ESCAPE '\\'", (*column_params, *pattern_params)


TextField.register_lookup(MatchesPattern)
CharField.register_lookup(MatchesPattern)
