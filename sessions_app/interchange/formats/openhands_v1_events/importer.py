"""OpenHands with the SDK ("V1"): the events of a conversation, a line each, as a list, or as a page of its API."""

from collections.abc import Iterator
from typing import Any, Final

from sessions_app.interchange.formats.openhands_v1_events.walk import KINDS, WalkV1
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.loose import as_object, as_objects, as_text
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Step, Transcript

_LISTS: Final = ("events", "items")
_SOURCES: Final = ("user", "agent", "environment", "hook")


class OpenHandsV1Events:
    name = "openhands-v1-events"
    title = "OpenHands SDK events"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "array" | "lines":
                return any(_is_event(e) for e in sniff.objects)
            case "object":
                return _is_event(sniff.members) or any(
                    _is_event(e) for name in _LISTS for e in as_objects(sniff.members.get(name))
                )
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        transcript = Transcript([])
        transcript.steps = _steps(_records(source, sniff, tally), transcript, tally)
        yield transcript


def _is_event(value: Any) -> bool:
    event = as_object(value)
    return as_text(event.get("kind")) in KINDS and event.get("source") in _SOURCES


def _records(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Record]:
    if sniff.shape == "lines":
        yield from json_lines(source, tally)
        return
    document = Document(source, tally, lists={"", *_LISTS})
    yield from document.records()
    if sniff.shape == "object" and _is_event(document.header):
        # A file of the store, or a single line, is one event.
        tally.read.add(1)
        yield Record(1, document.header)


def _steps(records: Iterator[Record], transcript: Transcript, tally: Tally) -> Iterator[Step]:
    walk = WalkV1(tally)
    for record in records:
        if not isinstance(record.value, dict):
            tally.skip("event", "is no object", record.number)
            continue
        transcript.native_id = _native_id(record.value) or transcript.native_id or as_text(record.value.get("id"))
        yield from walk.event(record.number, record.value)
    yield from walk.end()


def _native_id(event: dict[str, Any]) -> str:
    """The conversation's own id, which only its whole state tells. Else it is known by its first event."""
    if event.get("kind") == "ConversationStateUpdateEvent" and event.get("key") == "full_state":
        return as_text(as_object(event.get("value")).get("id"))
    return ""
