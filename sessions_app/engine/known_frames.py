"""The frames of a copy, as far as its windows ask for them."""

from dataclasses import dataclass, field, replace
from functools import cache

from sessions_app.engine.errors import CopyRefused
from sessions_app.engine.frames import Frame
from sessions_app.engine.messages import Message
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.window import ContextItem


@dataclass(slots=True)
class KnownFrames:
    """Roles, ids and counts of all of them, and the late replies whole: a few hundred bytes each."""

    _frames: list[Frame] = field(default_factory=list)
    _unfollowed: set[int] = field(default_factory=set)
    """Recovery frames that no assistant message follows yet."""
    _in_place: set[int] = field(default_factory=set)
    """Recovery frames whose real reply came before any assistant message."""

    def __len__(self) -> int:
        return len(self._frames)

    def add(self, frame: Frame) -> None:
        if frame.source == "recovery":
            self._unfollowed.add(frame.seq)
        elif frame.role == "assistant":
            self._unfollowed.clear()
        elif frame.recovery_seq in self._unfollowed:
            self._in_place.add(frame.recovery_seq)
        is_late = frame.recovery_seq is not None
        self._frames.append(replace(frame, message=frame.message if is_late else _outline(frame.message), metadata={}))

    def between(self, start: int, stop: int) -> list[Frame]:
        return self._frames[start - 1 : stop - 1]

    def original(self, seqs: Seqs) -> ContextItem:
        """The message of one frame, unchanged. Raises CopyRefused where it never stands so."""
        frame = self._frames[seqs.first - 1]
        if len(seqs) != 1 or frame.is_orphan or frame.recovery_seq is not None:
            raise CopyRefused(f"{seqs} is the number of no message that stands in a window as it was sent")
        return ContextItem.original(seq=frame.seq, message=frame.message, tokens=frame.tokens)

    def is_late_reply(self, item: ContextItem) -> bool:
        """Whether it is a late reply in the place of its recovery message."""
        frame = self._frames[item.original_seqs.last - 1]
        recovery_seq = frame.recovery_seq
        return recovery_seq in self._in_place and item == ContextItem(
            kind="edited", original_seqs=Seqs.of((recovery_seq, frame.seq)), tokens=frame.tokens, message=frame.message
        )

    def takes_place(self, recovery_seq: int) -> bool:
        return recovery_seq in self._in_place


def _outline(message: Message) -> Message:
    """Role and ids: what is held of each frame."""
    if message.role == "tool":
        return Message.of({"role": "tool", "tool_call_id": message.tool_call_id})
    calls = [{"id": call.id, "function": {"name": "", "arguments": ""}} for call in message.calls]
    return Message.of({"role": message.role, "tool_calls": calls}) if calls else _plain(message.role)


@cache
def _plain(role: str) -> Message:
    return Message.of({"role": role})
