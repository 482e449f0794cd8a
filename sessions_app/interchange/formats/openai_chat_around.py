"""What stands around the messages of an OpenAI chat: the response that they were sent for, and how they were sent."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.chat_messages import neutral_message
from sessions_app.interchange.loose import as_object, without
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said

_OF_RESPONSE: Final = ("model", "usage", "choices", "id")


def ending(last: Said | None, header: dict[str, Any], number: int, tally: Tally) -> Iterator[Said]:
    """The last message of the list, then the answer of the response if there is one: as record `number`.

    `header`: the members of the document beside its messages. They stand with the last of the two.
    """
    answer = _answer(header)
    if answer is not None and (last is None or last.message != answer.message):
        if last is not None:
            yield last
        tally.read.add(number)
        last = replace(answer, records=(number,))
    elif answer is not None and last is not None:
        # A log whose messages were extended by the answer before it was written.
        last = replace(last, metadata=answer.metadata, at=answer.at)
    elif last is not None:
        told = {"model": header.get("model"), "usage": neutral.usage(header.get("usage"))}
        metadata = {name: value for name, value in told.items() if value and isinstance(value, str | dict)}
        extra = without(header, *metadata)
        last = replace(last, metadata=metadata | neutral.without_empty({"extra": extra}))
    if last is not None:
        yield last


def _answer(header: dict[str, Any]) -> Said | None:
    """The answer of a LiteLLM log, which holds the `response`, or of a request and its response in one object."""
    response = as_object(header.get("response"))
    is_apart = isinstance(response.get("choices"), list)
    response = response if is_apart else header
    choices = response.get("choices")
    choices = choices if isinstance(choices, list) else []
    choice = as_object(choices[0]) if choices else {}
    message = choice.get("message")
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return None
    metadata = {
        "model": response.get("model"),
        "usage": neutral.usage(response.get("usage")),
        "cost": header.get("cost"),
        "stop_reason": choice.get("finish_reason"),
        "response_id": response.get("id"),
    }
    at = parse_time(header.get("timestamp")) or parse_time(response.get("created"))
    about = {
        **without(header, "response", "cost", "timestamp" if parse_time(header.get("timestamp")) else ""),
        **({"response": without(response, *_OF_RESPONSE)} if is_apart else {}),
        "choices": [left for left in (without(choice, "message", "finish_reason", "index"), *choices[1:]) if left],
    }
    extra = without(about, *(() if is_apart else [n for n in _OF_RESPONSE if n != "choices"]))
    return Said(neutral_message(message), (), neutral.without_empty({**metadata, "extra": extra}), at=at)
