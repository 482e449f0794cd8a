"""A trace as Langfuse exports it: `{trace, observations}`, the messages in whatever form the framework wrote."""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange.formats.traces.assembly import Assembly
from sessions_app.interchange.formats.traces.span import Kind, Span, decoded, kind_of
from sessions_app.interchange.jsonreading import Document
from sessions_app.interchange.loose import as_object, as_text
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Transcript

_KINDS: dict[str, Kind] = {"GENERATION": "model", "TOOL": "tool", "AGENT": "agent"}


class LangfuseTrace:
    name = "langfuse-trace"
    title = "Langfuse trace"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape != "object" or not isinstance(sniff.members.get("trace"), dict):
            return False
        observations = sniff.members.get("observations")
        # The trace may fill all that was looked at.
        return _is_observation(sniff.first("observations")) if observations else "projectId" in sniff.members["trace"]

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        document = Document(source, tally, lists={"observations"})
        values = ((record.number, record.value) for record in document.records())
        yield from Assembly(_as_span, tally).transcripts(values)


def _is_observation(value: dict[str, Any]) -> bool:
    return isinstance(value.get("type"), str) and ("traceId" in value or "parentObservationId" in value)


def _as_span(record: int, value: Any) -> Span:
    raw = as_object(value)
    metadata = as_object(decoded(raw.get("metadata")))
    attributes = as_object(decoded(metadata.get("attributes")))
    what = as_text(raw.get("type"))
    said = decoded(raw.get("output"))
    # LangChain tells the call of a tool in the message that it gave.
    reply = as_object(said)
    if what != "GENERATION" and reply.get("type") == "tool" and isinstance(reply.get("tool_call_id"), str):
        given = {"gen_ai.tool.call.id": reply["tool_call_id"], "gen_ai.tool.name": reply.get("name")}
        attributes, said = {**given, **attributes}, reply.get("content")
    return Span(
        record=record,
        kind=_KINDS.get(what) or kind_of(attributes),
        what=what or "observation",
        id=as_text(raw.get("id")),
        parent=as_text(raw.get("parentObservationId")),
        session=as_text(raw.get("traceId")),
        start=parse_time(raw.get("startTime")),
        end=parse_time(raw.get("endTime")),
        attributes=attributes,
        given=decoded(raw.get("input")),
        said=said,
        is_error=raw.get("level") == "ERROR",
        usage=raw.get("usageDetails"),
        cost=raw.get("totalCost"),
        model=raw.get("model"),
    )
