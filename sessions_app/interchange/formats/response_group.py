"""One answer of a model that its file tells a call at a time, with the replies that came among the calls.

Calls of one answer are one assistant message: were they several, all but the last would look as if left unanswered.
"""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

from sessions_app.interchange.neutral import Message
from sessions_app.interchange.transcript import Said


class ResponseGroup:
    """The answer `response` so far. `wanted`: how many calls are still to come, where the file says that."""

    def __init__(self, response: Hashable, said: Said, *, wanted: int = 0) -> None:
        self.response, self.wanted = response, wanted
        self.replies: list[Said] = []
        self._first = said
        self._message: Message = dict(said.message)
        self._calls: list[Message] = list(said.message.get("tool_calls") or ())
        self._ids = {call["id"] for call in self._calls if call["id"]}
        self._records, self._keys = dict.fromkeys(said.records), list(said.keys)
        self._metadata = dict(said.metadata)
        self._extras: list[Any] = [said.metadata.get("extra") or {}]

    def join(self, other: Said) -> None:
        """Take in another record of the same answer: the calls that are not known yet, and what is told of them."""
        for call in other.message.get("tool_calls") or ():
            if call["id"] not in self._ids:
                self._calls.append(call)
                self._ids.update({call["id"]} - {""})
        for name, value in other.message.items():
            if not self._message.get(name):
                self._message[name] = value
        self._records.update(dict.fromkeys(other.records))
        self._keys += other.keys
        self._metadata = {**other.metadata, **self._metadata}
        self._extras.append(other.metadata.get("extra") or {})
        self.wanted -= 1

    def steps(self) -> Iterator[Said]:
        yield replace(
            self._first,
            message=self._message | ({"tool_calls": self._calls} if self._calls else {}),
            records=tuple(self._records),
            keys=tuple(self._keys),
            metadata=self._metadata | self._extra(),
        )
        yield from self.replies

    def _extra(self) -> dict[str, Any]:
        """What one record has besides stands in `extra`; what several have, in its `events`, one for each."""
        if len(self._extras) == 1:
            return {"extra": self._extras[0]} if self._extras[0] else {}
        return {"extra": {"events": self._extras}} if any(self._extras) else {}
