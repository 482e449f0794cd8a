"""Google's Agent Development Kit: a session with its events, in snake or camel case."""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.google_adk_session.around import LOGS, Around, read_around
from sessions_app.interchange.formats.google_adk_session.events import messages_of, why_nothing
from sessions_app.interchange.formats.google_adk_session.parts import snake
from sessions_app.interchange.formats.google_adk_session.windows import AdkWindows
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.loose import as_object, as_text, without
from sessions_app.interchange.set_aside import SetAside
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said, Step, Transcript


class GoogleADKSession:
    name = "google-adk-session"
    title = "Google ADK session"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "object":
                return _is_event(sniff.first("events"))
            case "array" | "lines":
                return bool(sniff.objects) and _is_event(sniff.objects[0])
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        around = read_around(source, tally) if sniff.shape == "object" else Around()
        native_id = _native_id(around.session)
        with SetAside() as others:
            events = _events_of_main_branch(_records(source, sniff, tally), tally, others)
            yield Transcript(_steps(events, around, tally), native_id=native_id)
            for branch in others.branches:
                steps = _steps(others.take(branch), Around(answers=around.answers), tally)
                yield Transcript(steps, native_id=native_id, branch=branch, labels=("branch",))


def _is_event(value: dict[str, Any]) -> bool:
    event = snake(value)
    return isinstance(event.get("author"), str) and (
        "invocation_id" in event
        or "parts" in as_object(event.get("content"))
        or "state_delta" in as_object(snake(event.get("actions")))
    )


def _records(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Record]:
    if sniff.shape == "lines":
        return json_lines(source, tally)
    return Document(source, tally, lists={"", "events"}, unread=LOGS).records()


def _native_id(session: dict[str, Any]) -> str:
    """The id that an app gives is one among those of its user."""
    told = [session.get(name) for name in ("app_name", "user_id", "id")]
    if not isinstance(told[2], str) or not told[2]:
        return ""
    return neutral.json_text([t for t in told if isinstance(t, str)]) if any(told[:2]) else told[2]


def _events_of_main_branch(
    records: Iterator[Record], tally: Tally, others: SetAside
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Agents that run at the same time do not see each other's events: theirs are set aside, by their branches."""
    for record in records:
        event = snake(record.value)
        if not isinstance(event, dict):
            tally.skip("event", "is no object", record.number)
        elif branch := as_text(event.get("branch")):
            others.put(branch, record.number, event)
        else:
            yield record.number, event


def _steps(events: Iterator[tuple[int, dict[str, Any]]], around: Around, tally: Tally) -> Iterator[Step]:
    windows = AdkWindows(tally)
    session = without(around.session, "events")
    for number, event in events:
        if around.instruction:
            at = parse_time(event.get("timestamp"))
            yield Said({"role": "system", "content": around.instruction}, (number,), at=at, keys=("system",))
            around.instruction = ""
        changes = list(windows.changed(number, event))
        yield from changes
        said = messages_of(number, event, around.answers)
        if not said and not changes:
            tally.skip("event", why_nothing(event), number)
        for one in said:
            if session:
                one.metadata.setdefault("extra", {})["session"] = session
                session = {}
            yield one
            windows.say(number, event)
