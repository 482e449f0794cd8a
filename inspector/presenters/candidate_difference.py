"""What one candidate keeps that another one drops: frames, probes, and tokens by role."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from inspector.compare_view import CompareView
from inspector.presenters.differences import ROLES, MoveLine, RoleLine, move_line, role_lines
from inspector.presenters.lanes import Run
from inspector.presenters.probes import TITLE
from inspector.presenters.shown import text
from sessions_app import engine
from sessions_app.compression.comparison import Result
from sessions_app.compression.measures import Entity, Probe, entities_of

SAYS: Final = {"kept": 3, "edited": 2, "summarised": 1, "dropped": 0}
"""How much a window says of a frame: from nothing to all of it."""

NAMED: Final = ("path", "error", "command", "constraint", "url")
"""Classes of what a window names that are told one by one."""
LONG: Final = ("error", "command", "constraint")
OF_A_CLASS: Final = 8
LONGEST: Final = 120


@dataclass(frozen=True, slots=True)
class Other:
    """Another candidate to tell the difference from."""

    number: int
    name: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class NamedLine:
    """What is named of one class, of which `more` are left out. `is_long`: sentences, a line each."""

    kind: str
    texts: tuple[str, ...]
    more: int
    is_long: bool


@dataclass(frozen=True, slots=True)
class CandidateDifference:
    """`more`, `less`: frames of which this candidate says more than the other one, and less. `only_here`,
    `only_there`: probes that one of them alone still holds, `named_…`: what else it alone names. `roles`: tokens in
    this one and in the other one.
    """

    other: Other
    more: tuple[MoveLine, ...]
    less: tuple[MoveLine, ...]
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    named_here: tuple[NamedLine, ...]
    named_there: tuple[NamedLine, ...]
    roles: tuple[RoleLine, ...]
    close: str


def difference_of(
    here: Result, there: Result, other: Other, probes: Sequence[Probe], view: CompareView
) -> CandidateDifference:
    assert here.window is not None and there.window is not None  # only such can be chosen
    moves = _moves(there.fates, here.fates)
    said = [text(probe.text, limit=TITLE) for probe in probes]
    looked_for = list(zip(said, here.found, there.found, strict=True))
    named, named_there = _entities(here.window), _entities(there.window)
    return CandidateDifference(
        other=other,
        more=tuple(move_line(m, view) for m in moves if SAYS[m.fate_after] > SAYS[m.fate_before]),
        less=tuple(move_line(m, view) for m in moves if SAYS[m.fate_after] < SAYS[m.fate_before]),
        only_here=tuple(dict.fromkeys(probe for probe, ours, theirs in looked_for if ours and not theirs)),
        only_there=tuple(dict.fromkeys(probe for probe, ours, theirs in looked_for if theirs and not ours)),
        named_here=_named(named - named_there),
        named_there=_named(named_there - named),
        roles=role_lines(_tokens_by_role(here.window), _tokens_by_role(there.window)),
        close=view.url(against=None),
    )


def _moves(there: Sequence[Run], here: Sequence[Run]) -> list[engine.reads.Move]:
    """Frames whose fate is another one, those that fare alike together."""
    found: dict[tuple[engine.Fate, engine.Fate], list[tuple[int, int]]] = defaultdict(list)
    for first, last, before, after in _side_by_side(there, here):
        if before != after:
            found[before, after].append((first, last))
    moves = [
        engine.reads.Move(before, after, engine.Seqs.union(engine.Seqs((run,)) for run in runs), _count(runs))
        for (before, after), runs in found.items()
    ]
    return sorted(moves, key=lambda move: move.seqs.first)


def _side_by_side(there: Sequence[Run], here: Sequence[Run]) -> Iterator[tuple[int, int, engine.Fate, engine.Fate]]:
    """Both begin at frame 1 and end at the same one: runs in which neither changes."""
    first, i, j = 1, 0, 0
    while i < len(there) and j < len(here):
        last = min(there[i][1], here[j][1])
        yield first, last, there[i][2], here[j][2]
        i, j = i + (there[i][1] == last), j + (here[j][1] == last)
        first = last + 1


def _entities(window: engine.Window) -> set[Entity]:
    named: set[Entity] = set()
    for item in window:
        named |= entities_of(item)
    return named


def _named(entities: Iterable[Entity]) -> tuple[NamedLine, ...]:
    words = {
        "path": _("paths"),
        "error": _("errors"),
        "command": _("commands"),
        "constraint": _("constraints"),
        "url": _("URLs"),
    }
    by_class: dict[str, list[str]] = {kind: [] for kind in NAMED}
    for kind, said in sorted(entities):
        if kind in by_class:
            by_class[kind].append(text(said, limit=LONGEST))
    return tuple(
        NamedLine(words[kind], tuple(found[:OF_A_CLASS]), max(0, len(found) - OF_A_CLASS), kind in LONG)
        for kind, found in by_class.items()
        if found
    )


def _count(runs: Sequence[tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in runs)


def _tokens_by_role(window: engine.Window) -> dict[str, int]:
    """Summaries by themselves, as between two versions."""
    tokens = dict.fromkeys(ROLES, 0)
    for item in window:
        tokens["summary" if item.kind == "summary" else item.role] += item.tokens
    return tokens
