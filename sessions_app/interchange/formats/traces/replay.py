"""The calls of one conversation as its steps: what each was sent anew, and what the model answered."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.traces.compaction_parts import besides, compaction_in, sealed_in, summary_of
from sessions_app.interchange.formats.traces.model_call import ModelCall, key_of_message
from sessions_app.interchange.formats.traces.span import Span
from sessions_app.interchange.formats.traces.tool_runs import ToolRuns, reply_of
from sessions_app.interchange.loose import as_objects
from sessions_app.interchange.neutral import Message
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Compacted, Said, Step

Call = tuple[ModelCall, str]


class Replay:
    """Each answer is given when it is known whether the conversation went on from it; the last one is its end."""

    def __init__(self, tools: ToolRuns, tally: Tally, span_of: Callable[[int], Span]) -> None:
        self._tools, self._tally, self._span_of = tools, tally, span_of
        self._options: dict[str, Any] = {}
        self._system: list[Message] | None = None
        self._waiting: dict[str, None] = {}
        """The ids of the calls that no reply answers yet."""
        self._has_history = False

    def steps(self, calls: Iterable[tuple[Call, int]]) -> Iterator[Step]:
        last: Call | None = None
        for (call, agent), known in calls:
            lead = call.inputs[: call.lead]
            if self._system is None:
                self._system = lead
            elif lead and lead != self._system:
                self._tally.skip("system", "differs from that of the first call, which is kept", call.span.record)
            fresh = call.inputs[known:]
            if last is not None:
                # A provider that keeps the conversation is not sent its own answer again.
                is_delta = known <= call.lead and bool(fresh)
                if fresh and _is_same(last[0].answer, fresh[0]):
                    fresh = fresh[1:]
                    is_delta = True
                if is_delta:
                    yield from self._answer(*last)
                elif last[0].answer:
                    self._tally.skip("answer", "is not in the call that follows", last[0].span.record)
            yield from self._given(call, fresh)
            if not fresh and not call.answer:
                self._tally.skip(call.span.what, "is told by the calls inside it", call.span.record)
            last = (call, agent)
        if last is not None:
            yield from self._answer(*last)
            yield from self._unanswered()

    def _given(self, call: ModelCall, fresh: list[Message]) -> Iterator[Step]:
        asked = call.options() if call.span.kind == "model" else {}
        options = {k: v for k, v in asked.items() if self._options.get(k) != v}
        metadata: dict[str, Any] = {"extra": {"request": options}} if options else {}
        # What a whole run tells besides came while it ran.
        at = call.span.start if call.span.kind == "model" else call.span.end
        for message in fresh:
            said = Said(message, (call.span.record,), metadata, at)
            part = compaction_in(message)
            yield from self._compacted(said, part) if part else [self._tools.told(self._noted(said))]
            self._options |= options
            metadata = {}

    def _compacted(self, said: Said, part: dict[str, Any]) -> Iterator[Step]:
        """A summary among the parts of a message stands for all that was said before it."""
        message, summary, sealed = said.message, summary_of(part), sealed_in(part)
        rest = besides(message)
        if self._has_history:
            yield Compacted(said.records, summary, keeps=(), params=sealed, at=said.at)
        else:
            yield self._noted(Said(summary, said.records, {"extra": {"compaction": True, **sealed}}, said.at))
        if rest or message.get("tool_calls"):
            yield self._noted(replace(said, message={**message, "content": neutral.parts_or_text(rest)}))

    def _noted(self, said: Said) -> Said:
        self._has_history |= said.message.get("role") not in ("system", "developer")
        self._note(said.message)
        return said

    def _answer(self, call: ModelCall, agent: str) -> Iterator[Step]:
        for message in call.answer:
            metadata = call.metadata() | ({"agent": agent} if agent else {})
            said = Said(message, (call.span.record,), metadata, call.span.end or call.span.start)
            part = compaction_in(message)
            yield from self._compacted(said, part) if part else [self._noted(said)]

    def _note(self, message: Message) -> None:
        for call in as_objects(message.get("tool_calls")):
            self._waiting[str(call.get("id"))] = None
        if message.get("role") == "tool":
            self._waiting.pop(str(message.get("tool_call_id")), None)

    def _unanswered(self) -> Iterator[Said]:
        """Calls whose tools ran, but whose results no call of a model was sent any more."""
        for call_id in self._waiting:
            if run := self._tools.runs.get(call_id):
                reply = reply_of(self._span_of(run.number))
                yield self._tools.told(Said(reply, (run.record,), {}, run.at))


def _is_same(answer: list[Message], sent: Message) -> bool:
    """By its calls, or else by its text."""
    return len(answer) == 1 and sent.get("role") == "assistant" and _gist(answer[0]) == _gist(sent)


def _gist(message: Message) -> Any:
    ids = [call.get("id") for call in as_objects(message.get("tool_calls"))]
    return ids if ids and all(ids) else key_of_message({**message, "content": message.get("content") or None})
