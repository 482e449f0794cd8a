"""The table of a replay: what each strategy would have cost and kept, figure by figure, and no score over all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.replay_lines import NONE, Line, event_told, share, times
from inspector.presenters.shown import Number, text
from inspector.wording import in_words
from sessions_app.compression.replay import Run, Totals

MOST_EVENTS: Final = 200
"""Compressions of a strategy that the page lists; files hold all."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`note`: n, of a share. `is_best`: no other strategy has a better one, and one has a worse."""

    text: str
    title: str = ""
    note: str = ""
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class EventLink:
    seq: int
    href: str
    told: str


@dataclass(frozen=True, slots=True)
class Row:
    """`stand_in`: why another strategy stood in; `unavailable`: why it was not run. `events_told`: how often it
    compressed; `more`: how many of these are not listed.
    """

    number: int
    name: str
    params: str
    gates: str
    is_broken: bool
    stand_in: str
    unavailable: str
    cells: tuple[Cell, ...]
    events_told: str
    events: tuple[EventLink, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Column:
    """`better`: 1 where more is better, -1 where less is, 0 where neither."""

    title: str
    explained: str
    better: int
    value: Callable[[Totals], float | None]
    cell: Callable[[Totals], Cell]


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def replay_table(lines: Sequence[Line], *, frame_url: Callable[[int], str]) -> Table:
    """The strategies in their order, then the recording without compression."""
    columns = _columns()
    runs = [line.run for line in lines if line.number != NONE and not line.run.unavailable]
    best = [_best(column, runs) for column in columns]
    ordered = sorted(lines, key=lambda line: (line.number == NONE, line.number))
    return Table(columns, tuple(_row(line, columns, best, frame_url) for line in ordered))


def _best(column: Column, runs: Sequence[Run]) -> float | None:
    """None where all are alike, or less than two can be told apart."""
    values = [value for run in runs if (value := column.value(run.totals)) is not None]
    if not column.better or len(set(values)) < 2:
        return None
    return max(values) if column.better > 0 else min(values)


def _row(line: Line, columns: Sequence[Column], best: Sequence[float | None], frame_url: Callable[[int], str]) -> Row:
    run, can_win = line.run, line.number != NONE and not line.run.unavailable
    cells = []
    for column, value in zip(columns, best, strict=True):
        cell = column.cell(run.totals)
        is_best = can_win and value is not None and column.value(run.totals) == value
        cells.append(Cell(cell.text, cell.title, cell.note, is_best))
    events = run.compressions[:MOST_EVENTS]
    return Row(
        number=line.number,
        name=line.name,
        params=text(line.params, limit=200),
        gates=_gates(run),
        is_broken=bool(run.totals.broken),
        stand_in=text(in_words(run.stand_in), limit=400),
        unavailable=text(in_words(run.unavailable), limit=400),
        cells=tuple(cells),
        events_told=_times_told(run.totals.compressions),
        events=tuple(EventLink(e.seq, frame_url(e.seq), event_told(e)) for e in events),
        more=len(run.compressions) - len(events),
    )


def _times_told(n: int) -> str:
    return ngettext("%(n)s compression", "%(n)s compressions", n) % {"n": n} if n else _("never compressed")


def _gates(run: Run) -> str:
    if run.choice is None:
        return "–"
    n = run.totals.broken
    if not n:
        return _("all held")
    rules = ", ".join(map(str, sorted({rule for event in run.compressions for rule in event.broken})))
    return ngettext("broken %(n)s time: rule %(rules)s", "broken %(n)s times: rule %(rules)s", n) % {
        "n": n,
        "rules": rules,
    }


def _columns() -> tuple[Column, ...]:
    return (
        Column(
            _("input"),
            _("Tokens that were sent, over all calls"),
            -1,
            lambda t: t.input_tokens,
            lambda t: _number(t.input_tokens),
        ),
        Column(_("peak"), _("Tokens of the largest window"), -1, lambda t: t.peak, lambda t: _number(t.peak)),
        Column(
            _("over limit"),
            _("Calls whose input was over the limit"),
            -1,
            lambda t: t.over_limit,
            lambda t: _number(t.over_limit),
        ),
        Column(
            _("compressions"),
            _("How often the window was compressed"),
            0,
            lambda t: t.compressions,
            lambda t: _number(t.compressions),
        ),
        Column(
            _("runway"),
            _("Calls between two compressions, on average"),
            1,
            lambda t: t.runway,
            lambda t: Cell(
                "–" if t.runway is None else f"{t.runway:.0f}", "" if t.runway is None else f"{t.runway:,.2f}"
            ),
        ),
        Column(
            _("cache hit"),
            _("Share of the input that the cache held"),
            1,
            lambda t: t.cache_hit,
            lambda t: Cell(share(t.cache_hit), _("%(n)s tokens") % {"n": f"{t.cached_tokens:,}"}),
        ),
        Column(
            _("cost"),
            _("For these prices, against no compression"),
            -1,
            lambda t: t.cost,
            lambda t: Cell(
                times(t.relative_cost), _("as much as %(n)s tokens of plain input") % {"n": f"{t.cost:,.0f}"}
            ),
        ),
        Column(
            _("need kept"),
            _("Of what the agent used next, the share that the window still told"),
            1,
            lambda t: t.need_kept,
            lambda t: _share(t.need_kept, t.need),
        ),
        Column(
            _("far need"),
            _("The same, of what was last seen more than 10 rounds before"),
            1,
            lambda t: t.far_need_kept,
            lambda t: _share(t.far_need_kept, t.far_need),
        ),
        Column(
            _("regret"),
            _("Tokens of the frames that would have had to be fetched again"),
            -1,
            lambda t: t.regret_tokens,
            lambda t: _number(t.regret_tokens),
        ),
    )


def _number(value: int) -> Cell:
    number = Number.of(value)
    return Cell(number.short, number.exact)


def _share(part: float | None, n: int) -> Cell:
    return Cell(share(part), "" if part is None else f"{100 * part:.2f} %", f"n = {n:,}")
