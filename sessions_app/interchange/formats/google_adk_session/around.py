"""What stands around the events of an ADK session: the session itself, and what old files log of its models."""

from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.google_adk_session.parts import parts_of, snake
from sessions_app.interchange.jsonreading import Document
from sessions_app.interchange.loose import as_object, as_objects, as_text
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

LOGS: Final = ("event_logs", "eventLogs")


@dataclass(slots=True)
class Around:
    """`answers`: what is told of the calls to the models, by the ids of their events."""

    session: dict[str, Any] = field(default_factory=dict)
    instruction: str = ""
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)


def read_around(source: Source, tally: Tally) -> Around:
    around = Around()
    document = Document(source, Tally(), lists=LOGS, unread={"events"})
    for record in document.records():
        log = as_object(snake(record.value))
        request, response = as_object(snake(log.get("model_request"))), as_object(snake(log.get("model_response")))
        if event := as_text(log.get("event_id")):
            around.answers[event] = _answer(request, response)
        told = as_object(snake(request.get("config"))).get("system_instruction")
        instruction = told if isinstance(told, str) else neutral.parts_or_text(parts_of(told).said)
        if isinstance(instruction, str) and instruction and not around.instruction:
            around.instruction = instruction
        elif instruction and instruction != around.instruction:
            tally.skip("system_instruction", "is another one than the first")
    around.session = snake(document.header)
    if around.session.get("past_events"):
        tally.skip("past_events", "are no part of the session any more")
    return around


def _answer(request: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    candidate = snake(next(iter(as_objects(response.get("candidates"))), {}))
    return neutral.without_empty(
        {
            "model": response.get("model_version") or request.get("model"),
            "usage": neutral.usage(response.get("usage_metadata")),
            "stop_reason": candidate.get("finish_reason"),
        }
    )
