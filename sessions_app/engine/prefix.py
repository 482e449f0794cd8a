"""Whether a recorded history continues a stored session, and from where."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sessions_app.engine import reads
from sessions_app.engine.errors import HistoryDiverged
from sessions_app.engine.messages import Message
from sessions_app.engine.state import SessionState

if TYPE_CHECKING:
    from sessions_app.engine.import_session import ImportStep

_WAITING = 1000


@dataclass(slots=True)
class Continuation:
    """What of a history is stored already: the frames of its messages by their number, and how many compactions."""

    seqs: dict[int, int] = field(default_factory=dict)
    compactions: int = 0
    orphans: list[int] = field(default_factory=list)
    has_more: bool = False


def find_continuation(
    state: SessionState, steps: "Iterator[ImportStep]", *, owner_id: int, strategy: str
) -> Continuation:
    """Compare frame by frame; recovery frames are the engine's own and count for neither side.

    A late reply may be stored after messages that it precedes in the history: it had to wait for them. Raises
    HistoryDiverged where the two differ before one of them ends.
    """
    if state.owner_id != owner_id:
        raise HistoryDiverged(state.session_id)
    found = Continuation(compactions=reads.imported_compactions(state.session_id, strategy))
    told = _Told(steps, compactions_stored=found.compactions)
    for frame in reads.all_frames(state.session_id, below=state.next_msg_seq):
        if frame.source == "recovery":
            continue
        number = told.find(frame.message)
        if number is None:
            if told.is_over and not told.waiting:
                return found  # the session has more than the history
            raise HistoryDiverged(state.session_id)
        found.seqs[number] = frame.seq
        if frame.is_orphan:
            found.orphans.append(number)
    found.has_more = told.has_more()
    return found


class _Told:
    """The messages of a history, asked for in nearly their order."""

    def __init__(self, steps: "Iterator[ImportStep]", compactions_stored: int) -> None:
        self._steps, self._stored = steps, compactions_stored
        self._messages = self._compactions = 0
        self.waiting: dict[int, Message] = {}
        self.is_over = False

    def find(self, message: Message) -> int | None:
        """The number of the next message that equals this one; tool replies before it are left waiting."""
        for number, waits in self.waiting.items():
            if waits == message:
                del self.waiting[number]
                return number
        while (told := self._next_message()) is not None:
            number, candidate = told
            if candidate == message:
                return number
            self.waiting[number] = candidate
            if candidate.role != "tool" or len(self.waiting) > _WAITING:
                return None
        return None

    def has_more(self) -> bool:
        """Whether a message is left, or a compaction that is not stored yet."""
        if self.waiting:
            return True
        step = self._next()
        while step is not None and not isinstance(step, Message):
            # One that comes before messages which are stored was looked at with them.
            if self._compactions > self._stored:
                return True
            step = self._next()
        return step is not None

    def _next_message(self) -> tuple[int, Message] | None:
        while (step := self._next()) is not None:
            if isinstance(step, Message):
                return self._messages - 1, step
        self.is_over = True
        return None

    def _next(self) -> "Message | ImportStep | None":
        step = next(self._steps, None)
        if step is None:
            return None
        message: Message | None = getattr(step, "message", None)
        if message is None:
            self._compactions += 1
            return step
        self._messages += 1
        return message
