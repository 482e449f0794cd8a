"""What the events of a sample say of its messages: when, by which model, at what cost, and what the model was shown."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.inspect_log.identity import Known
from sessions_app.interchange.formats.inspect_log.shown import Inputs, Shown
from sessions_app.interchange.loose import as_object, as_objects, as_text, without
from sessions_app.interchange.times import parse_time

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The call to the model by which a message was made. `compaction`: the event of one before it, if there was any."""

    shown: Shown | None
    metadata: dict[str, Any]
    started: datetime | None
    ended: datetime | None
    compaction: Event | None = None
    compaction_usage: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Told:
    """All that the events say. `others` counts, by kind, the events that say nothing of the messages."""

    answers: dict[int, Answer] = field(default_factory=dict)
    replies: dict[str, tuple[datetime | None, dict[str, Any]]] = field(default_factory=dict)
    others: Counter[tuple[str, str]] = field(default_factory=Counter)
    start: datetime | None = None


_NO_MESSAGE: Final = "is an event of the run, and no message"
_ELSEWHERE: Final = "is of another conversation: its answer is not among the messages of the sample"
_ELSEWHERE_TOOL: Final = "is of another conversation: its reply is not among the messages of the sample"


def read_events(events: Iterable[Any], known: Known, pool: list[Any]) -> Told:
    """`pool`: the messages that inputs refer to by their numbers."""
    told, inputs = Told(), Inputs(known, pool)
    compaction: Event | None = None
    usage: dict[str, Any] = {}
    elsewhere: dict[str, Any] | None = None
    for event in events:
        kind = as_text(as_object(event).get("event"))[:60] or "event"
        if not isinstance(event, dict):
            told.others["event", "is no object"] += 1
            continue
        told.start = told.start or parse_time(event.get("timestamp"))
        if kind == "model":
            output = as_object(event.get("output"))
            choice = next(iter(as_objects(output.get("choices"))), {})
            message = as_object(choice.get("message"))
            place = next((p for p in known.places_of_answer(message) if p not in told.answers), None)
            if place is None:
                told.others[kind, _ELSEWHERE if message else "has no answer"] += 1
                elsewhere = neutral.usage(output.get("usage")) if message else None
                continue
            told.answers[place] = _answer(event, output, choice, inputs.of(place, event), compaction, usage)
            compaction, usage, elsewhere = None, {}, None
        elif kind == "compaction":
            compaction, usage = event, {}
            if elsewhere is not None and event.get("type") in (None, "summary"):
                # The call just before it wrote the summary.
                told.others["model", _ELSEWHERE] -= 1
                usage, elsewhere = elsewhere, None
        elif kind == "tool" and known.has_reply_to(event.get("id")):
            told.replies[event["id"]] = parse_time(event.get("completed") or event.get("timestamp")), _duration(event)
        else:
            told.others[kind, _ELSEWHERE_TOOL if kind == "tool" else _NO_MESSAGE] += 1
    return told


def _answer(
    event: Event, output: Event, choice: Event, shown: Shown | None, compaction: Event | None, usage: dict[str, Any]
) -> Answer:
    response = as_object(as_object(event.get("call")).get("response"))
    metadata = {
        "model": output.get("model") or event.get("model"),
        "usage": neutral.usage(output.get("usage")),
        "stop_reason": choice.get("stop_reason"),
        "response_id": response.get("id"),
        **_duration(event),
        "extra": without({n: event.get(n) for n in ("role", "config", "tool_choice", "retries", "cache", "error")}),
    }
    started = parse_time(event.get("timestamp"))
    ended = parse_time(event.get("completed")) or started
    return Answer(shown, neutral.without_empty(metadata), started, ended, compaction, usage)


def _duration(event: Event) -> dict[str, Any]:
    seconds = event.get("working_time")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < 10**9:
        return {"duration_ms": round(seconds * 1000)}
    return {}
