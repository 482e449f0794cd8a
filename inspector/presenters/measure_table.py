"""All measures and probes of all candidates: a line each, a column for each candidate."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.presenters.measured import Figure, figure_of, help_of, in_order, label_of
from inspector.presenters.probes import SHOWN, TITLE, source_word
from inspector.presenters.shown import text
from inspector.slots import Slot
from sessions_app.compression.comparison import Comparison


@dataclass(frozen=True, slots=True)
class MeasureLine:
    label: str
    help: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class ProbeLine:
    text: str
    title: str
    source: str
    found: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """`columns`: (number, name) of the candidates that have a window."""

    columns: tuple[tuple[int, str], ...]
    measures: tuple[MeasureLine, ...]
    probes: tuple[ProbeLine, ...]


def measure_table(comparison: Comparison, slots: Sequence[Slot]) -> MeasureTable | None:
    """None where no candidate has a window."""
    shown = [(r, s) for r, s in zip(comparison.results, slots, strict=True) if r.window is not None]
    if not shown:
        return None
    names = in_order({name for result, _ in shown for name in result.measures})
    tokens = comparison.base.tokens
    return MeasureTable(
        columns=tuple((slot.number, slot.name) for _, slot in shown),
        measures=tuple(
            MeasureLine(
                label_of(name),
                help_of(name),
                tuple(figure_of(name, result.measures.get(name), tokens=tokens) for result, _ in shown),
            )
            for name in names
        ),
        probes=tuple(
            ProbeLine(
                text(" ".join(probe.text.split()), limit=2 * SHOWN),
                text(probe.text, limit=TITLE),
                source_word(probe),
                tuple(result.found[i] for result, _ in shown),
            )
            for i, probe in enumerate(comparison.probes)
        ),
    )
