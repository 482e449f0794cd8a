"""ShareGPT: one conversation a line or an element, `{"conversations": [{"from", "value"}]}`, often thousands in a
file; and its successor in LLaMA-Factory, `{"messages": [{"role", "content": [{"type", "value"}]}]}`.
"""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.sharegpt.turns import further, is_typed, messages_of, role_of
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Transcript

_TURNS = ("conversations", "messages")


class ShareGPT:
    name = "sharegpt"
    title = "ShareGPT"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape == "object":
            return _is_conversation(sniff.members)
        return sniff.shape in ("array", "lines") and any(_is_conversation(o) for o in sniff.objects)

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        for record in _records(source, sniff, tally):
            turns = _turns(record.value)
            if turns is None:
                tally.skip("line" if sniff.shape == "lines" else "element", "holds no conversation", record.number)
            elif not turns:
                tally.skip("conversation", "has no turns", record.number)
            else:
                yield _transcript(record, turns, tally)


def _is_conversation(value: dict[str, Any]) -> bool:
    conversations, messages = value.get("conversations"), value.get("messages")
    if isinstance(conversations, list):
        return any(role_of(turn) for turn in conversations)
    return isinstance(messages, list) and any(role_of(turn) and is_typed(turn) for turn in messages)


def _records(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Record]:
    if sniff.shape == "lines":
        yield from json_lines(source, tally, objects_only=False)
    elif sniff.shape == "array":
        yield from Document(source, tally, lists={""}).records()
    else:
        document = Document(source, tally, lists=())
        yield from document.records()
        tally.read.add(1)
        yield Record(1, document.header)


def _turns(value: Any) -> list[Any] | None:
    lists = [value.get(name) for name in _TURNS] if isinstance(value, dict) else []
    return next((found for found in lists if isinstance(found, list)), None)


def _transcript(record: Record, turns: list[Any], tally: Tally) -> Transcript:
    native_id = record.value.get("id")
    if isinstance(native_id, int) and not isinstance(native_id, bool):
        native_id = str(native_id)
    return Transcript(_said(record, turns, tally), native_id=native_id if isinstance(native_id, str) else "")


def _said(record: Record, turns: list[Any], tally: Tally) -> Iterator[Said]:
    """What belongs to the whole conversation, such as its tools, stands with its first message."""
    if unknown := sum(not role_of(turn) for turn in turns):
        tally.skip("turn", "is of no known speaker", record.number, count=unknown)
    extra = {k: v for k, v in record.value.items() if k not in (*_TURNS, "id", "system")}
    system = record.value.get("system")
    if isinstance(system, str) and system:
        yield Said({"role": "system", "content": system}, (record.number,), _metadata(extra))
        extra = {}
    last = -1
    for index, message in messages_of(turns):
        # A turn that several messages are made from is told once.
        members = further(turns[index]) if index != last else {}
        yield Said(message, (record.number,), _metadata({**extra, **members}))
        extra, last = {}, index


def _metadata(extra: dict[str, Any]) -> dict[str, Any]:
    return neutral.without_empty({"extra": neutral.without_empty(extra)})
