"""Items, one after another, as the steps of a session."""

from collections.abc import Iterator
from datetime import datetime

from sessions_app.interchange.formats.openai_responses import items as items
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.assembler import Assembler, Metadata
from sessions_app.interchange.formats.openai_responses.history import History, compaction, opaque_message
from sessions_app.interchange.formats.openai_responses.kinds import Item
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Step


class Conversation:
    """Takes items and gives steps; every message has its number as its key."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self.assembler = Assembler(tally)
        self.history = History()

    def take(
        self, item: Item, records: tuple[int, ...], *, at: datetime | None = None, metadata: Metadata | None = None
    ) -> Iterator[Step]:
        if kinds.kind_of(item) in kinds.COMPACTIONS:
            yield from self._compacted(item, records, at)
        else:
            yield from self._numbered(self.assembler.take(item, records, at=at, metadata=metadata))

    def end_response(self) -> Iterator[Said]:
        yield from self._numbered(self.assembler.end_response())

    def end(self) -> Iterator[Said]:
        yield from self._numbered(self.assembler.end())

    def _numbered(self, said: Iterator[Said]) -> Iterator[Said]:
        for message in said:
            yield self.history.add(message)

    def _compacted(self, item: Item, records: tuple[int, ...], at: datetime | None) -> Iterator[Step]:
        """In the middle of a conversation the model sees nothing of what stands before it. Where there are only words
        of the user before it, they are what an earlier compaction kept, and it stands for what is not in the file.
        """
        yield from self.end()
        if not items.is_sealed(item):
            self._tally.skip(kinds.kind_of(item), "holds no summary", records[-1])
        elif self.history.has_answers:
            yield compaction(records, [item], frozenset(), at=at)
        else:
            yield self.history.add(opaque_message(item, records, at))
