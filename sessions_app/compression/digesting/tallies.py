"""The sections of a digest that keep count: files, tools, errors. What an earlier digest said of one is added to."""

import re
from typing import ClassVar

from sessions_app.compression.digesting.sections import Line, newest_first


class Files:
    """Each path with what was done to it."""

    title = "Files"
    share = 0.12
    always = 0
    _LINE: ClassVar = re.compile(r"(.+): ((?:read|edited|created|deleted)(?:, (?:read|edited|created|deleted)){0,3})\Z")

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, tuple[str, ...]]] = {}

    def add(self, seq: int, path: str, *operations: str) -> None:
        _, done = self._files.pop(path, (0, ()))
        # Written once it is there is edited, whatever the tool calls it.
        known = bool({"read", "edited", "created"} & set(done)) and "deleted" not in done[-1:]
        now = ["edited" if op == "created" and known else op for op in operations]
        self._files[path] = seq, tuple(dict.fromkeys((*(op for op in done if op not in now), *now)))

    def read(self, seq: int, text: str) -> None:
        if (line := self._LINE.match(text)) is not None:
            self._files[line[1]] = seq, tuple(line[2].split(", "))

    def lines(self) -> list[Line]:
        return newest_first([Line(seq, f"{path}: {', '.join(done)}") for path, (seq, done) in self._files.items()])


class Tools:
    """How often each tool was called, and how often it failed."""

    title = "Tools"
    share = 0.05
    always = 0
    _LINE: ClassVar = re.compile(r"(.+) × (\d{1,12})(?:, (\d{1,12}) failed)?\Z")

    def __init__(self) -> None:
        self._tools: dict[str, tuple[int, int, int]] = {}

    def called(self, seq: int, tool: str) -> None:
        _, count, failed = self._tools.pop(tool, (0, 0, 0))
        self._tools[tool] = seq, count + 1, failed

    def failed(self, tool: str) -> None:
        seq, count, failed = self._tools.get(tool, (0, 0, 0))
        self._tools[tool] = seq, count, failed + 1

    def read(self, seq: int, text: str) -> None:
        if (line := self._LINE.match(text)) is not None:
            had = self._tools.get(line[1], (0, 0, 0))
            self._tools[line[1]] = max(seq, had[0]), had[1] + int(line[2]), had[2] + int(line[3] or 0)

    def lines(self) -> list[Line]:
        return newest_first(
            [
                Line(seq, f"{tool} × {count}" + (f", {failed} failed" if failed else ""))
                for tool, (seq, count, failed) in self._tools.items()
            ]
        )

    def claims(self) -> list[str]:
        """What is said of the work; the counts are our own."""
        return list(self._tools)


class Errors:
    """The last failure of each thing that was tried, and whether it got through later."""

    title = "Errors"
    share = 0.09
    always = 0
    _LINE: ClassVar = re.compile(
        r"([^\n]*?): (.*) \((?:got through later: \[(\d{1,18})\]|did not get through since)\)\Z", re.DOTALL
    )

    def __init__(self) -> None:
        self._errors: dict[str, tuple[int, str, int | None]] = {}

    def failed(self, seq: int, label: str, why: str) -> None:
        self._errors.pop(label, None)
        self._errors[label] = seq, why, None

    def succeeded(self, seq: int, label: str) -> None:
        at, why, passed = self._errors.get(label, (0, "", 0))
        if passed is None:
            self._errors[label] = at, why, seq

    def read(self, seq: int, text: str) -> None:
        if (line := self._LINE.match(text)) is not None:
            self._errors[line[1]] = seq, line[2], int(line[3]) if line[3] else None

    def lines(self) -> list[Line]:
        told = [
            (passed is None, Line(seq, f"{label}: {why} ({self._outcome(passed)})"))
            for label, (seq, why, passed) in self._errors.items()
        ]
        return [line for _, line in sorted(told, key=lambda t: (t[0], t[1].seq), reverse=True)]

    def claims(self) -> list[str]:
        """What is said of the work; the frame in which it got through is our own."""
        return [f"{label}: {why}" for label, (_, why, _) in self._errors.items()]

    @staticmethod
    def _outcome(passed: int | None) -> str:
        return "did not get through since" if passed is None else f"got through later: [{passed}]"
