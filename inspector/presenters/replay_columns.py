"""The columns of a replay's table: what each figure is called, what it means, and which way is better."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.replay_lines import share, times
from inspector.presenters.shown import Number
from sessions_app.compression.replay import Totals

DASH: Final = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """`note`: n, of a share. `is_best`: no other strategy shows a better one, and one shows a worse."""

    text: str
    title: str = ""
    note: str = ""
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """`better`: 1 where more is better, -1 where less is, 0 where neither."""

    title: str
    explained: str
    better: int
    value: Callable[[Totals], float | None]
    cell: Callable[[Totals], Cell]


def columns_of_table() -> tuple[Column, ...]:
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
            _("Calls between two compressions, on average; none where there were fewer than two"),
            1,
            lambda t: t.runway,
            lambda t: Cell(
                DASH if t.runway is None else f"{t.runway:.0f}", "" if t.runway is None else f"{t.runway:,.2f}"
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
            _("At these prices, against no compression: 0.50× is half; what the cache held is cheap, the rest is dear"),
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
            _("The same, of what was last seen more than 10 rounds before: what compression loses first"),
            1,
            lambda t: t.far_need_kept,
            lambda t: _share(t.far_need_kept, t.far_need),
        ),
        Column(
            _("regret"),
            _("Tokens of the frames that would have had to be fetched again, each once between two compressions"),
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
