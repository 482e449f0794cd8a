"""The ordered walk that decides what a message may follow and which call a tool message answers.

Never a global set of ids: an id used again in a later turn belongs to the later call (contract, section 3, Append).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from sessions_app.engine.awaited import AwaitedReplies
from sessions_app.engine.errors import OpenToolCalls, UnmatchedToolReply
from sessions_app.engine.frames import Source
from sessions_app.engine.messages import Message
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.state import OpenCall, RecoveredCall, SessionState


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message that may enter, with its number and what it answers. `index`: its place in the batch; None for a
    recovery.
    """

    seq: int
    message: Message
    source: Source
    index: int | None
    tool_names: tuple[str, ...]
    call_seq: int | None = None
    recovery_seq: int | None = None


@dataclass(slots=True)
class Walk:
    """Takes messages one by one. `accepted`, `open_calls` and `recovered_calls` are the result."""

    state: SessionState
    wording: RecoveryWording
    source: Source = "agent"
    recover: bool = False
    may_fill: frozenset[OpenCall] = frozenset()
    """Open calls of the stored session that `recover` may fill. Those opened in this batch may always be."""
    accepted: list[Accepted] = field(default_factory=list)
    open_calls: dict[str, OpenCall] = field(init=False)
    """By id, in call order."""
    recovered_calls: AwaitedReplies = field(init=False)

    def __post_init__(self) -> None:
        self.open_calls = {call.id: call for call in self.state.open_calls}
        self.recovered_calls = AwaitedReplies.of(self.state.recovered_calls)

    @property
    def next_seq(self) -> int:
        return self.state.next_msg_seq + len(self.accepted)

    def take_all(self, messages: Sequence[Message], *, pointer: str = "/messages") -> None:
        for i, message in enumerate(messages):
            self.take(message, index=i, pointer=f"{pointer}/{i}")

    def take(self, message: Message, *, index: int | None, pointer: str) -> None:
        """Raises UnmatchedToolReply or OpenToolCalls; the walk is of no use after that."""
        if message.role == "tool":
            self._take_reply(message, index, pointer)
            return
        if self.open_calls:
            if not self.recover or not self._may_fill_all():
                raise self._calls_are_open(f"{pointer}/role")
            self.fill(reason=None)
        calls = [OpenCall(c.id, c.name, self.next_seq) for c in message.calls]
        self._accept(message, index=index, tool_names=tuple(dict.fromkeys(c.name for c in calls)))
        if message.role == "assistant":
            self.open_calls = {call.id: call for call in calls}
            self.recovered_calls.leave_behind()

    def answers(self, message: Message) -> Literal["open", "late", "nothing"]:
        """What kind of call a tool message would answer now."""
        if message.tool_call_id in self.open_calls:
            return "open"
        return "late" if self.recovered_calls.newest(message.tool_call_id) else "nothing"

    def take_orphan(self, message: Message, *, index: int) -> None:
        """Keep a reply that matches no call: it stands in no window. For an import only."""
        self._accept(message, index=index, tool_names=tuple(filter(None, [message.tool_name])))

    def fill(self, *, reason: str | None) -> None:
        """Write one recovery frame for each open call, in call order."""
        for call in tuple(self.open_calls.values()):
            self._recover(call, self.wording.message(call_id=call.id, tool=call.name, reason=reason), index=None)

    def take_recovery(self, message: Message, *, index: int, pointer: str) -> None:
        """A recovery frame that was written before, elsewhere. Raises UnmatchedToolReply."""
        call = self.open_calls.get(message.tool_call_id or "")
        if call is None:
            raise self._unmatched(message, pointer)
        self._recover(call, message, index=index)

    def _recover(self, call: OpenCall, message: Message, *, index: int | None) -> None:
        del self.open_calls[call.id]
        self.recovered_calls.add(RecoveredCall(call.id, call.name, call.seq, self.next_seq, True))
        self._accept(message, index=index, tool_names=(call.name,), source="recovery", call_seq=call.seq)

    def _take_reply(self, message: Message, index: int | None, pointer: str) -> None:
        open_call = self.open_calls.pop(message.tool_call_id or "", None)
        if open_call is not None:
            self._accept(message, index=index, tool_names=(open_call.name,), call_seq=open_call.seq)
        elif (late := self.recovered_calls.newest(message.tool_call_id)) is not None:
            self._take_late_reply(message, late, index, pointer)
        else:
            raise self._unmatched(message, pointer)

    def _take_late_reply(self, message: Message, late: RecoveredCall, index: int | None, pointer: str) -> None:
        # It would be a note: the assistant message that opened the calls follows every recovery message. A note has
        # the role of a user, and may not stand between a call and its reply.
        if self.open_calls:
            raise self._calls_are_open(pointer)
        self.recovered_calls.remove(late)
        self._accept(
            message,
            index=index,
            tool_names=(late.name,),
            call_seq=late.seq,
            recovery_seq=late.recovery_seq,
        )

    def _unmatched(self, message: Message, pointer: str) -> UnmatchedToolReply:
        return UnmatchedToolReply(
            actual=self.state, pointer=f"{pointer}/tool_call_id", tool_call_id=message.tool_call_id or ""
        )

    def _may_fill_all(self) -> bool:
        mine = self.state.next_msg_seq
        return all(call.seq >= mine or call in self.may_fill for call in self.open_calls.values())

    def _calls_are_open(self, pointer: str) -> OpenToolCalls:
        return OpenToolCalls(actual=self.state, calls=tuple(self.open_calls.values()), pointer=pointer)

    def _accept(
        self,
        message: Message,
        *,
        index: int | None,
        tool_names: tuple[str, ...],
        source: Source | None = None,
        call_seq: int | None = None,
        recovery_seq: int | None = None,
    ) -> None:
        self.accepted.append(
            Accepted(
                seq=self.next_seq,
                message=message,
                source=source or self.source,
                index=index,
                tool_names=tool_names,
                call_seq=call_seq,
                recovery_seq=recovery_seq,
            )
        )
