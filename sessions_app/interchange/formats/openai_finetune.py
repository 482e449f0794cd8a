"""The training files of OpenAI's fine-tuning: a conversation a line, `{"messages": [...], "tools"?, ...}` or just the
list of its messages. Each is a session; nothing in the file names it, so it is known by what it says.
"""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.chat_messages import is_chat_message, neutral_message
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Transcript


class OpenAIFinetune:
    name = "openai-finetune"
    title = "OpenAI fine-tuning"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "lines" | "array":
                return any(_is_conversation(value) for value in sniff.records)
            case "object":
                # A file of a single line looks like a chat request; only its name tells the two apart.
                return sniff.name.lower().endswith(".jsonl") and _is_conversation(sniff.members)
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        for record in _records(source, sniff, tally):
            messages = _messages(record.value)
            if messages is None:
                tally.skip("line", "holds no conversation", record.number)
            elif not messages:
                tally.skip("conversation", "has no messages", record.number)
            else:
                yield Transcript(_said(record, messages, tally))


def _records(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Record]:
    if sniff.shape == "array":
        return Document(source, tally, lists={""}).records()
    return json_lines(source, tally, objects_only=False)


def _is_conversation(value: Any) -> bool:
    messages = _messages(value) or [None]
    return isinstance(messages[0], dict) and is_chat_message(messages[0])


def _messages(value: Any) -> list[Any] | None:
    messages = value.get("messages") if isinstance(value, dict) else value
    return messages if isinstance(messages, list) else None


def _said(record: Record, messages: list[Any], tally: Tally) -> Iterator[Said]:
    """Tools, weight and the like belong to the whole conversation: they stand with its first message."""
    others = {k: v for k, v in record.value.items() if k != "messages"} if isinstance(record.value, dict) else {}
    metadata = neutral.without_empty({"extra": others})
    for message in messages:
        if not isinstance(message, dict) or not is_chat_message(message):
            tally.skip("message", "has no role of this API", record.number)
            continue
        yield Said(neutral_message(message), (record.number,), metadata)
        metadata = {}
