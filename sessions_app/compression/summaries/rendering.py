"""A model's answer as the lines of a summary, in the form in which a later digest or summary reads them back."""

import re
from collections.abc import Iterator
from typing import Final

from sessions_app.compression.digesting.bounded import flattened
from sessions_app.compression.digesting.facts import HEADING, UNNUMBERED
from sessions_app.compression.digesting.sections import Line
from sessions_app.compression.summaries.answer import Answer
from sessions_app.engine import Seqs

_NUMBERED: Final = re.compile(r"\s{0,4}\[(\d{1,18})(?:\s?[,–-]\s?\d{1,18}){0,20}\]\s{0,4}")
_BULLET: Final = re.compile(r"\s{0,4}[-*•]\s{1,4}")


def lines_of(answer: Answer, covered: Seqs) -> str:
    """A section for each member that says something. Constraints and decisions are sections that a digest has too.

    No line is cut: an answer that is too long is refused as a whole.
    """
    return "".join(
        f"{HEADING}{name.capitalize()}\n{lines}"
        for name, value in answer
        if (lines := "".join(_lines([value] if isinstance(value, str) else value, covered)))
    )


def _lines(entries: list[str], covered: Seqs) -> Iterator[str]:
    for entry in entries:
        text = entry[bullet.end() :] if (bullet := _BULLET.match(entry)) else entry
        number = None
        if (numbered := _NUMBERED.match(text)) is not None:
            text = text[numbered.end() :]
            # A number that none of the messages has is made up: the line stays, and claims no frame.
            number = int(numbered[1]) if int(numbered[1]) in covered else None
        said = flattened(text)
        if said:
            yield f"{UNNUMBERED}{said}\n" if number is None else str(Line(number, said))
