"""What is known of the runs of tools, by the ids of their calls."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.traces.span import Span
from sessions_app.interchange.loose import as_text
from sessions_app.interchange.neutral import Message
from sessions_app.interchange.transcript import Said

_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
_RESULT = ("gen_ai.tool.call.result", "tool_response")


@dataclass(frozen=True, slots=True)
class ToolRun:
    """`number`: that of its span in the file."""

    number: int
    record: int
    call_id: str
    what: str
    name: str
    session: str
    at: datetime | None
    duration_ms: int | None
    is_error: bool


@dataclass(slots=True)
class ToolRuns:
    runs: dict[str, ToolRun] = field(default_factory=dict)
    nameless: list[ToolRun] = field(default_factory=list)
    """Those that do not say which call they are of."""
    used: set[int] = field(default_factory=set)

    def add(self, number: int, span: Span) -> None:
        call_id = span.text("gen_ai.tool.call.id")
        at = span.end or span.start
        name = span.text("gen_ai.tool.name")
        run = ToolRun(number, span.record, call_id, span.what, name, span.session, at, span.duration_ms, span.is_error)
        if call_id and call_id not in self.runs:
            self.runs[call_id] = run
        else:
            self.nameless.append(run)

    def told(self, said: Said) -> Said:
        """A reply with what its run says of it; any other message as it is."""
        message = said.message
        run = self.runs.get(as_text(message.get("tool_call_id"))) if message.get("role") == "tool" else None
        if run is None:
            return said
        self.used.add(run.number)
        if run.is_error:
            message = {**message, "is_error": True}
        metadata = neutral.without_empty({**said.metadata, "duration_ms": run.duration_ms})
        return Said(message, tuple(dict.fromkeys((*said.records, run.record))), metadata, run.at or said.at)


def call_of(span: Span) -> Message:
    """The call that a run is of: the model asked for it, though no span tells that."""
    given = next((span.attributes[n] for n in _ARGUMENTS if span.attributes.get(n) is not None), span.given)
    return neutral.call(span.text("gen_ai.tool.call.id"), span.text("gen_ai.tool.name"), given)


def reply_of(span: Span) -> Message:
    result: Any = next((span.attributes[n] for n in _RESULT if span.attributes.get(n) is not None), span.said)
    return neutral.reply(span.text("gen_ai.tool.call.id"), "" if result is None else result)
