"""A recorded session, read once for all strategies: its model calls, and what the agent used again at each of them.

Rounds are counted, not turns: a run of one task has a single turn, by which nothing would ever be far away.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sessions_app.compression.measures import Entity, entities_in, entities_of
from sessions_app.engine import ContextItem, FirstRequest, Frame, Message

FAR: Final = 10
"""Rounds after which what was last seen is far away."""

Ids = frozenset[int]
_NOTHING: Final[Ids] = frozenset()


@dataclass(frozen=True, slots=True)
class Call:
    """One model call, whose output is the frame at `index` of the recording. `idle_s`: seconds since the call before.

    `need`: what its output uses of all that was said before, and the index of the frame in which each was last seen;
    `far`: what of it was last seen more than `FAR` rounds before. Entities are numbers here.
    """

    index: int
    seq: int
    output_tokens: int
    idle_s: float
    need: dict[int, int]
    far: Ids


class Recording:
    """The frames of a session, its calls, and what each message tells. `on_frame` is called after each frame."""

    def __init__(self, frames: Sequence[Frame], on_frame: Callable[[], None] = lambda: None) -> None:
        self.frames = frames
        self._numbers: dict[Entity, int] = {}
        self._of_text: dict[str, Ids] = {}
        self._of_seq: dict[int, Ids] = {}
        self.calls: list[Call] = []
        first = next((f for f in frames if f.role == "user"), None)
        self.first_request = None if first is None else FirstRequest(first.seq, first.message.body)
        self._read(on_frame)

    def entities_of(self, item: ContextItem) -> Ids:
        """Those that are in some frame; others can be of no need."""
        if item.kind == "original":
            return self._of_seq[item.original_seqs.first]
        known = self._of_text.get(item.message.text)
        if known is None:
            numbers = self._numbers
            known = frozenset(numbers[e] for e in entities_of(item) if e in numbers)
            self._of_text[item.message.text] = known
        return known

    def _read(self, on_frame: Callable[[], None]) -> None:
        last_seen: dict[int, int] = {}
        calls_before: list[int] = []
        previous: Frame | None = None
        for index, frame in enumerate(self.frames):
            found = self._numbered(frame.message)
            self._of_seq[frame.seq] = found
            if frame.role == "assistant":
                need = {e: last_seen[e] for e in found if e in last_seen}
                now = len(self.calls)
                far = frozenset(e for e, at in need.items() if now - calls_before[at] > FAR)
                idle = 0.0 if previous is None else (frame.created_at - previous.created_at).total_seconds()
                self.calls.append(Call(index, frame.seq, frame.tokens, idle, need, far))
                previous = frame
            calls_before.append(len(self.calls))
            last_seen.update(dict.fromkeys(found, index))
            on_frame()

    def _numbered(self, message: Message) -> Ids:
        entities = entities_in(message)
        if not entities:
            return _NOTHING
        numbers = self._numbers
        return frozenset(numbers.setdefault(e, len(numbers)) for e in entities)
