"""Anthropic Messages: `{system, messages}`, a bare list of messages, either of them a line, recorded exchanges."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sessions_app.interchange.exchanges import Chosen, Sent, conversations
from sessions_app.interchange.formats.anthropic_messages.exchanges import sent, turns_of
from sessions_app.interchange.formats.anthropic_messages.layout import layout_of
from sessions_app.interchange.formats.anthropic_messages.steps import steps_of
from sessions_app.interchange.formats.anthropic_messages.turns import Turn, turn_of
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Transcript


class AnthropicMessages:
    name = "anthropic-messages"
    title = "Anthropic Messages"

    def recognises(self, sniff: Sniff) -> bool:
        return layout_of(sniff) is not None

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        match layout_of(sniff):
            case "document":
                yield _document(source, tally)
            case "messages":
                yield Transcript(steps_of(_turns(_records(source, sniff, tally), tally), tally))
            case "conversations":
                for record in _records(source, sniff, tally):
                    yield _conversation(record, tally)
            case "exchanges":
                yield from _exchanges(source, sniff, tally)


def _records(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Record]:
    if sniff.shape == "lines":
        return json_lines(source, tally, objects_only=False)
    return Document(source, tally, lists={""}).records()


def _turns(records: Iterable[Record], tally: Tally) -> Iterator[Turn]:
    for record in records:
        if (turn := turn_of(record.value, (record.number,), tally)) is not None:
            yield turn


def _document(source: Source, tally: Tally) -> Transcript:
    """The system prompt may stand after the messages in the file: it is looked for first."""
    look = Document(source, Tally(), lists=(), unread={"messages"})
    for _ in look.records():
        pass
    turns = _turns(Document(source, tally, lists={"messages"}).records(), tally)
    return _transcript(look.header, turns, tally, records=())


def _conversation(record: Record, tally: Tally) -> Transcript:
    value = record.value if isinstance(record.value, dict) else {"messages": record.value}
    messages = value.get("messages")
    if not isinstance(messages, list) or not messages:
        tally.skip("conversation", "has no messages", record.number)
        messages = []
    turns = _turns((Record(record.number, m) for m in messages), tally)
    return _transcript(value, turns, tally, records=(record.number,))


def _transcript(header: dict[str, Any], turns: Iterator[Turn], tally: Tally, *, records: tuple[int, ...]) -> Transcript:
    """A conversation with what stands beside its messages. Its system prompt is of their record, or the first's."""
    options = {k: v for k, v in header.items() if k not in ("messages", "system")}

    def all_turns() -> Iterator[Turn]:
        first = next(turns, None)
        numbers = records or (first.records if first is not None else (1,))
        system = [Turn("system", header["system"], numbers)] if header.get("system") else []
        for n, turn in enumerate(chain(system, [] if first is None else [first], turns)):
            yield turn.with_extra(request=options) if options and n == 0 else turn

    ids = (header.get(name) for name in ("session_id", "conversation_id", "id"))
    native_id = next((i for i in ids if isinstance(i, str)), "")
    return Transcript(steps_of(all_turns(), tally), native_id=native_id)


def _exchanges(source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
    def keys() -> Iterator[tuple[int, Sent]]:
        for record in _records(source, sniff, tally):
            if (request := sent(record.value)) is None:
                tally.skip("exchange", "has no request of this API", record.number)
            else:
                yield record.number, request

    found = conversations(keys())
    # What is torn was named by this first reading.
    chosen = Chosen(lambda: _records(source, sniff, Tally()))
    for conversation in found:
        pairs = ((chosen.get(number), known) for number, known in conversation.exchanges)
        turns = turns_of(((record, known) for record, known in pairs if record is not None), tally)
        yield Transcript(steps_of(turns, tally))
