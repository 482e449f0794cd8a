"""What a compaction leaves of the messages before it: those that its window still holds, and a summary of the rest."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.openai_responses import items as items
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.kinds import Item
from sessions_app.interchange.neutral import Message
from sessions_app.interchange.transcript import SUMMARY, Compacted, Said


@dataclass(slots=True)
class History:
    """The messages so far, by the digests of their items: a window that is written out anew is known again in them."""

    count: int = 0
    has_answers: bool = False
    """Whether the model has said anything yet."""
    _items: list[int] = field(default_factory=list)
    _places: dict[int, list[int]] = field(default_factory=dict)

    def add(self, said: Said) -> Said:
        """The message with its number, from 0, as its key."""
        for digest in said.keys:
            if isinstance(digest, int):
                self._places.setdefault(digest, []).append(self.count)
        self._items.append(len(said.keys))
        self.has_answers |= said.message["role"] == "assistant"
        self.count += 1
        return replace(said, keys=(self.count - 1,))

    def find(self, window: Sequence[Any]) -> "Found":
        """The messages that stand in a window with all of their items, and the items that are of none of these.

        Where the same was said several times, the newest ones are meant.
        """
        digests = [items.digest(item) for item in window]
        taken: dict[int, int] = {}
        places: list[int | None] = []
        for digest in reversed(digests):
            known = self._places.get(digest, ()) if digest is not None else ()
            used = taken.get(digest, 0) if digest is not None else 0
            places.append(known[-1 - used] if used < len(known) else None)
            if digest is not None:
                taken[digest] = used + 1
        places.reverse()
        found = Counter(places)
        keeps = frozenset(n for n in found if n is not None and found[n] == self._items[n])
        rest: list[Item] = []
        stands: dict[Hashable, int] = {}
        for at, (item, digest, place) in enumerate(zip(window, digests, places, strict=True)):
            if digest is not None:
                is_kept = place in keeps
                rest += [] if is_kept else [item]
                stands[place if is_kept else SUMMARY] = at
        return Found(keeps, rest, tuple(sorted(stands, key=stands.__getitem__)))


@dataclass(frozen=True, slots=True)
class Found:
    """`order`: the messages that a window keeps as they stand there, and where the last of the rest stands."""

    keeps: frozenset[int]
    rest: list[Item]
    order: tuple[Hashable, ...]


def compaction(
    records: tuple[int, ...],
    rest: Sequence[Item],
    keeps: frozenset[int],
    *,
    order: Sequence[Hashable] = (),
    params: dict[str, Any] | None = None,
    usage: dict[str, int] | None = None,
    at: datetime | None = None,
) -> Compacted:
    """`rest`: what the new window holds besides the messages that it keeps. It is the summary of all others."""
    sealed = [item for item in rest if kinds.kind_of(item) in kinds.COMPACTIONS]
    return Compacted(
        records,
        summary(rest),
        keeps=keeps,
        params=neutral.without_empty({**(params or {}), "sealed": sealed}),
        usage=dict(usage or {}),
        at=at,
        order=tuple(order),
    )


def summary(rest: Sequence[Item]) -> Message | None:
    content = neutral.parts_or_text([part for item in rest for part in _told(item)])
    return None if content is None else {"role": "user", "content": content}


def _told(item: Item) -> Iterator[Message]:
    """An item as part of a summary: the words of a user, or of whoever else with a word on who that is."""
    kind, role = kinds.kind_of(item), item.get("role")
    if kind in kinds.COMPACTIONS:
        if items.is_sealed(item):
            yield neutral.text_part(opaque(item))
    elif kind == "message":
        if role != "user":
            yield neutral.text_part(f"[{role}]")
        yield from items.message_parts(item)
    else:
        yield neutral.text_part(neutral.json_text(item))


def opaque(item: Item) -> str:
    sealed = item.get("encrypted_content")
    size = len(sealed.encode("utf-8", errors="surrogatepass")) if isinstance(sealed, str) else 0
    return f"[An opaque summary: {size:,} bytes, encrypted, that only the provider's model can read.]"


def opaque_message(item: Item, records: tuple[int, ...], at: datetime | None = None) -> Said:
    """Where nothing is left of what a compaction stands for, it is the first thing that is known."""
    return Said({"role": "user", "content": opaque(item)}, records, {"extra": {"sealed": [item]}}, at)
