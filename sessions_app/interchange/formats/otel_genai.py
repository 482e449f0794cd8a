"""OpenTelemetry GenAI: spans with `gen_ai.*` attributes, one, a list of them, a line each, or as OTLP sends them."""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange.formats.traces import otlp as otlp
from sessions_app.interchange.formats.traces.assembly import Assembly
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.loose import as_object, as_objects
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Transcript

_LISTS = ("resourceSpans", "resource_spans", "spans")


class OTelGenAI:
    name = "otel-genai"
    title = "OpenTelemetry GenAI"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape == "object":
            return _holds_genai(sniff.members)
        return sniff.shape in ("array", "lines") and any(_holds_genai(o) for o in sniff.objects)

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        yield from Assembly(otlp.as_span, tally).transcripts(_spans(source, sniff, tally))


def _holds_genai(value: dict[str, Any]) -> bool:
    return any(otlp.is_genai(span) for span in _spans_in(value))


def _spans_in(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The spans of a record, which is one itself or holds those of a resource, or of several."""
    resources = [r for name in _LISTS[:2] for r in as_objects(value.get(name))]
    if not resources and not any(name in value for name in _LISTS) and "scopeSpans" not in value:
        yield value
    for resource in resources or [value]:
        for scope in as_objects(resource.get("scopeSpans", resource.get("scope_spans"))):
            yield from as_objects(scope.get("spans"))
    yield from as_objects(value.get("spans"))


def _spans(source: Source, sniff: Sniff, tally: Tally) -> Iterator[tuple[int, Any]]:
    for record in _records(source, sniff, tally):
        found = [span for span in _spans_in(as_object(record.value)) if span]
        if not found:
            tally.skip("record", "holds no span", record.number)
        yield from ((record.number, span) for span in found)


def _records(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Record]:
    if sniff.shape == "lines":
        yield from json_lines(source, tally)
        return
    if sniff.shape == "array" or any(isinstance(sniff.members.get(name), list) for name in _LISTS):
        yield from Document(source, tally, lists={"", *_LISTS}).records()
        return
    document = Document(source, tally, lists=())
    yield from document.records()
    tally.read.add(1)
    yield Record(1, document.header)
