"""Whether a recorded history continues a stored session, and from where."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sessions_app.engine import reads
from sessions_app.engine.errors import HistoryDiverged
from sessions_app.engine.messages import Message
from sessions_app.engine.state import SessionState
from sessions_app.engine.unfinished import rest_of

if TYPE_CHECKING:
    from sessions_app.engine.import_steps import ImportedCompaction, ImportStep

_WAITING = 1000

NOT_A_VERSION = "is no version of the session, which was imported without it"


@dataclass(slots=True)
class Continuation:
    """What of a history is stored already: the frames of its messages by their number, and its compactions.

    `rests`: of a message that was stored before it was whole, what came after. `left_out`: compactions that stand
    before messages which are stored, and are no version.
    """

    seqs: dict[int, tuple[int, ...]] = field(default_factory=dict)
    compactions: frozenset[int] = frozenset()
    rests: dict[int, Message] = field(default_factory=dict)
    left_out: list[int] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    has_more: bool = False

    @property
    def newest_compaction(self) -> int:
        """The number of the last that is a version: those before it are versions, or were left out."""
        return max(self.compactions, default=0)

    @property
    def messages(self) -> int:
        """How many messages of the history are stored, counted to the last one."""
        return max(self.seqs, default=-1) + 1


def hash_of(step: "ImportedCompaction") -> str:
    """Tells one compaction from another of the same place: what it keeps, in which order, and its summary."""
    said = "" if step.summary is None else step.summary.text
    return hashlib.sha256(f"{sorted(step.keeps)}{list(step.order)}{said}".encode()).hexdigest()[:16]


def find_continuation(
    state: SessionState, steps: "Iterator[ImportStep]", *, owner_id: int, strategy: str
) -> Continuation:
    """Compare frame by frame; recovery frames are the engine's own and count for neither side.

    A late reply may be stored after messages that it precedes in the history: it had to wait for them. A message may
    be stored in parts: the file was imported while it was being written. Raises HistoryDiverged where the two differ
    before one of them ends.
    """
    if state.owner_id != owner_id:
        raise HistoryDiverged(state.session_id, steps=0)
    stored = reads.imported_compactions(state.session_id, strategy)
    found = Continuation(compactions=frozenset(stored))
    told = _Told(state.session_id, steps, stored)
    for frame in reads.all_frames(state.session_id, below=state.next_msg_seq):
        if frame.source == "recovery":
            continue
        number = told.find(frame.message)
        if number is None:
            if told.is_over and not told.waiting:
                break  # the session has more than the history
            raise told.diverged()
        found.seqs[number] = (*found.seqs.get(number, ()), frame.seq)
        if frame.is_orphan:
            found.orphans.append(number)
    found.left_out = list(told.unknown)
    found.has_more = told.has_more()
    found.rests = {n: message for n, message in told.waiting.items() if n in found.seqs}
    return found


class _Told:
    """The messages of a history, asked for in nearly their order."""

    def __init__(self, session_id: str, steps: "Iterator[ImportStep]", stored: Mapping[int, str]) -> None:
        self._session_id, self._steps, self._stored = session_id, steps, stored
        self._messages = self._compactions = 0
        self._rest: int | None = None
        self.waiting: dict[int, Message] = {}
        self.unknown: list[int] = []
        """Compactions so far that are no version."""
        self.is_over = False

    def find(self, message: Message) -> int | None:
        """The number of the next message that this one is, or is the beginning of.

        Tool replies before it are left waiting, and so is the rest of a message; that only replies may precede.
        """
        for number, waits in self.waiting.items():
            if waits == message:
                del self.waiting[number]
                self._rest = None if number == self._rest else self._rest
                return number
            if number == self._rest and (rest := rest_of(waits, message)) is not None:
                self.waiting[number] = rest
                return number
        if self._rest is not None and message.role != "tool":
            return None
        while (told := self._next_message()) is not None:
            number, candidate = told
            if candidate == message:
                return number
            if (rest := rest_of(candidate, message)) is not None:
                self.waiting[number], self._rest = rest, number
                return number
            self.waiting[number] = candidate
            if candidate.role != "tool" or len(self.waiting) > _WAITING:
                return None
        return None

    def has_more(self) -> bool:
        """Whether a message is left, or a compaction that is not stored yet."""
        if self.waiting:
            return True
        known = len(self.unknown)
        step = self._next()
        while step is not None and not isinstance(step, Message):
            # One that comes before messages or versions which are stored was looked at with them.
            if len(self.unknown) > known and self._compactions > max(self._stored, default=0):
                return True
            step = self._next()
        return step is not None

    def diverged(self) -> HistoryDiverged:
        return HistoryDiverged(self._session_id, steps=self._messages + self._compactions)

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
        if message is not None:
            self._messages += 1
            return message
        self._compactions += 1
        stored = self._stored.get(self._compactions)
        if stored is None:
            self.unknown.append(self._compactions)
        elif stored != hash_of(step):  # type: ignore[arg-type]  # a step without a message is a compaction
            raise self.diverged()
        return step
