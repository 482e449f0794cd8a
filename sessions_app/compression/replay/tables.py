"""A replay as a table: a row for each run, the one without compression first, in plain values."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from sessions_app.compression.replay.values import Replay, Run

Value = str | int | float | bool | None

NOTHING: Final[Mapping[str, Value]] = MappingProxyType({})

_STEERS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula."""


@dataclass(frozen=True, slots=True)
class Column:
    """`name`: that of the JSON member; `of`: its value for a run, in full precision."""

    name: str
    of: Callable[[Run], Value]


def _total(name: str) -> Column:
    """What a strategy that was not run would have: nothing, and not the figures of a run without compression."""
    return Column(name, lambda run: None if run.unavailable else getattr(run.totals, name))


COLUMNS: Final = (
    Column("strategy", lambda run: run.name),
    Column("params", lambda run: params_text({} if run.choice is None else run.choice.params_json)),
    Column("outcome", lambda run: "unavailable" if run.unavailable else "ok"),
    *map(
        _total,
        (
            "broken",
            "over_limit",
            "calls",
            "compressions",
            "passed_over",
            "runway",
            "peak",
            "input_tokens",
            "cached_tokens",
            "cache_hit",
            "output_tokens",
            "summary_tokens",
            "cost",
            "relative_cost",
            "need_kept",
            "need",
            "far_need_kept",
            "far_need",
            "regret_tokens",
        ),
    ),
    Column("pareto", lambda run: None if run.unavailable else run.is_pareto),
    Column("stand_in", lambda run: run.stand_in or None),
    Column("why", lambda run: run.unavailable or run.why or None),
)
"""Hard gates first: what broke a rule, and what went over the limit."""

columns: Final = tuple(column.name for column in COLUMNS)


def rows(replay: Replay) -> list[tuple[Value, ...]]:
    """In the order of `columns`. None where there was nothing to measure."""
    return [row_of(run) for run in (replay.baseline, *replay.runs)]


def row_of(run: Run) -> tuple[Value, ...]:
    return tuple(column.of(run) for column in COLUMNS)


def replay_csv(replay: Replay, *, before: Mapping[str, Value] = NOTHING, with_header: bool = True) -> str:
    """The table as CSV in full precision, a line for each run; what was not measured is an empty cell.

    `before`: columns that stand before the others, with the same value in each line. A text that a spreadsheet would
    take for a formula has an apostrophe before it.
    """
    out = io.StringIO()
    writer = csv.writer(out)  # its lines end with CRLF (RFC 4180): so a bare CR in a title is quoted, too
    if with_header:
        writer.writerow((*before, *columns))
    writer.writerows(_cells((*before.values(), *row)) for row in rows(replay))
    return out.getvalue()


def params_text(params: Mapping[str, object]) -> str:
    return json.dumps(params, ensure_ascii=False, separators=(",", ":"))


def _cells(values: Sequence[Value]) -> list[str]:
    return [_cell(value) for value in values]


def _cell(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{value}" if value.startswith(_STEERS) else value
    return repr(value)
