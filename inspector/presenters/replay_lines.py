"""The runs of a replay as the charts and the table tell them: their numbers, names, figures and compressions."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from inspector.presenters.shown import short_number
from sessions_app.compression.replay import Event, Replay, Run

NONE: Final = 0
"""The number of the run without compression; those of the strategies begin at 1."""
_NAME: Final = 24


@dataclass(frozen=True, slots=True)
class Line:
    """A run and its number, which is that of its slot, its colour, its dashes and its shape."""

    number: int
    run: Run

    @property
    def name(self) -> str:
        return pgettext("no compression", "none") if self.number == NONE else self.run.name

    @property
    def label(self) -> str:
        """Short enough for a chart, and never that of another line: two may be of one strategy."""
        if self.number == NONE:
            return self.name
        name = self.run.name if len(self.run.name) <= _NAME else self.run.name[: _NAME - 1] + "…"
        return f"{self.number} {name}"

    @property
    def values(self) -> list[int]:
        """The tokens of each call's input."""
        return [tokens for _seq, tokens in self.run.series]

    @property
    def told(self) -> str:
        """Its course in a sentence, for those who do not see it."""
        totals, values = self.run.totals, self.values
        told = [
            self.label,
            _("peak %(n)s tokens") % {"n": short_number(totals.peak)},
            _("%(n)s at the last call") % {"n": short_number(values[-1] if values else 0)},
        ]
        if self.number != NONE:
            n = totals.compressions
            told.append(ngettext("%(n)s compression", "%(n)s compressions", n) % {"n": n})
            told.append(_("cost %(cost)s") % {"cost": times(totals.relative_cost)})
        return ", ".join(told)

    @property
    def params(self) -> str:
        """Its parameters as one short line: `protect_rounds 3 · max_tokens 2000`."""
        given = self.run.choice.params_json if self.run.choice else {}
        return " · ".join(f"{name} {_said(value)}" for name, value in given.items() if value not in ([], "", None))


def lines_of(replay: Replay) -> tuple[Line, ...]:
    """The run without compression first: it lies under the others."""
    return (Line(NONE, replay.baseline), *(Line(n, run) for n, run in enumerate(replay.runs, start=1)))


def times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f}×"


def share(part: float | None) -> str:
    """Never 100 % where something is missing."""
    if part is None:
        return "–"
    return f"{min(round(100 * part), 99) if part < 1 else 100} %"


def event_told(event: Event) -> str:
    """What happened, without where."""
    sizes = f"{short_number(event.before)} → {short_number(event.after)}"
    if not event.broken:
        return sizes
    rules = ", ".join(map(str, event.broken))
    return ngettext(
        "%(sizes)s, not used: it would break rule %(rules)s",
        "%(sizes)s, not used: it would break the rules %(rules)s",
        len(event.broken),
    ) % {"sizes": sizes, "rules": rules}


def events_told(label: str, events: list[Event]) -> str:
    """What a mark stands for: one compression, or some that lie close together."""
    first, last = events[0], events[-1]
    if len(events) == 1:
        return _("%(name)s at frame %(n)s: %(what)s") % {"name": label, "n": first.seq, "what": event_told(first)}
    return ngettext(
        "%(name)s, %(n)s compression from frame %(a)s to %(b)s, the first %(what)s",
        "%(name)s, %(n)s compressions from frame %(a)s to %(b)s, the first %(what)s",
        len(events),
    ) % {"name": label, "n": len(events), "a": first.seq, "b": last.seq, "what": event_told(first)}


def _said(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    said = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return said if len(said) <= 60 else said[:59] + "…"
