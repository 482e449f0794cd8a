"""All measures and probes of all candidates: a line each, a column for each candidate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from inspector.presenters.measured import RETENTION, Figure, figure_of, help_of, in_order, label_of, share_of_all
from inspector.presenters.probes import SHOWN, TITLE, source_word
from inspector.presenters.shown import text
from inspector.slots import Slot
from sessions_app.compression.comparison import Comparison, Result


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """`is_of_all`: of all that the session names of a class, and not of what was touched alone."""

    label: str
    help: str
    figures: tuple[Figure, ...]
    is_of_all: bool = False


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
    names = in_order({name for result, _s in shown for name in result.measures})
    return MeasureTable(
        columns=tuple((slot.number, slot.name) for _r, slot in shown),
        measures=tuple(
            line
            for name in names
            for line in _lines(name, [result for result, _s in shown], tokens=comparison.base.tokens)
        ),
        probes=tuple(
            ProbeLine(
                text(" ".join(probe.text.split()), limit=2 * SHOWN),
                text(probe.text, limit=TITLE),
                source_word(probe),
                tuple(result.found[i] for result, _s in shown),
            )
            for i, probe in enumerate(comparison.probes)
        ),
    )


def _lines(name: str, results: Sequence[Result], *, tokens: int) -> Iterator[MeasureLine]:
    yield MeasureLine(label_of(name), help_of(name), tuple(figure_of(name, r, tokens=tokens) for r in results))
    if name.startswith(RETENTION):
        kind = name.removeprefix(RETENTION)
        of_all = tuple(share_of_all(kind, r.naming.get(kind)) for r in results)
        yield MeasureLine(_("of all, still named"), "", of_all, is_of_all=True)
