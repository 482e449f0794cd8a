"""The context window: what the model is sent, as values. Rounds and turns are read off it here.

Frozen values share unchanged messages: an append makes a new window without copying the old one's messages.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

from sessions_app.engine.messages import Message
from sessions_app.engine.recovery_text import is_late_note
from sessions_app.engine.seqs import Seqs

Kind = Literal["original", "edited", "summary"]

ORDER, OF_FILE = "order", "file"
"""The parameter in the ledger of a version whose messages stand in another order than their frames, and its value."""


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One context message: the message, the raw frames that it stands for, and how it came to be."""

    kind: Kind
    original_seqs: Seqs
    tokens: int
    message: Message

    @classmethod
    def original(cls, *, seq: int, message: Message, tokens: int) -> "ContextItem":
        return cls(kind="original", original_seqs=Seqs.one(seq), tokens=tokens, message=message)

    @classmethod
    def edited(cls, *, seqs: Seqs, message: Message) -> "ContextItem":
        return cls(kind="edited", original_seqs=seqs, tokens=message.count_tokens(), message=message)

    @classmethod
    def summary(cls, *, seqs: Seqs, message: Message) -> "ContextItem":
        return cls(kind="summary", original_seqs=seqs, tokens=message.count_tokens(), message=message)

    def with_message(self, message: Message) -> "ContextItem":
        """The same frames, said otherwise."""
        return replace(self, kind="edited", message=message, tokens=message.count_tokens())

    @property
    def role(self) -> str:
        return self.message.role

    @property
    def is_request(self) -> bool:
        """Whether the user said it: a summary and a late-reply note have the role `user` too, and are none."""
        return (
            self.kind != "summary"
            and self.role == "user"
            and not (self.kind == "edited" and is_late_note(self.message))
        )


@dataclass(frozen=True, slots=True)
class Span:
    """A run of positions in a window, `start` included and `stop` not, counted from 0."""

    start: int
    stop: int

    def __contains__(self, index: int) -> bool:
        return self.start <= index < self.stop


@dataclass(frozen=True)
class Window:
    """The ordered context messages of one version. Positions in the database are the index + 1."""

    items: tuple[ContextItem, ...] = field(default=())

    @classmethod
    def of(cls, items: Iterable[ContextItem]) -> "Window":
        return cls(tuple(items))

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[ContextItem]:
        return iter(self.items)

    def __getitem__(self, index: int) -> ContextItem:
        return self.items[index]

    @cached_property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)

    @cached_property
    def is_in_order(self) -> bool:
        """Whether the messages stand in the order of the smallest of their frames. One that a file brought may not."""
        return all(a.original_seqs.first <= b.original_seqs.first for a, b in pairwise(self.items))

    @property
    def tail_role(self) -> str:
        return self.items[-1].role if self.items else ""

    @cached_property
    def system_stop(self) -> int:
        """The length of the leading run of system and developer messages."""
        for i, item in enumerate(self.items):
            if item.role not in ("system", "developer"):
                return i
        return len(self.items)

    @cached_property
    def request_indexes(self) -> tuple[int, ...]:
        """Where the user speaks."""
        return tuple(i for i, item in enumerate(self.items) if item.is_request)

    @cached_property
    def rounds(self) -> tuple[Span, ...]:
        """The rounds, oldest first: the user messages before one assistant message, that message, the replies to it.

        What stands between the system message and the first round in no round's form (a summary, a system message said
        later) belongs to the round that follows it. Messages after the last round belong to none yet.
        """
        spans: list[Span] = []
        start = self.system_stop
        for i in range(self.system_stop, len(self.items)):
            if self.items[i].role != "assistant":
                continue
            stop = i + 1
            while stop < len(self.items) and self.items[stop].role == "tool":
                stop += 1
            spans.append(Span(start, stop))
            start = stop
        return tuple(spans)

    @cached_property
    def open_call_ids(self) -> frozenset[str]:
        """Ids of the calls of the newest call group that no reply answers."""
        answered: set[str] = set()
        for item in reversed(self.items):
            if item.role == "tool":
                answered.add(item.message.tool_call_id or "")
            elif item.role == "assistant":
                return frozenset(c.id for c in item.message.calls) - answered
            else:
                return frozenset()
        return frozenset()

    @cached_property
    def complete_rounds(self) -> tuple[Span, ...]:
        """The rounds without the newest where that still has open calls."""
        return self.rounds[:-1] if self.open_call_ids else self.rounds

    def extended(self, items: Sequence[ContextItem]) -> "Window":
        return Window((*self.items, *items)) if items else self

    def with_item(self, index: int, item: ContextItem) -> "Window":
        return Window((*self.items[:index], item, *self.items[index + 1 :]))
