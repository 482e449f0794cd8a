"""The table of a replay: what each strategy would have cost and kept, figure by figure, and no score over all."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.replay_columns import DASH, Cell, Column, columns_of_table
from inspector.presenters.replay_lines import NONE, Line, event_told
from inspector.presenters.shown import text
from inspector.wording import in_words
from sessions_app.compression.replay import Run

MOST_EVENTS: Final = 200
"""Compressions of a strategy that the page lists; files hold all."""
_SAID: Final = re.compile(
    r"No model is (asked here: a digest stands in for its summary|set up: the summary is a digest)\."
)
"""What the mark of a stand-in tells already."""


@dataclass(frozen=True, slots=True)
class EventLink:
    seq: int
    href: str
    told: str


@dataclass(frozen=True, slots=True)
class Row:
    """`stand_in`: says that another strategy stood in. `notes`: what is to be said of it besides. `name_parts`: the
    name, cut where a narrow column may break it. `events_told`: how often it compressed; `more`: how many of these are
    not listed.
    """

    number: int
    name: str
    name_parts: tuple[str, ...]
    params: str
    gates: str
    is_broken: bool
    stand_in: str
    is_unavailable: bool
    notes: tuple[str, ...]
    cells: tuple[Cell, ...]
    events_told: str
    events: tuple[EventLink, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    gates_explained: str


def replay_table(lines: Sequence[Line], *, frame_url: Callable[[int], str]) -> Table:
    """The strategies in their order, then the recording without compression."""
    columns = columns_of_table()
    runs = [line.run for line in lines if line.number != NONE and not line.run.unavailable]
    best = [_best(column, runs) for column in columns]
    ordered = sorted(lines, key=lambda line: (line.number == NONE, line.number))
    rows = tuple(_row(line, columns, best, frame_url) for line in ordered)
    explained = _("Whether each window that was made kept the rules; one that breaks a rule is not used")
    return Table(columns, rows, explained)


def _best(column: Column, runs: Sequence[Run]) -> str:
    """As it is shown: what looks equal is equally good. Empty where all are alike, or none was measured."""
    found = [(value, column.cell(run.totals).text) for run in runs if (value := column.value(run.totals)) is not None]
    if not column.better or len({shown for _value, shown in found}) < 2:
        return ""
    return max(found)[1] if column.better > 0 else min(found)[1]


def _row(line: Line, columns: Sequence[Column], best: Sequence[str], frame_url: Callable[[int], str]) -> Row:
    run, can_win = line.run, line.number != NONE and not line.run.unavailable
    cells = []
    for column, shown in zip(columns, best, strict=True):
        # The figures of one that was not run are those without compression.
        cell = Cell(DASH) if run.unavailable else column.cell(run.totals)
        cells.append(replace(cell, is_best=can_win and cell.text == shown))
    events = run.compressions[:MOST_EVENTS]
    return Row(
        number=line.number,
        name=line.name,
        name_parts=tuple(re.findall(r"[^_]*_*", line.name)),
        params=text(line.params, limit=200),
        gates=_gates(run),
        is_broken=bool(run.totals.broken),
        stand_in=_stand_in(run),
        is_unavailable=bool(run.unavailable),
        notes=_notes(run),
        cells=tuple(cells),
        events_told=_("not run") if run.unavailable else _times_told(run.totals.compressions),
        events=tuple(EventLink(e.seq, frame_url(e.seq), event_told(e)) for e in events),
        more=len(run.compressions) - len(events),
    )


def _times_told(n: int) -> str:
    return ngettext("%(n)s compression", "%(n)s compressions", n) % {"n": n} if n else _("never compressed")


def _stand_in(run: Run) -> str:
    if run.stand_in in ("", "digest"):
        return _("a digest stands in") if run.stand_in else ""
    return _("%(name)s stands in") % {"name": text(run.stand_in, limit=100)}


def _notes(run: Run) -> tuple[str, ...]:
    """Why it was not run; else what was done where another stood in, and what is not real of its figures."""
    if run.unavailable:
        return (_("not run: %(why)s") % {"why": text(in_words(run.unavailable), limit=400)},)
    done = _SAID.sub("", run.why).strip() if run.stand_in else ""
    notes = [text(in_words(done), limit=400)] if done else []
    if n := run.totals.over_limit:
        told = ngettext(
            "%(n)s of %(calls)s calls over the limit would have been refused; its cost is not real.",
            "%(n)s of %(calls)s calls over the limit would have been refused; their cost is not real.",
            n,
        )
        notes.append(told % {"n": f"{n:,}", "calls": f"{run.totals.calls:,}"})
    if n := run.totals.passed_over:
        told = ngettext(
            "It hardly gets below the trigger: at %(n)s call it was due and not run.",
            "It hardly gets below the trigger: at %(n)s calls it was due and not run.",
            n,
        )
        notes.append(told % {"n": f"{n:,}"})
    return tuple(notes)


def _gates(run: Run) -> str:
    if run.choice is None or run.unavailable:
        return DASH
    n = run.totals.broken
    if not n:
        return _("all held")
    rules = ", ".join(map(str, sorted({rule for event in run.compressions for rule in event.broken})))
    return ngettext("broken %(n)s time: rule %(rules)s", "broken %(n)s times: rule %(rules)s", n) % {
        "n": n,
        "rules": rules,
    }
