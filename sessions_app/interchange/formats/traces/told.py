"""The messages of a span, wherever the instrumentation put them."""

from typing import Final

from sessions_app.interchange.formats.traces import older as older
from sessions_app.interchange.formats.traces import shapes as shapes
from sessions_app.interchange.formats.traces.span import Span, decoded
from sessions_app.interchange.neutral import Message

INPUT: Final = "gen_ai.input.messages"
OUTPUT: Final = "gen_ai.output.messages"
RUN: Final = "pydantic_ai.all_messages"
RUN_EVENTS: Final = "all_messages_events"


def of_run(span: Span) -> list[Message]:
    messages = shapes.messages_of(decoded(span.attributes.get(RUN)), role="user")
    return messages or older.told_by_events(span.attributes.get(RUN_EVENTS))


def inputs(span: Span) -> list[Message]:
    a = span.attributes
    return (
        shapes.messages_of(decoded(a.get(INPUT)), role="user")
        or older.told_by_events(a.get("events"))
        or older.told_by_events(list(span.events))
        or older.numbered(a, "gen_ai.prompt")
        or shapes.messages_of(span.given, role="user")
        or []
    )


def outputs(span: Span) -> list[Message]:
    a = span.attributes
    return (
        shapes.messages_of(decoded(a.get(OUTPUT)), role="assistant")
        or older.chosen_by_events(a.get("events"))
        or older.chosen_by_events(list(span.events))
        or older.numbered(a, "gen_ai.completion")
        or shapes.messages_of(span.said, role="assistant")
        or []
    )


def answers(span: Span) -> list[Message]:
    """One for each choice."""
    return [m for m in outputs(span) if m.get("role") == "assistant"]
