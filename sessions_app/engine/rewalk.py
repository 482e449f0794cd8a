"""The ordered walk over frames that were numbered elsewhere: what each answers is found out anew, never believed."""

from dataclasses import replace

from sessions_app.engine.copied import CopiedFrame
from sessions_app.engine.create import empty_state
from sessions_app.engine.errors import CopyRefused, OpenToolCalls, UnmatchedToolReply
from sessions_app.engine.frames import Frame
from sessions_app.engine.pairing import Walk
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.state import OpenCall, RecoveredCall


class Rewalk:
    """Takes the frames of a copy in order and holds none of them."""

    def __init__(self) -> None:
        self._walk = Walk(empty_state(session_id="", incarnation="", owner_id=0), RecoveryWording(""))

    @property
    def next_seq(self) -> int:
        return self._walk.next_seq

    @property
    def open_calls(self) -> tuple[OpenCall, ...]:
        return tuple(self._walk.open_calls.values())

    @property
    def recovered_calls(self) -> tuple[RecoveredCall, ...]:
        return tuple(self._walk.recovered_calls)

    def take(self, copied: CopiedFrame) -> Frame:
        """The frame with all that is derived. Raises CopyRefused where no engine would have let it in."""
        walk, message = self._walk, copied.message
        if copied.seq != walk.next_seq:
            raise CopyRefused(f"frame {walk.next_seq} is missing: {copied.seq} stands in its place")
        try:
            self._pair(copied)
        except (OpenToolCalls, UnmatchedToolReply) as e:
            raise CopyRefused(str(e)) from e
        accepted = walk.accepted.pop()
        walk.state = replace(walk.state, next_msg_seq=copied.seq + 1)
        return Frame(
            seq=copied.seq,
            source=copied.source,
            created_at=copied.created_at,
            context_version=copied.context_version,
            tokens=message.count_tokens(),
            metadata=copied.metadata,
            message=message,
            role=message.role,
            tool_names=accepted.tool_names,
            call_seq=accepted.call_seq,
            recovery_seq=accepted.recovery_seq,
        )

    def _pair(self, copied: CopiedFrame) -> None:
        walk, message, pointer = self._walk, copied.message, f"frame {copied.seq}"
        walk.source = copied.source
        if copied.source == "recovery":
            walk.take_recovery(message, index=0, pointer=pointer)
        elif copied.source == "import" and message.role == "tool" and self._is_orphan(walk.answers(message)):
            walk.take_orphan(message, index=0)
        else:
            walk.take(message, index=0, pointer=pointer)

    def _is_orphan(self, answers: str) -> bool:
        # A late reply that still waited for open calls when its history ended stands in no window either.
        return answers == "nothing" or (answers == "late" and bool(self._walk.open_calls))
