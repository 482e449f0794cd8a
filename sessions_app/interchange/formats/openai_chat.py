"""OpenAI Chat Completions: a list of messages, an object that holds one, a message or a conversation a line, and the
logs of LiteLLM, which hold the window as it was sent and the response.
"""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said, Transcript

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


class OpenAIChat:
    name = "openai-chat"
    title = "OpenAI chat"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "array":
                return bool(sniff.objects) and is_chat_message(sniff.objects[0])
            case "object":
                return is_chat_message(sniff.first("messages"))
            case "lines":
                return bool(sniff.objects) and is_chat_message(sniff.objects[0])
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        if sniff.shape == "lines":
            yield Transcript(_said(json_lines(source, tally), tally))
            return
        document = Document(source, tally, lists={"", "messages"})
        transcript = Transcript([])
        transcript.steps = self._document(document, transcript, tally)
        yield transcript

    def _document(self, document: Document, transcript: Transcript, tally: Tally) -> Iterator[Said]:
        last = 0
        for record in document.records():
            last = record.number
            yield from _said([record], tally)
        header = document.header
        # The response of a LiteLLM log is the message that the window was sent for.
        yield from _response(header, last + 1, tally)
        for name in ("session_id", "conversation_id"):
            if isinstance(header.get(name), str):
                transcript.native_id = header[name]
                return


def is_chat_message(value: dict[str, Any]) -> bool:
    """Whether an object is a message of this API and of none that resembles it."""
    return _has_role(value) and not _has_foreign_parts(value) and "parts" not in value


def _has_role(value: dict[str, Any]) -> bool:
    role = value.get("role")
    return isinstance(role, str) and role in _ROLES


def _has_foreign_parts(message: dict[str, Any]) -> bool:
    """Anthropic's blocks for calls and results stand among the parts of the content."""
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    return any(isinstance(p, dict) and p.get("type") in ("tool_use", "tool_result") for p in parts)


def _said(records: "Iterator[Record] | list[Record]", tally: Tally) -> Iterator[Said]:
    for record in records:
        message = record.value
        if not isinstance(message, dict) or not _has_role(message):
            tally.skip("message", "has no role of this API", record.number)
            continue
        yield Said(neutral_message(message), (record.number,))


def neutral_message(message: dict[str, Any]) -> dict[str, Any]:
    """As it is, but for the calls of the API before there were tools (a `function_call`, and a reply of that role),
    and for calls that local servers and logs write otherwise.
    """
    if message.get("role") == "function":
        return neutral.reply(None, message.get("content"), name=message.get("name"))
    if message.get("role") != "assistant":
        return message
    calls, legacy = message.get("tool_calls"), message.get("function_call")
    if isinstance(calls, list) and calls:
        return {**message, "tool_calls": [_call(c) for c in calls]}
    if isinstance(legacy, dict) and not calls:
        kept = {name: value for name, value in message.items() if name != "function_call"}
        return {**kept, "tool_calls": [neutral.call(None, legacy.get("name"), legacy.get("arguments"))]}
    return message


def _call(call: Any) -> dict[str, Any]:
    """As it is where it is well formed. Arguments may also be an object, and may stand in the call itself."""
    if not isinstance(call, dict):
        return neutral.call(None, None, call)
    function = call.get("function")
    if isinstance(call.get("custom"), dict) and function is None:
        return call
    inner = function if isinstance(function, dict) else call
    if inner is function and isinstance(inner.get("name"), str) and isinstance(inner.get("arguments"), str):
        return call
    arguments = inner.get("arguments", inner.get("args"))
    return neutral.call(call.get("id"), inner.get("name"), arguments)


def _response(header: dict[str, Any], number: int, tally: Tally) -> Iterator[Said]:
    response = header.get("response")
    choices = response.get("choices") if isinstance(response, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(response, dict) or not isinstance(message, dict) or message.get("role") != "assistant":
        return
    tally.read.add(number)
    metadata = neutral.without_empty(
        {
            "model": response.get("model"),
            "usage": neutral.usage(response.get("usage")),
            "cost": header.get("cost"),
            "stop_reason": choice.get("finish_reason"),
            "response_id": response.get("id"),
        }
    )
    yield Said(neutral_message(message), (number,), metadata, at=parse_time(header.get("timestamp")))
