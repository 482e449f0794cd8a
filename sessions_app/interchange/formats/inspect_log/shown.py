"""What a model was shown for an answer: messages of the sample, by their places, and others."""

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from sessions_app.interchange.formats.inspect_log.identity import Known
from sessions_app.interchange.formats.inspect_log.messages import Message
from sessions_app.interchange.loose import as_count, as_objects


@dataclass(frozen=True, slots=True)
class Shown:
    """The first `start` messages, those at `rest`, and `others`. `changed`: the places of messages that were shown in
    another version, a result that was cleared, say.
    """

    start: int = 0
    rest: frozenset[int] = frozenset()
    others: tuple[Message, ...] = ()
    changed: frozenset[int] = frozenset()

    @property
    def places(self) -> set[int]:
        return {*range(self.start), *self.rest}


@dataclass(slots=True)
class Inputs:
    """Reads the inputs of one answer after another. Most repeat the one before and go on, and are read from there."""

    known: Known
    pool: list[Any]
    _listed: list[Message] = field(default_factory=list)
    _shown: Shown = Shown()

    def __post_init__(self) -> None:
        self.pool = [message if isinstance(message, dict) else {} for message in self.pool]

    def of(self, place: int, event: dict[str, Any]) -> Shown | None:
        """What the message at `place` was made with; None where the log does not hold it."""
        # A few bytes may refer to all messages over and over: no window is much longer than the conversation.
        at_most = 2 * self.known.count + 1000
        listed = as_objects(event.get("input")) or _from_pool(event.get("input_refs"), self.pool, at_most)
        if not listed:
            return None
        done = len(self._listed)
        if listed[:done] != self._listed:
            done, self._shown = 0, Shown()
        start = self._shown.start
        # The start of the conversation; after it, words that were said twice are taken for those said last.
        while done == start < min(len(listed), place) and start in self.known.places(listed[start]):
            done = start = start + 1
        self._listed, self._shown = listed, self._matched(start, listed[done:], place)
        return self._shown

    def _matched(self, start: int, listed: list[Message], place: int) -> Shown:
        places, changed, others, bound = set(self._shown.rest), set(self._shown.changed), [], place
        for message in reversed(listed):
            found, is_version = self.known.places(message), False
            if not found:
                found, is_version = self.known.places_of_versions(message), True
            before = found[: bisect_left(found, bound)] or found[: bisect_left(found, place)]
            if not before:
                others.append(message)
                continue
            bound = before[-1]
            places.add(bound)
            if is_version:
                changed.add(bound)
        return Shown(start, frozenset(places), (*self._shown.others, *reversed(others)), frozenset(changed))


def _from_pool(references: Any, pool: list[Message], at_most: int) -> list[Message]:
    """The messages in ranges of the pool: [start, end) each."""
    ranges = [r for r in references if isinstance(r, list) and len(r) == 2] if isinstance(references, list) else []
    listed: list[Message] = []
    for first, last in ranges:
        start, stop = as_count(first), as_count(last)
        if start is None or stop is None or not 0 <= start < stop:
            continue
        if len(listed) + min(stop, len(pool)) - start > at_most:
            return []
        listed += pool[start:stop]
    return listed
