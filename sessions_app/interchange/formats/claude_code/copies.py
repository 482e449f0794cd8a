"""Rows of a Claude Code file that were written again: by a compaction, or by going on with a session."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sessions_app.interchange.formats.claude_code.kinds import UNSEEN
from sessions_app.interchange.formats.claude_code.places import ROOT
from sessions_app.interchange.formats.claude_code.rows import Row, Rows
from sessions_app.interchange.tally import Tally

COMPACTING = ("summary", "boundary")


@dataclass(slots=True)
class Links:
    """`up[i]`: the row before row i, or ROOT. There is no circle. `copies`: rows that were written again, and the row
    that each repeats. `kept[i]`: the rows that the compaction at boundary i preserved.
    """

    up: list[int]
    copies: dict[int, int] = field(default_factory=dict)
    kept: dict[int, set[int]] = field(default_factory=dict)

    def place_of(self, row: Row) -> int:
        """The row that a row stands below; of one that was written again, the first."""
        return self.copies.get(self.up[row.index], self.up[row.index])

    def way_up(self, index: int) -> Iterator[int]:
        """The row itself and all above it."""
        seen: set[int] = set()
        while index != ROOT and index not in seen:
            seen.add(index)
            yield index
            index = self.up[index]


def pass_by_copies(rows: Rows, links: Links, tally: Tally) -> None:
    """A row that was written again says nothing new. What follows it follows the compaction that wrote it again, or
    else the first.
    """
    seen = _Seen({}, {}, {})
    for row in rows.rows:
        if row.kind == UNSEEN:
            continue
        found = seen.find(row, links)
        writer = _writer(row, rows.rows, links) if found else ROOT
        alike = (i for i, by_time in found if (writer > i or not by_time) and _say_the_same(rows, i, row))
        first = next(alike, None)
        if first is None:
            seen.add(row, links)
            continue
        links.up[row.index] = max(writer, first)
        links.copies[row.index] = first
        tally.skip(row.kind, "stands in the file before: it was written again", row.number)


@dataclass(slots=True)
class _Seen:
    """The first row of each name; of each time, content and place; and of each time and content."""

    by_name: dict[tuple[str, str, str], int]
    by_place: dict[tuple[str, str, str, int, int], int]
    by_time: dict[tuple[str, str, str, int], int]

    def find(self, row: Row, links: Links) -> list[tuple[int, bool]]:
        """The rows that this one may repeat, and whether only its time says so: one of another name, as those have
        that a compaction writes again.
        """
        place = links.place_of(row)
        found = [
            (self.by_name.get((row.lane, row.kind, row.uuid)), False),
            (self.by_place.get((row.lane, row.kind, row.time, row.mark, place)), False),
            (self.by_time.get((row.lane, row.kind, row.time, row.mark)), True),
        ]
        return [(i, by_time) for i, by_time in found if i is not None]

    def add(self, row: Row, links: Links) -> None:
        place = links.place_of(row)
        if row.uuid:
            self.by_name.setdefault((row.lane, row.kind, row.uuid), row.index)
        if row.time and place != ROOT:
            self.by_place.setdefault((row.lane, row.kind, row.time, row.mark, place), row.index)
        if row.time:
            self.by_time.setdefault((row.lane, row.kind, row.time, row.mark), row.index)


def _writer(row: Row, rows: list[Row], links: Links) -> int:
    """The compaction after which a message stands; ROOT: it follows another message."""
    above = above_in_sight(row.index, rows, links)
    is_compaction = above != ROOT and rows[above].kind in COMPACTING
    return above if is_compaction and row.kind in ("user", "assistant") else ROOT


def _say_the_same(rows: Rows, earlier: int, row: Row) -> bool:
    one, other = rows.rows[earlier], row
    if (one.kind, one.message_id) != (other.kind, other.message_id):
        return False
    before, again = rows.value(one), rows.value(other)
    return all(before.get(name) == again.get(name) for name in ("message", "attachment", "content"))


def above_in_sight(index: int, rows: list[Row], links: Links) -> int:
    """The nearest row above that is neither a copy nor out of the model's sight."""
    way = links.way_up(links.up[index])
    return next((i for i in way if rows[i].kind != UNSEEN and i not in links.copies), ROOT)
