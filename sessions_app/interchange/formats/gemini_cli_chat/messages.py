"""The records of a Gemini CLI chat as messages: a call and its result stand in one record there."""

from collections.abc import Iterator
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.google_adk_session.parts import Parts, parts_of
from sessions_app.interchange.loose import as_object, as_objects, as_text, without
from sessions_app.interchange.neutral import Message
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said

MODEL_TYPES: Final = ("gemini", "qwen")
"""Qwen Code began as a copy of Gemini CLI, and so did its files."""

_SHOWN: Final = ("info", "warning", "error")
_CARRIED: Final = ("type", "content", "timestamp", "toolCalls", "thoughts", "tokens", "model", "displayContent")
_OF_TOOL: Final = ("displayName", "description", "renderOutputAsMarkdown")
_COUNTED: Final = ("input", "output", "cached", "thoughts", "total")


class Talk:
    """Takes the records of one session, in order."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._answered: set[str] = set()
        self._tools: dict[str, dict[str, Any]] = {}

    def said(self, record: Any, number: int) -> Iterator[Said]:
        type_ = as_text(as_object(record).get("type"))
        if type_ == "user":
            yield from self._user(record, number)
        elif type_ in MODEL_TYPES:
            yield from self._response(record, number)
        elif type_ in _SHOWN:
            self._tally.skip(type_, "is shown to the user; the model does not see it", number)
        else:
            self._tally.skip(type_[:60] or "message", "is of no known type", number)

    def _user(self, record: dict[str, Any], number: int) -> Iterator[Said]:
        parts = _parts(record.get("content"))
        # The history that is written down after it was shortened repeats the results of the calls.
        replies = [reply for reply in parts.replies if reply["tool_call_id"] not in self._answered]
        messages: list[Message] = list(replies)
        content = neutral.parts_or_text(parts.said)
        if content is not None:
            messages.append({"role": "user", "content": content})
        if not messages:
            why = "repeats results that its calls carry" if parts.replies else "is empty"
            self._tally.skip("user", why, number)
        metadata = neutral.without_empty({"extra": _extra(record)})
        for message in messages:
            yield _of(record, number, message, metadata)
            metadata = {}

    def _response(self, record: dict[str, Any], number: int) -> Iterator[Said]:
        parts = _parts(record.get("content"))
        told = as_objects(record.get("toolCalls"))
        ids = {as_text(call.get("id")) for call in told}
        further = [c for c in parts.calls if not told or (c["id"] and c["id"] not in ids)]
        calls = [neutral.call(c.get("id"), c.get("name"), c.get("args")) for c in told] + further
        thoughts = [*parts.thoughts, *filter(None, map(_thought, as_objects(record.get("thoughts"))))]
        message = neutral.assistant(
            record["content"] if isinstance(record.get("content"), str) else neutral.parts_or_text(parts.said),
            calls,
            reasoning_content="\n\n".join(thoughts),
            reasoning_details=parts.details,
        )
        if len(message) == 2 and not message["content"]:
            self._tally.skip(record["type"], "is empty", number)
            return
        yield _of(record, number, message, self._metadata(record, told))
        for call in told:
            yield from self._reply(call, record, number)

    def _metadata(self, record: dict[str, Any], told: list[dict[str, Any]]) -> dict[str, Any]:
        tokens = as_object(record.get("tokens"))
        extra = _extra(record)
        times = [as_text(thought.get("timestamp")) for thought in as_objects(record.get("thoughts"))]
        if any(times):
            extra["thought_times"] = times
        if more := {name: n for name, n in without(tokens, *_COUNTED).items() if n}:
            extra["tokens"] = more
        if unanswered := [without(call, "args", "result", *_OF_TOOL) for call in told if not _has_result(call)]:
            extra["unanswered"] = unanswered
        usage = neutral.usage(tokens)
        return neutral.without_empty({"model": record.get("model"), "usage": usage, "extra": extra})

    def _reply(self, call: dict[str, Any], record: dict[str, Any], number: int) -> Iterator[Said]:
        if not _has_result(call):
            return
        content, failed = _result(call.get("result"))
        shown = call.get("resultDisplay")
        if content is None:
            # Files of some versions hold only what was shown of a result.
            content = shown if isinstance(shown, str) else neutral.json_text(shown)
        name = as_text(call.get("name"))
        call_id = as_text(call.get("id"))
        if call_id:
            self._answered.add(call_id)
        about = {member: call[member] for member in _OF_TOOL if call.get(member)}
        extra = {
            **without(call, "id", "name", "args", "result", "timestamp", "agentId", "resultDisplay", *_OF_TOOL),
            **({} if shown in (None, "", content) else {"resultDisplay": shown}),
            # The same for every call of the tool.
            **({} if self._tools.get(name) == about else about),
        }
        self._tools[name] = about
        metadata = neutral.without_empty({"agent": call.get("agentId"), "extra": extra})
        reply = neutral.reply(call_id, content, name=name, is_error=failed or call.get("status") == "error")
        at = parse_time(call.get("timestamp")) or parse_time(record.get("timestamp"))
        yield Said(reply, (number,), metadata, at, _keys(record))


def text_of(record: dict[str, Any]) -> str:
    """What a message says, as plain text."""
    return "\n".join(as_text(part.get("text")) for part in _parts(record.get("content")).said)


def _of(record: dict[str, Any], number: int, message: Message, metadata: dict[str, Any]) -> Said:
    return Said(message, (number,), metadata, parse_time(record.get("timestamp")), _keys(record))


def _keys(record: dict[str, Any]) -> tuple[str, ...]:
    return (record["id"],) if isinstance(record.get("id"), str) and record["id"] else ()


def _extra(record: dict[str, Any]) -> dict[str, Any]:
    extra = without(record, *_CARRIED)
    if record.get("displayContent") not in (None, "", [], record.get("content")):
        extra["displayContent"] = record["displayContent"]
    return extra


def _parts(content: Any) -> Parts:
    parts = content if isinstance(content, list) else [] if content is None else [content]
    return parts_of({"parts": [p if isinstance(p, dict) else {"text": _plain(p)} for p in parts]})


def _plain(part: Any) -> str:
    return part if isinstance(part, str) else neutral.json_text(part)


def _thought(thought: dict[str, Any]) -> str:
    subject, description = as_text(thought.get("subject")).strip(), as_text(thought.get("description")).strip()
    return "\n".join(filter(None, (f"**{subject}**" if subject else "", description)))


def _has_result(call: dict[str, Any]) -> bool:
    return call.get("result") not in (None, [], "") or call.get("resultDisplay") not in (None, "", [])


def _result(result: Any) -> tuple[Any, bool]:
    """(what the model was told, whether that is an error); None: nothing."""
    told: list[Message] = []
    failed = False
    for part in result if isinstance(result, list) else [] if result is None else [result]:
        response = as_object(part).get("functionResponse")
        if isinstance(response, dict):
            value = response.get("response")
            failed = failed or bool(as_object(value).get("error"))
            told.append(neutral.text_part(_response_text(value)))
        else:
            told += _parts([part]).said
    return neutral.parts_or_text(told), failed


def _response_text(value: Any) -> str:
    """A single text has one of these names when a tool answers with nothing else."""
    if isinstance(value, dict) and len(value) == 1:
        (name, text), *_ = value.items()
        if name in ("output", "error") and isinstance(text, str):
            return text
    return value if isinstance(value, str) else neutral.json_text({} if value is None else value)
