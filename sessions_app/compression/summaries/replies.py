"""What an endpoint sends back: a model's reply, or a refusal and when to try again. It may be anything."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import responses
from typing import Any, Final

from sessions_app.compression.digesting.bounded import one_line
from sessions_app.compression.summaries.answer import Refused
from sessions_app.compression.summaries.endpoint import Endpoint

_ABOUT_THE_KEY: Final = frozenset({401, 403})
_TEXTS: Final = ("text", "output_text")
_NO_COMPLETION: Final = "The model's endpoint answered with something that is no chat completion."


class NoReply(Exception):
    """The endpoint gave no answer of a model at all; asking it for a better one is no use."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `trouble`: why that is no summary, whatever it says; empty where it may be one."""

    text: str
    trouble: str


ENDLESS: Final = Reply("", "The model's answer is far longer than a summary may be.")
"""Of an answer that was not read to its end, or is not worth looking into."""


def refusal_in(status: int, body: Any, endpoint: Endpoint) -> str:
    """That, and why as far as the endpoint says it: but nothing about a key, which it may repeat in part. What to check
    then is ours to say.
    """
    answered = f"{status} {responses.get(status, '')}".strip()
    if status in _ABOUT_THE_KEY:
        asked = f"{endpoint.host} answered {answered} for the model {endpoint.model}"
        return f"The model's endpoint {endpoint.without_key(asked)}. Check SUMMARISER_API_KEY."
    said = body.get("message") if isinstance(body, dict) else None
    detail = f": {one_line(endpoint.without_key(said), 200).rstrip('.')}" if isinstance(said, str) and said else ""
    return f"The model's endpoint answered {answered}{detail}."


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a number or a date; None where there is neither."""
    given = headers.get("Retry-After", "")
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a zone
            return None
    return max(seconds, 0.0) if seconds == seconds else None


def body_of(content: bytes) -> dict[str, Any]:
    """Raises NoReply."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise NoReply(_NO_COMPLETION)
    return data


def reply_in(data: dict[str, Any]) -> Reply:
    """Endpoints differ in what they leave out: only what a summary needs is looked for. Raises NoReply."""
    try:
        choice = data["choices"][0]
        message = choice["message"]
        text = _text_of(message.get("content"))
    except (LookupError, TypeError, AttributeError):
        raise NoReply(_NO_COMPLETION) from None
    return Reply(text, _trouble(text, message, choice.get("finish_reason")))


def _text_of(content: Any) -> str:
    """A text, or the texts of a list of parts: what a model thinks aloud has a part of another type."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type", "text") in _TEXTS]
    return "".join(text for text in texts if isinstance(text, str))


def _trouble(text: str, message: dict[str, Any], finish: Any) -> str:
    if message.get("tool_calls") or message.get("function_call") or finish in ("tool_calls", "function_call"):
        return "The model called a tool instead of writing a summary."
    if message.get("refusal") or finish == "content_filter":
        return "The model refused to write a summary."
    if finish == "length":
        return "The model's summary was cut off."
    return "" if text.strip() else "The model gave an empty summary."


def ensure_usable(reply: Reply) -> None:
    if reply.trouble:
        raise Refused(reply.trouble)
