"""Recorded exchanges with an API that is sent the whole conversation anew each time: which of them are one.

Requests that begin with the one before are one conversation. Several may run at once, and take turns in the file.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sessions_app.interchange.jsonreading import Record, Unreadable, loads
from sessions_app.interchange.shelf import Shelf

NOT_SAID = frozenset({"cache_control"})
"""Members that say how a message is to be sent, and differ where a client sends the same one again."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a request holds, as keys: its messages, but for the `before` first ones, which a summary stands for.

    `resumes`: the key of that summary, with which the messages begin. `compacts`: that of one in the response.
    `system`: the key of what stands before the messages, and `asked`: how many there are before the first answer.
    As long as nobody answered, the same question under another system prompt is another conversation. `answer`: the
    key of the response. `links`: by what a later request may say that it goes on from this one without sending it
    again, and `follows`: those by which this one may.
    """

    messages: tuple[str, ...]
    before: int = 0
    resumes: str = ""
    compacts: str = ""
    system: str = ""
    asked: int = 0
    answer: str = ""
    follows: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


@dataclass(slots=True)
class Conversation:
    """The exchanges of one conversation: (the record's number, how many of its messages were sent before)."""

    exchanges: list[tuple[int, int]] = field(default_factory=list)
    length: int = 0
    """How many messages its last request holds."""
    ends: tuple[str, ...] = ()
    """The keys of all that its last request holds, without the response and with it."""


def conversations(exchanges: Iterable[tuple[int, Sent]]) -> list[Conversation]:
    """In the order in which they begin."""
    found: list[Conversation] = []
    ends: dict[str, Conversation] = {}
    for number, sent in exchanges:
        chain = _chain(sent)
        follows = next((key for key in sent.follows if key in ends), "")
        known = next((key for key in reversed(chain[: len(sent.messages)]) if key in ends), "") if not follows else ""
        conversation = ends.get(follows or known or sent.resumes)
        if conversation is None:
            found.append(conversation := Conversation())
            conversation.exchanges.append((number, 0))
        else:
            # A client may send what a summary stands for along with it, or leave it out.
            conversation.exchanges.append((number, sent.before + (conversation.length if known else 0)))
        if chain:
            # What goes on from an earlier place of it is a branch, and another conversation.
            for end in conversation.ends:
                ends.pop(end, None)
            conversation.length, conversation.ends = len(sent.messages), tuple(chain[len(sent.messages) - 1 :])
            ends |= dict.fromkeys(conversation.ends, conversation)
        ends |= dict.fromkeys(filter(None, (sent.compacts, *sent.links)), conversation)
    return found


def _chain(sent: Sent) -> list[str]:
    """For each message the key of all up to it, and at last that of all with the response."""
    chain: list[str] = []
    end = ""
    for n, key in enumerate((*sent.messages, *filter(None, [sent.answer])), start=1):
        end = hashlib.sha256(f"{end} {key}".encode()).hexdigest()
        chain.append(f"{end} {sent.system}" if n <= sent.asked else end)
    return chain if sent.messages else []


def key_of(value: Any) -> str:
    """The same for what is said alike: without members that are null or do not count."""
    text = json.dumps(_said(value), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _said(v) for k, v in value.items() if k not in NOT_SAID and v is not None}
    if isinstance(value, list):
        return [_said(v) for v in value]
    return value


def body_of(exchange: Any, side: str) -> dict[str, Any]:
    """The body of the `request` or the `response`, which may be JSON text; empty where there is none."""
    half = exchange.get(side) if isinstance(exchange, dict) else None
    body = half.get("body") if isinstance(half, dict) else None
    if isinstance(body, str):
        try:
            body = loads(body)
        except Unreadable:
            return {}
    return body if isinstance(body, dict) else {}


class Chosen:
    """Reads records by their numbers, each once. Those that are passed over on the way are laid aside until then."""

    def __init__(self, open_records: Callable[[], Iterator[Record]]) -> None:
        self._records = open_records()
        self._aside = Shelf()

    def get(self, number: int) -> Record | None:
        if number in self._aside:
            return Record(number, self._aside.get(number))
        for record in self._records:
            if record.number == number:
                return record
            self._aside.put(record.number, record.value)
        return None
