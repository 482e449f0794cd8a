"""The raw frames of a session, read once: what all candidates for its window are measured against."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from sessions_app.compression.content_cache import ContentCache
from sessions_app.compression.digesting.claims import claims_in
from sessions_app.compression.digesting.summary_text import read_summary
from sessions_app.compression.measures.entities import entities_in, entities_in_text
from sessions_app.compression.measures.raw_words import RawWords
from sessions_app.compression.measures.readable import texts_of
from sessions_app.compression.measures.user_text import UserText
from sessions_app.compression.measures.words import Entity
from sessions_app.engine import ContextItem, DamagedMessage, Frame

_OF_CLAIMS = ContentCache(make=entities_in_text, weigh=len, limit=50_000)


def entities_of(item: ContextItem) -> frozenset[Entity]:
    """What a message of a window names. Of a summary in our form what it claims: frame numbers and counts are none."""
    if item.kind == "summary" and read_summary(item) is not None:
        return _OF_CLAIMS.of(claims_in(item))
    return entities_in(item.message)


class History:
    """Raw frames and what is worked out of them, each thing when it is first asked for and only once.

    For one comparison, in one thread.
    """

    def __init__(self, frames: tuple[Frame, ...]) -> None:
        self.frames = frames

    @classmethod
    def of(cls, frames: Sequence[Frame]) -> "History":
        return cls(tuple(frames))

    @cached_property
    def entities(self) -> dict[int, frozenset[Entity]]:
        """What each frame names, by its number."""
        return {frame.seq: entities_in(frame.message) for frame in self.frames}

    def stands_verbatim(self, item: ContextItem) -> bool:
        """Whether the message is, word by word, that of the newest frame it stands for."""
        if item.kind == "original":
            return True
        frame = self._by_seq.get(item.original_seqs.last)
        return item.kind == "edited" and frame is not None and frame.message == item.message

    @cached_property
    def _by_seq(self) -> dict[int, Frame]:
        return {frame.seq: frame for frame in self.frames}

    @cached_property
    def named(self) -> frozenset[Entity]:
        """What any frame names."""
        return frozenset(union(self.entities.values()))

    @cached_property
    def words(self) -> RawWords:
        return RawWords(self.named, self._texts())

    @cached_property
    def user_text(self) -> UserText:
        return UserText.of(self.frames)

    def _texts(self) -> Iterator[str]:
        for frame in self.frames:
            try:
                yield from texts_of(frame.message)
            except DamagedMessage:
                continue


def union(sets: Iterable[frozenset[Entity]]) -> set[Entity]:
    """One by one: a union of thousands in one call would keep other threads waiting."""
    together: set[Entity] = set()
    for one in sets:
        together |= one
    return together
