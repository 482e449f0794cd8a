"""The lines of a Gemini CLI chat are changes: a message, or one of its id anew; facts of the session; steps back.

They are gone through once, without what they say, to know which messages are left at the end and where each stands.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.interchange.formats.gemini_cli_chat.messages import text_of
from sessions_app.interchange.jsonreading import Record, json_lines, line_at
from sessions_app.interchange.loose import as_object, as_text
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

_SUMMARY: Final = "<state_snapshot>"
"""What Gemini CLI asks the model to write when the history has become too long."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message was written last: a line, and in a line with a list its place there."""

    number: int
    start: int
    length: int
    type: str
    element: int = -1


@dataclass(frozen=True, slots=True)
class Shortened:
    """The history was put aside for a summary: the message of that id. The messages `kept` stayed, in that order."""

    number: int
    summary: str
    kept: tuple[str, ...]


@dataclass(slots=True)
class Replay:
    """`order`: the ids of the messages, and where the history was shortened; `about`: what is known of the session."""

    source: Source
    tally: Tally
    about: dict[str, Any] = field(default_factory=dict)
    order: list[str | Shortened] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    _live: dict[str, None] = field(default_factory=dict)
    """The ids in the history as it is: without those that a summary stands for."""
    _cached: tuple[int, Any] = (0, None)

    def run(self) -> None:
        lists: list[int] = []
        for record in json_lines(self.source, self.tally):
            value = record.value
            if isinstance(value.get("$rewindTo"), str):
                self._rewind(value["$rewindTo"])
                self.tally.skip("$rewindTo", "takes back messages, and is none", record.number)
            elif "$set" in value:
                if self._set(as_object(value["$set"]), record):
                    lists.append(record.number)
                else:
                    self.tally.skip("$set", "tells something of the session, and is no message", record.number)
            elif isinstance(value.get("sessionId"), str) and "type" not in value:
                if self._set(value, record):
                    lists.append(record.number)
                self.tally.use([record.number])
            elif isinstance(value.get("id"), str) or "type" in value:
                self._put(as_text(value.get("id")) or f"line {record.number}", _place(record, value))
            else:
                self.tally.skip("line", "is neither a message nor a change", record.number)
        left = {place.number for place in self.places.values()}
        for number in lists:
            if number not in left:
                self.tally.skip("$set", "lists the messages as they were before a later change", number)

    def value(self, place: Place) -> Any:
        """A message. A line with a list is held until another is asked for."""
        if place.element < 0:
            return line_at(self.source, place.start, place.length)
        if self._cached[0] != place.number:
            line = line_at(self.source, place.start, place.length)
            self._cached = (place.number, as_object(line.get("$set", line)).get("messages"))
        return self._cached[1][place.element]

    def _put(self, id: str, place: Place) -> None:
        before = self.places.get(id)
        if before is None:
            self.order.append(id)
        elif before.element < 0:
            self.tally.skip(before.type, "is an earlier state of a message that was written again", before.number)
        self.places[id] = place
        self._live.setdefault(id)

    def _set(self, members: dict[str, Any], record: Record) -> bool:
        """Whether the messages were among what was set."""
        self.about |= {name: value for name, value in members.items() if name != "messages"}
        messages = members.get("messages")
        if not isinstance(messages, list) or not messages:
            return False
        places = {
            as_text(as_object(m).get("id")) or f"line {record.number}.{n}": _place(record, m, n)
            for n, m in enumerate(messages)
        }
        if not self._shorten(messages[0], places, record.number):
            self._drop(
                [id for id in self._live if id not in places], "is not in the list that a later $set put in its place"
            )
        for id, place in places.items():
            self._put(id, place)
        self._live = dict.fromkeys(places)
        return True

    def _shorten(self, first: Any, places: dict[str, Place], number: int) -> bool:
        """Take a list that begins with a new summary for what it is: the history before it was put aside."""
        summary = next(iter(places))
        is_summary = as_object(first).get("type") == "user" and summary not in self.places and self._live
        if not is_summary or _SUMMARY not in text_of(first):
            return False
        ids = list(places)
        stays = max((n for n, id in enumerate(ids) if id in self.places), default=0)
        # What is new before a message that stayed belongs to the window that the compaction leaves.
        kept = tuple(ids[1 : stays + 1])
        for id in kept:
            self._put(id, places[id])
        self.order.append(Shortened(number, summary, kept))
        self.places[summary] = places[summary]
        return True

    def _rewind(self, id: str) -> None:
        ids = list(self._live)
        if id in self._live:
            self._drop(ids[ids.index(id) :], "was taken back by $rewindTo")
        else:
            self._drop(list(self.places), "was taken back by $rewindTo")

    def _drop(self, ids: list[str], why: str) -> None:
        gone = set(ids)
        for id in ids:
            self._live.pop(id, None)
            place = self.places.pop(id)
            if place.element < 0:
                self.tally.skip(place.type, why, place.number)
        if gone:
            self.order = [e for e in self.order if (e.summary if isinstance(e, Shortened) else e) not in gone]


def _place(record: Record, message: Any, element: int = -1) -> Place:
    type_ = as_text(as_object(message).get("type"))[:60] or "message"
    return Place(record.number, record.start, record.length, type_, element)
