"""What an event of an ADK session says, as messages."""

from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.google_adk_session.parts import Parts, parts_of
from sessions_app.interchange.loose import as_object, as_text, without
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said

Event = dict[str, Any]


def messages_of(number: int, event: Event, answers: dict[str, dict[str, Any]]) -> list[Said]:
    """The replies that an event holds, then what it says besides. `answers`: what is told of answers elsewhere."""
    if is_piece(event):
        return []
    content = as_object(event.get("content"))
    parts, role = parts_of(content), content.get("role")
    author = as_text(event.get("author"))
    if not content:
        role, parts = _transcribed(event)
    is_answer = role == "model" or (role != "user" and author != "user")
    messages = list(parts.replies)
    if is_answer and (parts.said or parts.calls or parts.thoughts or parts.details):
        messages.append(
            neutral.assistant(
                neutral.parts_or_text(parts.said),
                parts.calls,
                reasoning_content="\n\n".join(t for t in parts.thoughts if t),
                reasoning_details=parts.details,
            )
        )
    elif parts.said:
        messages.append({"role": "user", "content": neutral.parts_or_text(parts.said)})
    at, metadata = (
        parse_time(event.get("timestamp")),
        _metadata(event, author, answers.get(as_text(event.get("id")), {})),
    )
    return [Said(m, (number,), metadata if n == 0 else {}, at=at) for n, m in enumerate(messages)]


def _transcribed(event: dict[str, Any]) -> tuple[str, Parts]:
    """What was said aloud, where it was written down."""
    for name, role in (("input_transcription", "user"), ("output_transcription", "model")):
        if text := as_text(as_object(event.get(name)).get("text")):
            return role, Parts(said=[neutral.text_part(text)])
    return "", Parts()


_TOLD: Final = ("author", "content", "timestamp", "usage_metadata", "model_version", "finish_reason", "partial")


def _metadata(event: dict[str, Any], author: str, known: dict[str, Any]) -> dict[str, Any]:
    told = {
        "model": event.get("model_version"),
        "usage": neutral.usage(event.get("usage_metadata")),
        "stop_reason": event.get("finish_reason"),
        "agent": author if author != "user" else None,
        "extra": without({n: without(v) if isinstance(v, dict) else v for n, v in event.items()}, *_TOLD),
    }
    return known | neutral.without_empty(told)


def is_piece(event: Event) -> bool:
    """Of a streamed answer."""
    return event.get("partial") is True or as_object(event.get("options")).get("partial") is True


def why_nothing(event: Event) -> str:
    if is_piece(event):
        return "is a piece of an answer that follows as a whole"
    if event.get("error_code") or event.get("error_message"):
        return "tells an error, and is no message"
    return "changes a state, and says nothing"
