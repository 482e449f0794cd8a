"""What is said in a Codex session, and what becomes of its window."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sessions_app.interchange.formats.codex_rollout.beside import Beside
from sessions_app.interchange.formats.codex_rollout.compaction import compacted_by
from sessions_app.interchange.formats.codex_rollout.counts import TokenCounts
from sessions_app.interchange.formats.codex_rollout.outputs import with_outcome
from sessions_app.interchange.formats.codex_rollout.window import CodexWindow
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.conversation import Conversation
from sessions_app.interchange.formats.openai_responses.kinds import Item
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import SUMMARY, Compacted, Said, Step


class CodexTalk:
    """Takes what the lines hold, and gives steps."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._talk = Conversation(tally)
        self._counts = TokenCounts(tally)
        self._window = CodexWindow()
        self.beside = Beside(tally)
        self.model = ""

    @property
    def title(self) -> str:
        return self._window.title

    def system(self, text: str) -> Iterator[Step]:
        """What the model is told first; it stands in the line about the session."""
        records, told = self.beside.take()
        yield from self._seen(self._talk.take({"role": "system", "content": text}, records, metadata={"extra": told}))

    def item(self, number: int, item: Item, at: datetime | None) -> Iterator[Step]:
        kind = kinds.kind_of(item)
        if kind in kinds.COMPACTIONS:
            self._tally.skip(kind, "is told by the line of the compaction", number)
            return
        records: tuple[int, ...] = (number,)
        metadata: dict[str, Any] = {}
        if kinds.is_said(item):
            beside, told = self.beside.take()
            records, metadata = (*beside, number), {"extra": told}
        if kinds.is_the_models(item):
            metadata["model"] = self.model
            if (counts := self._counts.for_response()) is not None:
                metadata["usage"], records = counts[0], (counts[1], *records)
        yield from self._seen(self._talk.take(item, records, at=at, metadata=metadata))

    def counted(self, number: int, info: Any) -> Iterator[Step]:
        """Tokens are counted once a response, so that what comes next is another one."""
        self._counts.take(info, number, self._talk.assembler)
        yield from self._seen(self._talk.end_response())

    def aborted(self, number: int, reason: Any) -> Iterator[Step]:
        why = reason if isinstance(reason, str) and reason else "aborted"
        if not self._talk.assembler.note({"stop_reason": why}, number):
            self._tally.skip("turn_aborted", "ends a turn in which the model was saying nothing", number)
        yield from self._seen(self._talk.end())

    def compacted(self, number: int, payload: dict[str, Any], at: datetime | None) -> Iterator[Step]:
        yield from self._seen(self._talk.end())
        step = compacted_by(
            payload,
            number,
            history=self._talk.history,
            window=self._window,
            counts=self._counts.for_compaction(),
            at=at,
        )
        self._window.keep(step.keeps or (), step.order)
        yield step

    def rolled_back(self, number: int, turns: Any, at: datetime | None) -> Iterator[Step]:
        yield from self._seen(self._talk.end())
        order = self._window.without_turns(turns) if isinstance(turns, int) else None
        if order is None:
            self._tally.skip("thread_rolled_back", "goes back no turn", number)
            return
        keeps = frozenset(order) - {SUMMARY}
        self._window.keep(keeps, order)
        yield Compacted((number,), keeps=keeps, params={"num_turns": turns}, at=at, order=tuple(order))

    def end(self) -> Iterator[Step]:
        yield from self._seen(self._talk.end())
        self._counts.drop()
        self.beside.drop()

    def _seen(self, steps: Iterator[Step]) -> Iterator[Step]:
        for step in steps:
            if isinstance(step, Said):
                self._window.add(step)
                step = with_outcome(step)
            yield step
