"""The engine's rules once more, slow and obvious: lists in memory, every question answered by reading all of it.

Nothing here is taken from the engine but two texts that it writes itself, those of a recovery and of a note.
"""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from sessions_app.engine import Message, RecoveryWording
from sessions_app.engine.recovery_text import late_note
from tests.builders import Msg


@dataclass(frozen=True)
class ModelFrame:
    seq: int
    message: Msg
    version: int
    source: str = "agent"
    call: tuple[int, str] | None = None
    """Of a reply: the frame that called, and the tool's name."""
    late_for: int | None = None
    """Of a late reply: the recovery frame that came before it."""


@dataclass(frozen=True)
class ModelItem:
    kind: str
    seqs: tuple[int, ...]
    message: Msg


class Refused(Exception):
    """Names the engine's exception that is due."""


@dataclass
class Model:
    history: bool = True
    frames: list[ModelFrame] = field(default_factory=list)
    windows: dict[int, list[ModelItem]] = field(default_factory=lambda: {1: []})
    version: int = 1
    seen: dict[int, tuple[int, list[ModelItem]]] = field(default_factory=dict)
    """For each frame the version and the window that stood when it was about to be written."""

    @property
    def window(self) -> list[ModelItem]:
        return self.windows[self.version]

    @property
    def head(self) -> tuple[int, int]:
        return len(self.frames) + 1, self.version

    def open_calls(self) -> list[tuple[int, str, str]]:
        """(seq, id, name) of the calls of the last assistant message that no frame after it answers."""
        for at in range(len(self.frames) - 1, -1, -1):
            caller = self.frames[at]
            if caller.message["role"] == "assistant":
                answered = {
                    f.message["tool_call_id"] for f in self.frames[at + 1 :] if f.call and f.call[0] == caller.seq
                }
                calls = caller.message.get("tool_calls") or []
                return [(caller.seq, c["id"], c["function"]["name"]) for c in calls if c["id"] not in answered]
        return []

    def recovered(self) -> list[ModelFrame]:
        """Recovery frames whose real reply is still to come, newest first."""
        came = {f.late_for for f in self.frames}
        return [f for f in reversed(self.frames) if f.source == "recovery" and f.seq not in came]

    def append(self, messages: Sequence[Msg], *, recover: bool) -> list[ModelFrame]:
        """All or none. Raises Refused."""
        trial = deepcopy(self)
        for message in messages:
            trial._take(message, recover)
        new = trial.frames[len(self.frames) :]
        self.frames, self.windows, self.seen = trial.frames, trial.windows, trial.seen
        return new

    def _take(self, message: Msg, recover: bool) -> None:
        open_calls = self.open_calls()
        if message["role"] != "tool":
            if open_calls and not recover:
                raise Refused("OpenToolCalls")
            self.recover(None)
            self._add(message)
            return
        for seq, call_id, name in open_calls:
            if call_id == message["tool_call_id"]:
                self._add(message, call=(seq, name))
                return
        for frame in self.recovered():
            if frame.message["tool_call_id"] == message["tool_call_id"]:
                if open_calls:
                    raise Refused("OpenToolCalls")
                self._add(message, call=frame.call, late_for=frame.seq)
                return
        raise Refused("UnmatchedToolReply")

    def recover(self, reason: str | None) -> list[ModelFrame]:
        open_calls = self.open_calls()
        for seq, call_id, name in open_calls:
            said = RecoveryWording.configured().message(call_id=call_id, tool=name, reason=reason)
            self._add(said.copy(), source="recovery", call=(seq, name))
        return self.frames[len(self.frames) - len(open_calls) :]

    def _add(self, message: Msg, **members: Any) -> None:
        frame = ModelFrame(len(self.frames) + 1, message, self.version, **members)
        self.seen[frame.seq] = (self.version, list(self.window))
        self.frames.append(frame)
        place(self.window, frame)

    def publish(self, items: Iterable[ModelItem]) -> None:
        if not self.history:
            self.windows = {}
        self.version += 1
        self.windows[self.version] = list(items)

    def restored(self, version: int) -> list[ModelItem]:
        """Raises Refused."""
        if version == self.version:
            raise Refused("NothingToCompress")
        if not 1 <= version < self.version:
            raise Refused("VersionNotFound")
        if version not in self.windows:
            if version != 1:
                raise Refused("VersionNotKept")
            return self.from_scratch()
        items = list(self.windows[version])
        for frame in self.frames:
            if frame.version > version:
                place(items, frame)
        return items

    def from_scratch(self) -> list[ModelItem]:
        items: list[ModelItem] = []
        for frame in self.frames:
            place(items, frame)
        return items


def place(items: list[ModelItem], frame: ModelFrame) -> None:
    if frame.late_for is None:
        items.append(ModelItem("original", (frame.seq,), frame.message))
        return
    for at in range(len(items) - 1, -1, -1):
        if items[at].message["role"] == "assistant":
            break
        if items[at].kind == "original" and items[at].seqs == (frame.late_for,):
            items[at] = ModelItem("edited", (frame.late_for, frame.seq), frame.message)
            return
    assert frame.call is not None
    note = late_note(reply=Message.of(frame.message), tool=frame.call[1])
    items.append(ModelItem("edited", (frame.seq,), note.copy()))
