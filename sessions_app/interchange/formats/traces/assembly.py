"""A file of spans, in whatever order, put together to the conversations that it is about.

A span is known in full only once it has ended, and files hold them as they ended, or as a database gave them: what
came first is told by the times of the spans, where all have one, and else by the file.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sessions_app.interchange.exchanges import Sent, conversations
from sessions_app.interchange.formats.traces.model_call import ModelCall, model_call, run_of
from sessions_app.interchange.formats.traces.replay import Replay
from sessions_app.interchange.formats.traces.span import Span
from sessions_app.interchange.formats.traces.tool_runs import ToolRun, ToolRuns, call_of, reply_of
from sessions_app.interchange.shelf import Shelf
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Transcript

_SILENT = "holds no messages: their capture is opt-in, or they are of a form that is not known"
_DEEPEST = 100


@dataclass(slots=True)
class _Entry:
    """What is held of a span: no message."""

    number: int
    record: int
    what: str
    id: str
    session: str
    ended: float | None
    sent: Sent
    is_run: bool = False


@dataclass(slots=True)
class Assembly:
    """`as_span` makes the span of a record's number and one of the file's values."""

    as_span: Callable[[int, Any], Span]
    tally: Tally
    _shelf: Shelf = field(default_factory=Shelf)
    _records: dict[int, int] = field(default_factory=dict)
    _entries: list[_Entry] = field(default_factory=list)
    _runs: list[tuple[int, int, str, str]] = field(default_factory=list)
    _parents: dict[str, str] = field(default_factory=dict)
    _agents: dict[str, str] = field(default_factory=dict)
    _tools: ToolRuns = field(default_factory=ToolRuns)

    def transcripts(self, values: Iterable[tuple[int, Any]]) -> Iterator[Transcript]:
        """`values`: (the record's number, a span as the file tells it)."""
        for number, (record, value) in enumerate(values, start=1):
            self._take(number, record, value)
        self._choose()
        sessions: Counter[str] = Counter()
        calls = {entry.number: entry for entry in self._entries}
        for conversation in conversations((e.number, e.sent) for e in self._entries):
            first = calls[conversation.exchanges[0][0]]
            sessions[first.session] += 1
            is_first = sessions[first.session] == 1
            exchanges = ((self._call(calls[number]), known) for number, known in conversation.exchanges)
            replay = Replay(self._tools, self.tally, self._span)
            branch = "" if is_first else first.id or str(first.number)
            yield Transcript(replay.steps(exchanges), native_id=first.session, branch=branch)
        yield from self._lone_tools()

    def _take(self, number: int, record: int, value: Any) -> None:
        span = self.as_span(record, value)
        self._records[number] = record
        if span.id:
            self._parents[span.id] = span.parent
            if name := span.text("gen_ai.agent.name"):
                self._agents[span.id] = name
        if span.kind == "other":
            self.tally.skip(span.what, "is no call of a model or a tool", record)
        elif span.kind == "tool":
            self._tools.add(number, span)
            self._shelf.put(number, value)
        elif (call := model_call(span)) is not None:
            self._entries.append(_entry(number, call, is_run=span.kind == "agent"))
            self._shelf.put(number, value)
        elif span.kind == "agent":
            self._runs.append((number, record, span.what, span.session))
            self._shelf.put(number, value)
        else:
            self.tally.skip(span.what, _SILENT, record)

    def _choose(self) -> None:
        """Of spans inside each other that tell the same, the innermost; in the order in which they ended."""
        inside = {id for e in self._entries if not e.is_run for id in self._ancestors(e.id)}
        for entry in [e for e in self._entries if not e.is_run and e.id and e.id in inside]:
            self.tally.skip(entry.what, "is told by the calls inside it", entry.record)
            self._entries.remove(entry)
        told = {entry.session for entry in self._entries}
        for number, record, what, session in self._runs:
            call = None if session in told else run_of(self.as_span(record, self._shelf.get(number)))
            if call is None:
                self.tally.skip(what, "is told by the calls inside it" if session in told else _SILENT, record)
            else:
                self._entries.append(_entry(number, call, is_run=False))
        if all(e.ended is not None for e in self._entries):
            self._entries.sort(key=lambda e: e.ended or 0.0)
        else:
            self._entries.sort(key=lambda e: e.number)

    def _ancestors(self, id: str) -> list[str]:
        found: list[str] = []
        while (id := self._parents.get(id, "")) and id not in found and len(found) < _DEEPEST:
            found.append(id)
        return found

    def _span(self, number: int) -> Span:
        return self.as_span(self._records[number], self._shelf.get(number))

    def _call(self, entry: _Entry) -> tuple[ModelCall, str]:
        """A call, and the agent that made it: its own word, or that of the nearest span around it."""
        span = self._span(entry.number)
        call = model_call(span) or run_of(span)
        assert call is not None, "it had messages when it was first read"
        around = (self._agents[id] for id in (entry.id, *self._ancestors(entry.id)) if id in self._agents)
        return call, next(around, span.text("gen_ai.agent.name"))

    def _lone_tools(self) -> Iterator[Transcript]:
        """Runs of tools that no message tells of: a call and its reply are all that is known."""
        lone = [run for run in self._tools.runs.values() if run.number not in self._tools.used]
        if self._entries:
            for run in self._tools.nameless:
                self.tally.skip(run.what, "does not say which call it answers; the messages do", run.record)
        else:
            lone += self._tools.nameless
        if lone:
            branch = "tools" if self._entries else ""
            yield Transcript(self._called(lone), native_id=lone[0].session, branch=branch, title=lone[0].name)

    def _called(self, runs: Iterable[ToolRun]) -> Iterator[Said]:
        for run in runs:
            span = self._span(run.number)
            asked = {"role": "assistant", "content": None, "tool_calls": [call_of(span)]}
            yield Said(asked, (run.record,), {}, span.start)
            yield self._tools.told(Said(reply_of(span), (run.record,), {}, run.at))


def _entry(number: int, call: ModelCall, *, is_run: bool) -> _Entry:
    span = call.span
    ended = span.end or span.start
    seconds = None if ended is None else ended.timestamp()
    return _Entry(number, span.record, span.what, span.id, span.session, seconds, call.sent(), is_run)
