"""OpenHands before the SDK ("V0"): the events of a conversation as a list or a line each, and the rows of an evaluation
(`output.jsonl`), each with the history of one task.
"""

from collections.abc import Iterator
from typing import Any, Final

from sessions_app.interchange.formats.openhands_events.agents import Numbered, events_of_first_agent
from sessions_app.interchange.formats.openhands_events.walk import Walk
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.loose import as_object, as_text, without
from sessions_app.interchange.neutral import json_text
from sessions_app.interchange.set_aside import SetAside
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Step, Transcript

_LISTS: Final = ("trajectory", "history")
_SOURCES: Final = ("user", "agent", "environment")


class OpenHandsEvents:
    name = "openhands-events"
    title = "OpenHands events"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "array":
                return any(_is_event(e) for e in sniff.objects)
            case "lines":
                return any(_is_event(e) or _is_row(e) for e in sniff.objects)
            case "object":
                return _is_row(sniff.members) or any(_has_events(sniff.members.get(name)) for name in _LISTS)
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        if sniff.shape == "lines" and any(_is_row(e) for e in sniff.objects):
            for record in json_lines(source, tally):
                yield from _row_of_a_file(record.number, record.value, tally)
        elif sniff.shape == "lines":
            yield from _conversation(_numbered(json_lines(source, tally)), tally)
        elif sniff.shape == "array":
            yield from _conversation(_numbered(Document(source, tally, lists={""}).records()), tally)
        else:
            around = Document(source, Tally(), lists=(), unread=_LISTS)
            for _ in around.records():
                pass
            events = Document(source, tally, lists={_LISTS[0] if _LISTS[0] in sniff.members else _LISTS[1]})
            yield from _conversation(_numbered(events.records()), tally, row=around.header)


def _is_event(value: Any) -> bool:
    event = as_object(value)
    says = as_text(event.get("action")) or as_text(event.get("observation"))
    return bool(says) and event.get("source") in _SOURCES and ("id" in event or "args" in event or "extras" in event)


def _has_events(value: Any) -> bool:
    listed = value if isinstance(value, list) else []
    # The oldest evaluations hold pairs of an action and its observation.
    return any(_is_event(v) or (isinstance(v, list) and any(_is_event(e) for e in v)) for v in listed)


def _is_row(value: Any) -> bool:
    row = as_object(value)
    return "instance_id" in row and "history" in row and (row["history"] in ([], None) or _has_events(row["history"]))


def _numbered(records: Iterator[Record]) -> Iterator[Numbered]:
    return ((record.number, record.value) for record in records)


def _row_of_a_file(number: int, row: dict[str, Any], tally: Tally) -> Iterator[Transcript]:
    history = row.get("history")
    if not isinstance(history, list) or not history:
        tally.skip("row", "holds no history", number)
        return
    yield from _conversation(((number, event) for event in history), tally, row=row)


def _conversation(
    numbered: Iterator[Numbered], tally: Tally, *, row: dict[str, Any] | None = None
) -> Iterator[Transcript]:
    """The session of the agent, then one for each agent that it delegated to."""
    about = without(row or {}, *_LISTS)
    native_id, title = _native_id(about), as_text(about.get("instance_id"))
    with SetAside() as others:
        events = events_of_first_agent(numbered, tally, others)
        yield Transcript(_with_row(Walk(tally).steps(events), about), native_id=native_id, title=title)
        for branch in others.branches:
            steps = Walk(tally).steps(others.take(branch))
            yield Transcript(steps, native_id=native_id, branch=branch, labels=("sidechain",))


def _native_id(about: dict[str, Any]) -> str:
    """A task may be tried by several agents, models and runs."""
    instance = about.get("instance_id")
    if not isinstance(instance, str | int):
        return ""
    metadata = as_object(about.get("metadata"))
    model = as_object(metadata.get("llm_config")).get("model")
    run = [metadata.get(n) for n in ("agent_class", "eval_output_dir", "start_time")]
    told = [v for v in (model, *run) if isinstance(v, str)]
    return json_text([instance, *told])


def _with_row(steps: Iterator[Step], about: dict[str, Any]) -> Iterator[Step]:
    """What the row of an evaluation says of its task stands with the first message."""
    first = True
    for step in steps:
        if first and about and isinstance(step, Said):
            step.metadata.setdefault("extra", {})["row"] = about
            first = False
        yield step
