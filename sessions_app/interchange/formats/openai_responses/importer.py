"""OpenAI Responses: items as a list or a line each, an object with `input` or `output`, recorded exchanges."""

from collections.abc import Iterable, Iterator
from typing import Any

from sessions_app.interchange.exchanges import Chosen, Sent, conversations
from sessions_app.interchange.formats.chat_messages import is_chat_message
from sessions_app.interchange.formats.openai_responses import bodies as bodies
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.conversation import Conversation
from sessions_app.interchange.formats.openai_responses.recorded import Recorded
from sessions_app.interchange.formats.openai_responses.requests import Requests
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Step, Transcript

_LISTS = ("input", "output")


class OpenAIResponses:
    name = "openai-responses"
    title = "OpenAI Responses"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape == "object":
            return bodies.is_exchange(sniff.members) or _is_body(sniff.members)
        if sniff.shape not in ("array", "lines") or not sniff.objects:
            return False
        return _has_exchanges(sniff) or (
            kinds.kind_of(sniff.objects[0]) in kinds.KINDS and any(kinds.is_item(o) for o in sniff.objects)
        )

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        if sniff.shape == "object" and not isinstance(sniff.members.get("request"), dict):
            yield _body(source, tally)
        elif sniff.shape == "object" or _has_exchanges(sniff):
            yield from _exchanges(source, sniff, tally)
        else:
            yield Transcript(_items(_records(source, sniff, tally), tally))


def _has_exchanges(sniff: Sniff) -> bool:
    return any(bodies.is_exchange(value) for value in sniff.objects)


def _is_body(members: dict[str, Any]) -> bool:
    """Whether an object is a request, or a response, or both in one."""
    given, said = members.get("input"), members.get("output")
    if members.get("object") in ("response", "response.compaction"):
        return True
    lists = [values for values in (given, said) if isinstance(values, list)]
    if any(kinds.is_item(value) for values in lists for value in values):
        return True
    is_request = isinstance(members.get("model"), str) or "instructions" in members
    return is_request and isinstance(given, list) and bool(given) and _is_bare_message(given[0])


def _is_bare_message(value: Any) -> bool:
    return isinstance(value, dict) and is_chat_message(value)


def _records(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Record]:
    if sniff.shape == "lines":
        return json_lines(source, tally)
    if sniff.shape == "array":
        return Document(source, tally, lists={""}).records()
    return _whole(source, tally)


def _whole(source: Source, tally: Tally) -> Iterator[Record]:
    """An object that is one exchange is the only record of its file."""
    document = Document(source, tally, lists=())
    for _ in document.records():
        pass
    tally.read.add(1)
    yield Record(1, document.header)


def _items(records: Iterable[Record], tally: Tally) -> Iterator[Step]:
    talk = Conversation(tally)
    for record in records:
        yield from talk.take(record.value, (record.number,))
    yield from talk.end()


def _exchanges(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
    requests = Requests()

    def keys() -> Iterator[tuple[int, Sent]]:
        for record in _records(source, sniff, tally):
            if (sent := requests.sent(record)) is None:
                tally.skip("exchange", "is none with this API", record.number)
            else:
                yield record.number, sent

    found = conversations(keys())
    # What is torn was named by this first reading.
    chosen = Chosen(lambda: _records(source, sniff, Tally()))
    for conversation in found:
        pairs = ((chosen.get(number), known) for number, known in conversation.exchanges)
        transcript = Transcript([])
        exchanges = ((record, known) for record, known in pairs if record is not None)
        transcript.steps = Recorded(transcript, tally).steps(exchanges)
        yield transcript


def _body(source: Source, tally: Tally) -> Transcript:
    """An object with `input`, `output` or both. What stands beside them may come last: it is looked for first."""
    look = Document(source, tally, lists=_LISTS)
    counts = dict.fromkeys(_LISTS, 0)
    last = 0
    for record in look.records():
        counts[record.list] += 1
        if record.list == "output" and kinds.is_the_models(record.value):
            last = record.number
    transcript = Transcript([], native_id=bodies.id_of(look.header, "id"))
    transcript.steps = _body_steps(source, look.header, counts, last, tally)
    return transcript


def _body_steps(
    source: Source, header: dict[str, Any], counts: dict[str, int], last: int, tally: Tally
) -> Iterator[Step]:
    """Its records are the items of the input, and after them those of the output."""
    talk = Conversation(tally)
    about, at = bodies.about(header), bodies.said_at(header)
    asked = None if last else {"extra": {"request": {k: v for k, v in header.items() if k not in _NOT_ASKED}}}
    tally.read.add(1)
    for item in (*bodies.instructions_of(header), *bodies.input_of(header)):
        yield from talk.take(item, (1,))
    for name in _LISTS:
        before = counts["input"] if name == "output" else 0
        for record in _list(source, name) if counts[name] else ():
            number = before + record.number
            tally.read.add(number)
            is_answer = name == "output"
            metadata = about if is_answer and record.number == last else asked
            asked = None
            yield from talk.take(record.value, (number,), at=at if is_answer else None, metadata=metadata)
    if not any(counts.values()) and not bodies.input_of(header) and not bodies.instructions_of(header):
        tally.skip("object", "holds neither an input nor an output", 1)
    yield from talk.end()


_NOT_ASKED = ("input", "output", "instructions")


def _list(source: Source, name: str) -> Iterator[Record]:
    return Document(source, Tally(), lists={name}, unread=set(_LISTS) - {name}).records()
