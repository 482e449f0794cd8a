"""The table of a replay as people read it: short numbers, `-` where there was nothing to measure."""

import re
from collections.abc import Callable
from typing import Any, Final

from sessions_app.compression.replay import Replay, Run
from sessions_app.management.printable import printable

Cells = tuple[str, ...]

_MARKUP: Final = re.compile(r"[\\|`*<>\[\]#]|(?<![^\W_])_|_(?![^\W_])")


def text_table(replay: Replay) -> str:
    table = _cells(replay)
    widths = [max(len(cells[n]) for cells in table) for n in range(len(HEADINGS))]
    lines = [
        "  ".join(
            cell.rjust(width) if n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        for cells in table
    ]
    return "\n".join([*map(str.rstrip, lines), *(f"{who}: {why}" for who, why in _notes(replay))])


def markdown_table(replay: Replay) -> str:
    heading, *runs = _cells(replay)
    rule = ("---", *("---:" for _ in heading[1:]))
    lines = [f"| {' | '.join(map(escaped, cells))} |" for cells in (heading, *runs)]
    lines.insert(1, f"| {' | '.join(rule)} |")
    return "\n".join([*lines, *(f"\n{escaped(who)}: {escaped(why)}" for who, why in _notes(replay))])


def escaped(text: str) -> str:
    """As plain text in Markdown, in a table too. A `_` within a word means nothing there."""
    return _MARKUP.sub(r"\\\g<0>", text)


def label(run: Run) -> str:
    """The strategy, with those of its parameters that are not the defaults."""
    params: dict[str, Any] = {}
    if run.choice is not None:
        params = run.choice.params.model_dump(mode="json", exclude_defaults=True)
    return printable(" ".join([run.name, *(f"{name}={value}" for name, value in params.items())]))


def short(number: float | None) -> str:
    """`1,234`, `56.8k`, `1.23M`."""
    if number is None:
        return "-"
    if number >= 999_500:
        return f"{number / 1_000_000:,.2f}M"
    return f"{number / 1000:,.1f}k" if number >= 9_999.5 else f"{number:,.0f}"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _of(share: float | None, n: int) -> str:
    return "-" if share is None else f"{share:.0%} of {short(n)}"


def _decimal(number: float | None, places: int) -> str:
    return "-" if number is None else f"{number:,.{places}f}"


HEADINGS: Final[dict[str, Callable[[Run], str]]] = {
    "strategy": label,
    "broken": lambda run: str(run.totals.broken),
    "over limit": lambda run: f"{run.totals.over_limit:,} of {run.totals.calls:,}",
    "compressed": lambda run: f"{run.totals.compressions:,}",
    "runway": lambda run: _decimal(run.totals.runway, 1),
    "peak": lambda run: short(run.totals.peak),
    "input": lambda run: short(run.totals.input_tokens),
    "cached": lambda run: _share(run.totals.cache_hit),
    "cost": lambda run: _decimal(run.totals.relative_cost, 2),
    "need kept": lambda run: _of(run.totals.need_kept, run.totals.need),
    "far need": lambda run: _of(run.totals.far_need_kept, run.totals.far_need),
    "regret": lambda run: short(run.totals.regret_tokens),
    "front": lambda run: "yes" if run.is_pareto else "",
}
"""Hard gates first. The cost is that without compression times the number; `front`: no other
that stays under the limit costs less and keeps more far need.
"""


def _cells(replay: Replay) -> list[Cells]:
    return [tuple(HEADINGS), *map(_row, (replay.baseline, *replay.runs))]


def _row(run: Run) -> Cells:
    """One that was not run has a name and no figures: they would be those without compression."""
    if run.unavailable:
        return (label(run), *("-" for _ in range(len(HEADINGS) - 1)))
    return tuple(cell(run) for cell in HEADINGS.values())


def _notes(replay: Replay) -> list[tuple[str, str]]:
    """What is to be said of a run beside its numbers."""
    said = [(label(run), printable(run.unavailable or run.why)) for run in replay.runs]
    return [(who, why) for who, why in said if why]
