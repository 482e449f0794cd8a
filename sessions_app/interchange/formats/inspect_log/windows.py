"""The compactions of an Inspect sample, from what the model was shown for each of its answers.

Where an answer was made without messages that the answer before it was made with, the window became smaller: it is
what was shown. A message that was shown and stands nowhere before is the summary of the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.inspect_log.events import Answer
from sessions_app.interchange.formats.inspect_log.identity import Known
from sessions_app.interchange.formats.inspect_log.messages import Attachments, Message, neutral_message
from sessions_app.interchange.formats.inspect_log.shown import Shown
from sessions_app.interchange.loose import as_object, without
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Compacted


def is_marked(message: Message) -> bool:
    """Whether a message says of itself that it is a summary."""
    return as_object(message.get("metadata")).get("summary") is True


@dataclass(slots=True)
class Windows:
    """Follows the window through the messages of a sample."""

    messages: list[Message]
    known: Known
    attachments: Attachments
    record: int
    tally: Tally
    _window: set[int] = field(default_factory=set)
    _before: tuple[int, Shown] = (-1, Shown())
    """The answer before, and what it was made with."""
    _summaries: set[int] = field(default_factory=set)
    _summary: bytes = b""
    """The words of a summary that is no message of the sample, while it is in the window."""
    _asked_of: Answer | None = None
    _shown_summaries: set[bytes] = field(default_factory=set)

    def say(self, place: int) -> None:
        self._window.add(place)

    def is_summary(self, place: int, answer: Answer | None) -> bool:
        """Whether a marked message is the summary by which the next `answer` was made: then it is no message itself."""
        if answer is None or answer.shown is None:
            return False
        if answer is not self._asked_of:
            marked = (p for p in answer.shown.places if is_marked(self.messages[p]))
            self._asked_of, self._shown_summaries = answer, {self.known.words_at[p] for p in marked}
        # Two summaries with the same words may stand in a log as one.
        if self.known.words_at[place] not in self._shown_summaries:
            return False
        self._summaries.add(place)
        return True

    def before(self, place: int, answer: Answer, summary: int | None) -> Iterator[Compacted]:
        """The compaction before an answer, if there was one. `summary`: the place of its summary, if that is known."""
        shown = answer.shown
        if shown is None:
            return
        others = [m for m in shown.others if not self._summary or self.known.words(m) != self._summary]
        is_whole = shown.start == len(self._window) == place
        if not is_whole or others:
            yield from self._smaller(place, answer, shown, others, summary)
        self._before = place, shown

    def _smaller(
        self, place: int, answer: Answer, shown: Shown, others: list[Message], summary: int | None
    ) -> Iterator[Compacted]:
        kept = {p for p in shown.places if p < place and p not in self._summaries}
        answered, before = self._before
        lost = self._window & {*before.places, answered} - kept
        if summary is not None or any(self.messages[p].get("role") != "system" for p in lost) or kept - self._window:
            yield from self._compacted(kept, answer, others, summary)
            self._window = kept
        elif shown.changed - before.changed:
            self._skip("shows results in another version, which a version of the window cannot tell")
        elif others:
            self.tally.skip("input", "shows a model messages that are not among those of the sample", self.record)

    def _compacted(
        self, kept: set[int], answer: Answer, others: list[Message], summary: int | None
    ) -> Iterator[Compacted]:
        # A system message that an agent adds to its own calls stands for nothing else.
        others = [m for m in others if m.get("role") in ("user", "assistant")]
        if len(others) > 1 or (others and summary is not None):
            self._skip("shows several messages that are not among those of the sample, and no single summary")
            return
        told = self.messages[summary] if summary is not None else others[0] if others else None
        if others:
            self._summary = self.known.words(others[0])
        event = answer.compaction or {}
        about = without({n: event.get(n) for n in ("type", "role", "tokens_before", "tokens_after", "source")})
        yield Compacted(
            (self.record,),
            summary=self._as_user(told) if told is not None else None,
            keeps=frozenset(kept),
            params=about | without(as_object(event.get("metadata"))),
            usage=answer.compaction_usage,
            at=parse_time(event.get("timestamp")) or answer.started,
        )

    def _as_user(self, message: Message) -> neutral.Message:
        said, _ = neutral_message(self.attachments.resolved(message))
        return {"role": "user", "content": said.get("content") or ""}

    def _skip(self, why: str) -> None:
        self.tally.skip("compaction", why, self.record)
