"""What became of every record of a file: used, or left out and why. Nothing is dropped without a word."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sessions_app.interchange.record_numbers import RecordNumbers

ORPHAN_REPLY = "orphan_reply"
"""A tool reply that matches no call: kept as a raw frame, in no window."""


@dataclass(slots=True)
class Skipped:
    """What was left out of the sessions, why, how often, and the first record (a line, or its number in its list)."""

    what: str
    why: str
    count: int
    first_line: int | None


@dataclass(slots=True)
class Tally:
    """Counts the records of one file, by their numbers from 1.

    A record is a line of a JSON Lines file, or an element of the list that holds a document's messages or events.
    Every record that was read ends in `used` or is named by `skip`: `unaccounted` is empty at the end.
    """

    read: RecordNumbers = field(default_factory=RecordNumbers)
    used: RecordNumbers = field(default_factory=RecordNumbers)
    _named: RecordNumbers = field(default_factory=RecordNumbers)
    _skipped: dict[tuple[str, str], Skipped] = field(default_factory=dict)

    def skip(self, what: str, why: str, record: int | None = None, *, count: int = 1) -> None:
        """`what`: the kind of record or part, in the format's own word. `why`: a clause that ends the sentence."""
        entry = self._skipped.setdefault((what, why), Skipped(what, why, 0, record))
        entry.count += count
        if record is not None:
            self._named.add(record)
            entry.first_line = record if entry.first_line is None else min(record, entry.first_line)

    def use(self, records: Iterable[int]) -> None:
        for record in records:
            self.used.add(record)

    @property
    def skipped(self) -> list[Skipped]:
        """In the order of the file; what has no place in it comes last."""
        return sorted(self._skipped.values(), key=lambda s: (s.first_line is None, s.first_line or 0))

    @property
    def unaccounted(self) -> set[int]:
        return set(self.read - self.used - self._named)
