"""Which row of a Claude Code file follows which, where the word of the file is not the whole truth: rows that were
written again, compactions, circles.
"""

from collections import defaultdict

from sessions_app.interchange.formats.claude_code.compactions import NOTHING, Preserved
from sessions_app.interchange.formats.claude_code.copies import COMPACTING, Links, above_in_sight, pass_by_copies
from sessions_app.interchange.formats.claude_code.kinds import UNSEEN
from sessions_app.interchange.formats.claude_code.places import ROOT, Places
from sessions_app.interchange.formats.claude_code.rows import Row, Rows
from sessions_app.interchange.tally import Tally


def link(rows: Rows, tally: Tally) -> Links:
    places = Places(rows.rows)
    links = Links(places.up)
    pass_by_copies(rows, links, tally)
    for row in rows.rows:
        if row.kind == "boundary" and row.index not in links.copies:
            links.kept[row.index] = _place_preserved(row, rows, places, links)
    for again, first in links.copies.items():
        if (boundary := _boundary_of(again, rows.rows, links)) != ROOT:
            links.kept[boundary].add(first)
    _follow_the_compactions(rows.rows, links)
    _cut_circles(links.up)
    _leave_out_stray_notices(rows.rows, links, tally)
    return links


def _place_preserved(boundary: Row, rows: Rows, places: Places, links: Links) -> set[int]:
    """What a compaction kept. It stands before the compaction, even where it was written after it only."""
    said = rows.preserved.get(boundary.index, NOTHING)
    kept = {i for uuid in said.uuids if (i := places.find(uuid, boundary)) != ROOT}
    end = places.find(said.tail, boundary)
    moved = _written_after(boundary, end if end > boundary.index else links.up[boundary.index], rows.rows, links)
    if moved:
        above = links.up[moved[0]]
        if above == ROOT or rows.rows[above].kind in COMPACTING:
            links.up[moved[0]] = _place_for(moved[0], boundary, said, rows.rows, places)
        links.up[boundary.index] = moved[-1]
    if end != ROOT:
        kept |= _stretch(end, places.find(said.head, boundary), links)
    return kept | set(moved)


def _written_after(boundary: Row, end: int, rows: list[Row], links: Links) -> list[int]:
    """The rows down to `end` that stand after the boundary although they come before it, in their order."""
    moved: list[int] = []
    for i in links.way_up(end):
        if i <= boundary.index or rows[i].kind in COMPACTING:
            break
        moved.append(i)
    return moved[::-1]


def _place_for(moved: int, boundary: Row, said: Preserved, rows: list[Row], places: Places) -> int:
    """After the row that was kept before it, else after what was written last before the boundary."""
    kept = said.uuids[: said.uuids.index(rows[moved].uuid)] if rows[moved].uuid in said.uuids else ()
    named = (places.find(uuid, boundary) for uuid in reversed(kept))
    last = (r.index for r in reversed(rows[: boundary.index]) if r.lane == boundary.lane and r.kind != UNSEEN)
    return next((i for i in named if ROOT < i < boundary.index), next(last, ROOT))


def _stretch(tail: int, head: int, links: Links) -> set[int]:
    """The rows from head to tail; none where the way up from the tail does not lead to the head."""
    stretch: set[int] = set()
    for i in links.way_up(tail):
        stretch.add(i)
        if i == head:
            return stretch
    return set()


def _boundary_of(copy: int, rows: list[Row], links: Links) -> int:
    """The boundary after which a row was written again; ROOT for any other copy."""
    above = links.up[copy]
    if above == links.copies[copy]:
        return ROOT
    if rows[above].kind == "summary":
        above = above_in_sight(above, rows, links)
    return above if above in links.kept else ROOT


def _follow_the_compactions(rows: list[Row], links: Links) -> None:
    """A row that follows a preserved one and was written after the compaction follows the compaction."""
    summaries: dict[int, int] = {}
    for row in rows:
        if row.kind == "summary" and (above := above_in_sight(row.index, rows, links)) in links.kept:
            summaries.setdefault(above, row.index)
    keepers: dict[int, list[int]] = defaultdict(list)
    for boundary, kept in links.kept.items():
        for i in kept:
            keepers[i].append(boundary)
    for row in rows:
        if row.index in links.copies:
            continue
        later = [b for b in keepers.get(links.up[row.index], ()) if b < row.index and row.index not in links.kept[b]]
        if later and (follows := summaries.get(later[-1], later[-1])) != row.index:
            links.up[row.index] = follows


def _cut_circles(up: list[int]) -> None:
    """Rows that follow each other in a circle: the one written first begins."""
    done: set[int] = set()
    for start in range(len(up)):
        way: dict[int, None] = {}
        i = start
        while i != ROOT and i not in done and i not in way:
            way[i] = None
            i = up[i]
        if i in way:
            circle = list(way)[list(way).index(i) :]
            up[min(circle)] = ROOT
        done.update(way)


def _leave_out_stray_notices(rows: list[Row], links: Links, tally: Tally) -> None:
    """What a command printed before anything was said is no conversation."""
    followed = set(links.up)
    for row in rows:
        if row.is_notice and row.kind == "user" and links.up[row.index] == ROOT and row.index not in followed:
            row.kind = UNSEEN
            tally.skip("system/local_command", "stands by itself, in no conversation", row.number)
