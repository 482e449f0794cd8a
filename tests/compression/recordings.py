"""Recordings for the tests of replays: by hand, and generated as agents bring them about."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from sessions_app import engine
from sessions_app.engine import Frame, ImportedMessage, parse_messages
from tests.builders import call, calls, reply, says, system, user

Msg = dict[str, Any]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def recording(messages: Sequence[Msg], *, seconds: Sequence[float] = ()) -> list[Frame]:
    """The frames of these messages. `seconds`: when each was said, counted from noon; without them all at noon."""
    at = [NOON + timedelta(seconds=s) for s in seconds] or [NOON] * len(messages)
    steps = (ImportedMessage(m, at=t) for m, t in zip(parse_messages(messages), at, strict=True))
    return engine.recorded_frames(history=steps, now=lambda: NOON)


def made_up(seed: int, *, rounds: int = 40) -> list[Frame]:
    """A run of an agent: turns, parallel calls, calls that die and answer late, reasoning, images, Chinese, pauses."""
    author = _Author(Random(seed))
    messages, seconds = author.run(rounds)
    return recording(messages, seconds=seconds)


class _Author:
    def __init__(self, random: Random) -> None:
        self.random, self.messages, self.seconds, self.calls, self.clock = random, [], [], 0, 0.0
        self.late: list[str] = []
        self.paths = [f"src/part_{n}/file_{n}.py" for n in range(12)] + ["文档/说明.md", "C:\\work\\a.txt"]

    messages: list[Msg]
    seconds: list[float]

    def run(self, rounds: int) -> tuple[list[Msg], list[float]]:
        if self.random.random() < 0.8:
            self._say(system("You work on the project. Never delete data."))
        self._request()
        for _ in range(rounds):
            self._round()
        return self.messages, self.seconds

    def _say(self, message: Msg) -> None:
        self.clock += self.random.choice([0, 1, 5, 30, 30, 400])
        self.messages.append(message)
        self.seconds.append(self.clock)

    def _request(self) -> None:
        texts = ["Fix {}. You must not touch {}.", "请修复 {}，不要修改 {}！", "Look at {} and {} " + "please " * 600]
        self._say(user(self.random.choice(texts).format(self._path(), self._path())))

    def _round(self) -> None:
        kind = self.random.random()
        if kind < 0.12:
            self._say(says(f"I'll use version 2.{self.random.randrange(9)}.1 of {self._path()}."))
            self._request()
        elif kind < 0.2 and self.late:
            self._say(reply(self.late.pop(), f"It came late: {self._path()}"))
        else:
            self._call()

    def _call(self) -> None:
        ids = [f"c{self.calls + n}" for n in range(self.random.choice([1, 1, 1, 2, 3]))]
        self.calls += len(ids) if self.random.random() < 0.9 else 0
        asked = [call(i, self.random.choice(["read_file", "bash"]), f'{{"path":"{self._escaped()}"}}') for i in ids]
        message: Msg = {"role": "assistant", "content": self.random.choice([None, "", "Next."]), "tool_calls": asked}
        if self.random.random() < 0.3:
            message["reasoning_content"] = f"Perhaps {self._path()} holds it. " * 20
        self._say(message)
        for call_id in ids:
            if self.random.random() < 0.06:
                self.late.append(call_id)
            else:
                self._say(reply(call_id, self._result()))

    def _result(self) -> Any:
        kind = self.random.random()
        if kind < 0.1:
            return "Error: no such file or directory\nexit code 2"
        if kind < 0.15:
            return [{"type": "text", "text": self._path()}, {"type": "image_url", "image_url": {"url": "data:x"}}]
        if kind < 0.2:
            return ""
        lines = self.random.choice([1, 5, 40, 150])
        return "\n".join(f"{self._path()}:{self.random.randrange(4000)} value_{n} = {n * 977}" for n in range(lines))

    def _path(self) -> str:
        return self.random.choice(self.paths)

    def _escaped(self) -> str:
        return self._path().replace("\\", "\\\\")


__all__ = ["NOON", "calls", "made_up", "recording"]
