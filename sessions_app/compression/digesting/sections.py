"""The sections of a digest. Each takes in facts by key, gives them as lines, and reads its own lines back.

So a later digest merges an earlier one: what it said of a file, a tool or an error meets what is found now under the
same key, and nothing is nested.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sessions_app.compression.digesting.bounded import one_line, shortened

REQUEST = 2_000
ANSWER = 1_200
"""Code points of a request and of the last answer: they alone may have several lines."""
_REMEMBERED = 400
"""Entries of a section that are kept in mind: more than any budget has room for."""


@dataclass(frozen=True, slots=True)
class Line:
    """A fact and the frame it comes from. Further lines of its text are indented, so that none can pass for a fact."""

    seq: int
    text: str

    def __str__(self) -> str:
        return f"[{self.seq}] " + self.text.replace("\n", "\n    ") + "\n"


class Section(Protocol):
    """`share`: its part of the budget. `always`: how many of its first lines are cut rather than left out."""

    title: str
    share: float
    always: int

    def read(self, seq: int, text: str) -> None:
        """Take in a line that `lines` gave."""

    def lines(self) -> list[Line]:
        """The most important first."""


def newest_first(lines: list[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: -line.seq)


def _as_it_is(text: str) -> str:
    return " ".join(text.casefold().split())


def _label(text: str) -> str:
    return text.partition(": ")[0]


class Sayings:
    """Sentences, results, references: a line each, known by its key; said again, it moves to the later frame."""

    always = 0

    def __init__(self, title: str, share: float, *, key: Callable[[str], str] = _as_it_is) -> None:
        self.title, self.share, self._key = title, share, key
        self._said: dict[str, Line] = {}

    def add(self, seq: int, text: str) -> None:
        key = self._key(text)
        self._said.pop(key, None)
        self._said[key] = Line(seq, text)
        if len(self._said) > _REMEMBERED:
            del self._said[next(iter(self._said))]

    read = add

    def lines(self) -> list[Line]:
        return newest_first(list(self._said.values()))


class Requests:
    """What the user asked for, verbatim. The newest and the oldest come before those between them."""

    title = "User requests"
    share = 0.26
    always = 2

    def __init__(self) -> None:
        self._requests: dict[int, Line] = {}

    def add(self, seq: int, text: str) -> None:
        if text.strip():
            self.read(seq, shortened(text.strip(), REQUEST))

    def read(self, seq: int, text: str) -> None:
        self._requests[seq] = Line(seq, text)

    def lines(self) -> list[Line]:
        lines = newest_first(list(self._requests.values()))
        return [*lines[:1], *lines[1:][-1:], *lines[1:-1]]


class Newest:
    """A plan, an answer: only the newest counts, all its lines together and in their order."""

    def __init__(self, title: str, share: float, *, always: int = 0) -> None:
        self.title, self.share, self.always = title, share, always
        self._seq = 0
        self._texts: list[str] = []

    def set(self, seq: int, texts: list[str]) -> None:
        self._seq, self._texts = seq, texts

    def read(self, seq: int, text: str) -> None:
        if seq > self._seq:
            self.set(seq, [])
        if seq == self._seq:
            self._texts.append(text)

    def lines(self) -> list[Line]:
        return [Line(self._seq, text) for text in self._texts]


class Foreign:
    """The lines of an earlier summary that another strategy wrote, in their order."""

    title = "An earlier summary said"
    share = 0.08
    always = 0

    def __init__(self) -> None:
        self._lines: list[Line] = []

    def add(self, seq: int, text: str) -> None:
        for line in text.split("\n"):
            if line.strip():
                self.read(seq, one_line(line))

    def under(self, title: str) -> Callable[[int, str], None]:
        """Takes in the lines of a section that only the earlier summary has."""
        return lambda seq, text: self.read(seq, f"{title}: {text}")

    def read(self, seq: int, text: str) -> None:
        if len(self._lines) < _REMEMBERED:
            self._lines.append(Line(seq, text))

    def lines(self) -> list[Line]:
        return list(self._lines)


def constraints() -> Sayings:
    return Sayings("Constraints", 0.12)


def checks() -> Sayings:
    """One result for each thing that checks: the last."""
    return Sayings("Last test and build results", 0.04, key=_label)


def decisions() -> Sayings:
    return Sayings("Decisions", 0.07)


def references() -> Sayings:
    return Sayings("Ids, URLs, commits", 0.04)


def plan() -> Newest:
    return Newest("Plan", 0.06)


def answer() -> Newest:
    return Newest("Last assistant message", 0.07, always=1)
