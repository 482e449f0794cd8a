"""A conversation of an agent that never ends, made up: for tests, demonstrations and benchmarks of long sessions.

Turns as agents have them: a request, rounds of calls (some in parallel) with their results, an answer. Some results are
errors, a few are tens of kilobytes, and now and then the agent dies in a tool. The same seed tells the same story.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from sessions_app.management.made_texts import Texts

Msg = dict[str, Any]

_TOOLS: Final = {
    "read_file": 30,
    "edit_file": 16,
    "run_tests": 14,
    "search": 14,
    "shell": 12,
    "list_files": 6,
    "fetch_url": 3,
    "write_todos": 3,
    "deploy": 1,
    "notify": 1,
}
"""How often each is called, in parts of a hundred."""

_ROUNDS: Final = (2, 18)
_PARALLEL: Final = ((1, 2, 3, 5), (80, 13, 5, 2))
"""Calls of one round, and how often there are so many."""

_ERRORS: Final = 0.06
_INTERRUPTED: Final = 0.04
"""Of the turns."""


@dataclass(frozen=True, slots=True)
class Step:
    """Messages that are appended at once. `dies`: then the agent does, with calls open, and recovers them when it
    starts again.
    """

    messages: tuple[Msg, ...]
    dies: bool = False


def conversation(seed: int) -> Iterator[Step]:
    """Without an end: take what is needed."""
    return _Author(Random(seed)).steps()


class _Author:
    def __init__(self, random: Random) -> None:
        self._random, self._texts, self._calls = random, Texts(random), 0

    def steps(self) -> Iterator[Step]:
        yield Step((_said("system", self._texts.instructions()),))
        while True:
            if self._random.random() < _INTERRUPTED:
                yield from self._interrupted_turn()
            else:
                yield Step((*self._request(), *self._rounds(), *self._answer()))

    def _request(self) -> Iterator[Msg]:
        yield _said("user", self._texts.request())

    def _answer(self) -> Iterator[Msg]:
        yield _said("assistant", self._texts.answer())

    def _rounds(self) -> Iterator[Msg]:
        for _ in range(self._random.randint(*_ROUNDS)):
            asked = self._asked()
            yield self._calling(asked)
            yield from (self._result(call) for call in asked)

    def _interrupted_turn(self) -> Iterator[Step]:
        """All but one of the calls are answered; the result of that one comes late, or never."""
        asked = self._asked()
        lost = self._random.choice(asked)
        replies = (self._result(call) for call in asked if call is not lost)
        yield Step((*self._request(), *self._rounds(), self._calling(asked), *replies), dies=True)
        going_on: list[Msg] = [_said("assistant", self._texts.thought()), *self._rounds(), *self._answer()]
        match self._random.randrange(3):
            case 0:  # before the model goes on: it takes the place of the recovery message
                going_on.insert(0, self._result(lost))
            case 1:  # after it: a note
                going_on.insert(1, self._result(lost))
        yield Step(tuple(going_on))

    def _asked(self) -> list[Msg]:
        (count,) = self._random.choices(*_PARALLEL)
        return [self._call(tool) for tool in self._random.choices(list(_TOOLS), list(_TOOLS.values()), k=count)]

    def _call(self, tool: str) -> Msg:
        self._calls += 1
        arguments = json.dumps(self._texts.arguments(tool), ensure_ascii=False)
        return {"id": f"call_{self._calls}", "type": "function", "function": {"name": tool, "arguments": arguments}}

    def _calling(self, asked: Sequence[Msg]) -> Msg:
        text = self._texts.thought() if self._random.random() < 0.6 else None
        return {"role": "assistant", "content": text, "tool_calls": list(asked)}

    def _result(self, call: Msg) -> Msg:
        tool = call["function"]["name"]
        reply: Msg = {"role": "tool", "tool_call_id": call["id"]}
        if self._random.random() < _ERRORS:
            return {**reply, "content": self._texts.failure(tool), "is_error": True}
        return {**reply, "content": self._texts.result(tool)}


def _said(role: str, text: str) -> Msg:
    return {"role": role, "content": text}
