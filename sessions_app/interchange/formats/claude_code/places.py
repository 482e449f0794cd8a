"""Where the rows of a Claude Code file stand, and which each follows by the word of the file."""

from bisect import bisect_left
from collections import defaultdict

from sessions_app.interchange.formats.claude_code.kinds import UNSEEN
from sessions_app.interchange.formats.claude_code.rows import Row

ROOT = -1


class Places:
    """`up[i]`: the row before row i, or ROOT."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self._in_lane: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._anywhere: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            if row.uuid:
                self._in_lane[row.lane, row.uuid].append(row.index)
                self._anywhere[row.uuid].append(row.index)
        self._linked = {r.lane for r in rows if r.parent != r.uuid and (r.lane, r.parent) in self._in_lane}
        self._newest: dict[str, int] = {}
        self._newest_of_session: dict[tuple[str, str], int] = {}
        self._callers: dict[tuple[str, str], int] = {}
        self.up = [self._above(row) for row in rows]

    def find(self, uuid: str, row: Row) -> int:
        """The row of that name that was written last before `row`, else the first one after it; else ROOT.

        An agent that took over its caller's history has rows of the same names: those of its own come first.
        """
        if not uuid:
            return ROOT
        for found in (self._in_lane.get((row.lane, uuid), ()), self._anywhere.get(uuid, ())):
            place = bisect_left(found, row.index)
            if place:
                return found[place - 1]
            if after := [i for i in found[:2] if i != row.index]:
                return after[0]
        return ROOT

    def _above(self, row: Row) -> int:
        """Asked once for each row, in the order of the file."""
        above = self._named(row)
        if row.kind != UNSEEN:
            self._newest[row.lane] = self._newest_of_session[row.lane, row.session] = row.index
            for call in row.calls:
                self._callers[row.lane, call] = row.index
        return above

    def _named(self, row: Row) -> int:
        parent = self.find(row.parent, row)
        if row.kind == "boundary":
            logical = self.find(row.logical_parent, row)
            return next((i for i in (logical, parent) if i != ROOT), self._last(row))
        if parent != ROOT:
            return self._within_lane(row, parent)
        if row.kind == "summary" or not self._may_begin(row):
            return self._last(row)
        for call in row.answers if row.parent else ():
            if (row.lane, call) in self._callers:
                return self._callers[row.lane, call]
        last = self._last(row)
        # A line between the two that cannot be read is taken for the missing parent: only that line is lost.
        is_lost = row.parent and last != ROOT and row.follows_damage > self._rows[last].number
        return last if is_lost else ROOT

    def _last(self, row: Row) -> int:
        """The message that was written last before this row, in its conversation."""
        if not row.session:
            return self._newest.get(row.lane, ROOT)
        unnamed = self._newest_of_session.get((row.lane, ""), ROOT)
        return max(unnamed, self._newest_of_session.get((row.lane, row.session), ROOT))

    def _may_begin(self, row: Row) -> bool:
        """Whether a row without a parent begins something. Files that link no rows are in the order of the file."""
        is_unnamed_side_chain = row.is_sidechain and not row.agent
        return row.is_linked and (is_unnamed_side_chain or row.lane in self._linked)

    def _within_lane(self, row: Row, parent: int) -> int:
        """A side chain begins where it leaves the conversation. The conversation goes on past one that was written
        in between.
        """
        if self._rows[parent].lane == row.lane:
            return parent
        if row.is_sidechain:
            return ROOT
        seen = {row.index}
        while parent != ROOT and parent not in seen and self._rows[parent].lane != row.lane:
            seen.add(parent)
            parent = self.find(self._rows[parent].parent, self._rows[parent])
        return parent if parent != ROOT and parent not in seen else self._last(row)
