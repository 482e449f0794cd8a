"""Where an accepted frame stands in a window: at its end, in the place of a recovery message, or as a note.

Used by an append (which knows the window's length only), by a compression that carries frames over, and by a restored
or rebuilt window: one rule, so that all give the same window.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sessions_app.engine.frames import Frame
from sessions_app.engine.recovery_text import late_note
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.window import ContextItem, Window


@dataclass(frozen=True, slots=True)
class Placement:
    """A context message with its position, counted from 1."""

    position: int
    item: ContextItem


FindRecovery = Callable[[int], Placement | None]
"""From the seq of a recovery frame to its message in the window, if that stands there unchanged and no assistant
message follows.
"""


@dataclass(slots=True)
class Projector:
    """Places frames one after the other; `appended` and `replaced` are the result."""

    length: int
    find: FindRecovery
    appended: list[Placement] = field(default_factory=list)
    replaced: dict[int, Placement] = field(default_factory=dict)
    tokens_added: int = 0
    _replies: dict[int, int] = field(default_factory=dict)
    """Where in `appended` those tool messages stand that no assistant message follows."""
    _has_assistant: bool = False

    def place(self, frame: Frame) -> None:
        """`frame.tokens` is that of its message, and serves both tables."""
        if frame.is_orphan:
            return
        if frame.recovery_seq is None:
            if frame.role == "tool":
                self._replies[frame.seq] = len(self.appended)
            elif frame.role == "assistant":
                self._has_assistant = True
                self._replies.clear()
            self._append(ContextItem.original(seq=frame.seq, message=frame.message, tokens=frame.tokens))
        elif (there := self._recovery_message(frame.recovery_seq)) is not None:
            self._replace(there, frame)
        else:
            note = late_note(reply=frame.message, tool=frame.tool_names[0] if frame.tool_names else "")
            self._append(ContextItem.edited(seqs=Seqs.one(frame.seq), message=note))

    def _append(self, item: ContextItem) -> None:
        self.appended.append(Placement(self.length + len(self.appended) + 1, item))
        self.tokens_added += item.tokens

    def _recovery_message(self, recovery_seq: int) -> Placement | None:
        at = self._replies.pop(recovery_seq, None)
        if at is not None:
            return self.appended[at]
        return None if self._has_assistant else self.find(recovery_seq)

    def _replace(self, there: Placement, frame: Frame) -> None:
        seqs = there.item.original_seqs.with_seq(frame.seq)
        item = ContextItem(kind="edited", original_seqs=seqs, tokens=frame.tokens, message=frame.message)
        self.tokens_added += item.tokens - there.item.tokens
        new = Placement(there.position, item)
        if there.position > self.length:
            self.appended[there.position - self.length - 1] = new
        else:
            self.replaced[there.position] = new


def project(window: Window, frames: Iterable[Frame]) -> Window:
    """The window with the frames standing in it. Cost: that of the frames, and one copy of the tuple of items."""
    projector = Projector(length=len(window), find=lambda seq: find_recovery(window, seq))
    for frame in frames:
        projector.place(frame)
    items = list(window.items)
    for placement in projector.replaced.values():
        items[placement.position - 1] = placement.item
    return Window((*items, *(p.item for p in projector.appended)))


def find_recovery(window: Window, recovery_seq: int) -> Placement | None:
    found: Placement | None = None
    for index in range(len(window) - 1, -1, -1):
        item = window[index]
        # By the number of its frame: a window that a file brought may stand in another order.
        if item.role == "assistant" and item.original_seqs.first > recovery_seq:
            return None
        if stands_for_only(item, recovery_seq):
            found = Placement(index + 1, item)
    return found


def stands_for_only(item: ContextItem, seq: int) -> bool:
    return item.kind == "original" and item.original_seqs.first == seq
