"""mini-swe-agent: chat messages, each with an `extra` of what the agent knows of it; at first a bare list of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.chat_messages import is_chat_message, neutral_message
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.traces import shapes as shapes
from sessions_app.interchange.jsonreading import Document, Record
from sessions_app.interchange.loose import as_object, as_objects, as_text
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Said, Transcript

SUFFIX = ".traj.json"
"""The name of its files is all that tells a bare list from any other list of chat messages."""

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_CARRIED = ("cost", "timestamp", "response")
_RESPONSE = ("id", "model", "usage", "choices", "created", "object")


class MiniSweAgent:
    name = "mini-swe-agent"
    title = "mini-swe-agent trajectory"

    def recognises(self, sniff: Sniff) -> bool:
        is_named = sniff.name.endswith(SUFFIX)
        if sniff.shape == "array":
            return is_named and bool(sniff.objects) and is_chat_message(sniff.objects[0])
        if sniff.shape != "object" or not isinstance(sniff.members.get("messages"), list):
            return False
        # The version stands after the messages, which may be more than was looked at.
        version, info = sniff.members.get("trajectory_format"), sniff.members.get("info")
        if isinstance(version, str):
            return version.startswith(self.name)
        return (isinstance(info, dict) and "mini_version" in info) or (
            is_named and is_chat_message(sniff.first("messages"))
        )

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        transcript = Transcript([])
        transcript.steps = self._messages(Document(source, tally, lists={"", "messages"}), transcript, tally)
        yield transcript

    def _messages(self, document: Document, transcript: Transcript, tally: Tally) -> Iterator[Said]:
        held: Said | None = None
        for record in document.records():
            if as_object(record.value).get("role") == "exit" and held is not None:
                held = _with_exit(held, record)
                continue
            found = _said(record)
            if not found:
                tally.skip("message", "has no role of this format", record.number)
            for said in found:
                if held is not None:
                    yield held
                held = said
        if held is not None:
            yield _with_info(held, document.header)
        transcript.title = as_text(document.header.get("instance_id"))


def _said(record: Record) -> list[Said]:
    """One message; those of models that are called by the Responses API may be several."""
    value = as_object(record.value)
    extra = as_object(value.get("extra"))
    message = {name: member for name, member in value.items() if name != "extra"}
    if kinds.is_item(value) or value.get("object") == "response":
        messages, response = shapes.messages_of(message, role="assistant") or [], {**message, **extra}
    elif value.get("role") in _ROLES:
        messages, response = [neutral_message(message)], as_object(extra.get("response"))
    else:
        return []
    choice = as_object(next(iter(as_objects(response.get("choices"))), None))
    metadata = {
        "model": response.get("model"),
        "usage": neutral.usage(response.get("usage")),
        "cost": extra.get("cost"),
        "stop_reason": choice.get("finish_reason"),
        "response_id": response.get("id"),
    }
    at = parse_time(extra.get("timestamp"))
    said = [Said(_failed(m, extra), (record.number,), {}, at) for m in messages]
    if said:
        said[0] = replace(
            said[0], metadata=neutral.without_empty({**metadata, "extra": _further(extra, said[0].message)})
        )
    return said


def _failed(message: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """A command that returns an error was carried out; one that raised an exception was not."""
    return {**message, "is_error": True} if message.get("role") == "tool" and extra.get("exception_info") else message


def _further(extra: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """What the agent knows of a message besides; not what its text, its calls or the other metadata say already."""
    further = {name: value for name, value in extra.items() if name not in _CARRIED}
    response = {k: v for k, v in as_object(extra.get("response")).items() if k not in _RESPONSE}
    content = message.get("content")
    if isinstance(content, str):
        output, actions = extra.get("raw_output"), extra.get("actions")
        if isinstance(output, str) and output in content:
            del further["raw_output"]
        if message.get("tool_calls") or all(_command(a) in content for a in as_objects(actions)):
            further.pop("actions", None)
    return neutral.without_empty({**further, "response": neutral.without_empty(response)})


def _command(action: Any) -> str:
    command = as_object(action).get("command")
    return command if isinstance(command, str) else neutral.json_text(action)


def _with_exit(said: Said, record: Record) -> Said:
    """What no model was sent: how the run ended. It stands with the last message."""
    exit = {"content": record.value.get("content"), **as_object(record.value.get("extra"))}
    if exit["content"] in (exit.get("submission"), exit.get("exit_status")):
        del exit["content"]
    return replace(_with_extra(said, exit=neutral.without_empty(exit)), records=(*said.records, record.number))


def _with_info(said: Said, header: dict[str, Any]) -> Said:
    exit = as_object(as_object(said.metadata.get("extra")).get("exit"))
    info = {name: value for name, value in as_object(header.get("info")).items() if exit.get(name) != value}
    others = {name: value for name, value in header.items() if name not in ("info", "messages", "trajectory_format")}
    return _with_extra(said, **neutral.without_empty({"info": info, **others}))


def _with_extra(said: Said, **members: Any) -> Said:
    extra = {**said.metadata.get("extra", {}), **members}
    return replace(said, metadata=neutral.without_empty({**said.metadata, "extra": extra}))
