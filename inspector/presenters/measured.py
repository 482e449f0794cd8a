"""Measures in words: what each is called, what it says, and what it was taken from."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from inspector.presenters.shown import Number
from sessions_app.compression.comparison import Result
from sessions_app.compression.measures import Measure

IN_FRONT: Final = ("retention_path", "retention_error", "user_text", "tail_fidelity", "fabrication", "cache")
"""What a row of the table shows; the second table shows all."""

RETENTION: Final = "retention_"

TOKENS: Final = ("cache",)
"""Measures in tokens. The others are shares."""

BARLESS: Final = ("fabrication",)
"""Less is better: a bar would say the contrary of the others' bars."""

WORDS: Final = {
    "retention_path": (
        gettext_lazy("paths kept"),
        gettext_lazy("Of the paths of frames that were touched, those that are still named."),
    ),
    "retention_url": (gettext_lazy("URLs kept"), ""),
    "retention_id": (gettext_lazy("ids kept"), ""),
    "retention_number": (gettext_lazy("numbers kept"), ""),
    "retention_error": (
        gettext_lazy("errors kept"),
        gettext_lazy("Of the lines of errors in frames that were touched, those that are still named."),
    ),
    "retention_identifier": (gettext_lazy("identifiers kept"), ""),
    "retention_version": (gettext_lazy("versions kept"), ""),
    "retention_command": (gettext_lazy("commands kept"), ""),
    "retention_quoted": (gettext_lazy("quoted strings kept"), ""),
    "retention_constraint": (gettext_lazy("constraints kept"), ""),
    "user_text": (gettext_lazy("user text"), gettext_lazy("What the user wrote, as far as it is still there.")),
    "tail_fidelity": (gettext_lazy("newest rounds"), gettext_lazy("Tokens of the newest rounds that stay verbatim.")),
    "fabrication": (
        gettext_lazy("made up"),
        gettext_lazy("Paths and numbers in summaries that no frame holds. Less is better."),
    ),
    "cache": (
        gettext_lazy("cache kept"),
        gettext_lazy("The beginning that is as before: a prompt cache keeps its tokens."),
    ),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """`share` is out of 100 and drawn as a bar; None where there is nothing to draw. `n`: how many things were looked
    at, in words.
    """

    name: str
    label: str
    text: str
    title: str
    share: int | None
    n: str
    is_bad: bool


def label_of(name: str) -> str:
    return str(WORDS[name][0]) if name in WORDS else name.replace("_", " ")


def help_of(name: str) -> str:
    return str(WORDS[name][1]) if name in WORDS else ""


def figures_in_front(result: Result, *, tokens: int) -> tuple[Figure, ...]:
    return tuple(figure_of(name, result, tokens=tokens) for name in IN_FRONT)


def figure_of(name: str, result: Result, *, tokens: int) -> Figure:
    """`tokens`: of the window before, of which a prompt cache keeps some."""
    label, measure = label_of(name), result.measures.get(name)
    if measure is None or measure.value is None:
        return _nothing(name, label, result)
    if name in TOKENS:
        kept, share = Number.of(round(measure.value)), measure.value / max(tokens, 1)
        n = ngettext("%(n)s token", "%(n)s tokens", round(measure.value))
        title = n % {"n": kept.exact}
        return Figure(name, label, _said(share), title, _per_cent(share), n % {"n": kept.short}, False)
    title = f"{measure.value:.4f}".rstrip("0").rstrip(".") + f", n = {measure.n:,}"
    drawn = None if name in BARLESS else _per_cent(measure.value)
    is_bad = name == "fabrication" and measure.value > 0
    return Figure(name, label, _said(measure.value), title, drawn, _whole(name, measure.n), is_bad)


def share_of_all(kind: str, measure: Measure | None) -> Figure:
    """Of all of a class that the session names, what the window still names."""
    name, label = f"naming_{kind}", _("of all")
    if measure is None or measure.value is None:
        return Figure(name, label, "–", _("There is nothing of the kind to look at."), None, "", False)
    title = f"{measure.value:.4f}".rstrip("0").rstrip(".") + f", n = {measure.n:,}"
    n = ngettext("of all %(n)s", "of all %(n)s", measure.n) % {"n": Number.of(measure.n).short}
    return Figure(name, label, _said(measure.value), title, _per_cent(measure.value), n, False)


def _nothing(name: str, label: str, result: Result) -> Figure:
    """Nothing was touched of what there is, or there is nothing of the kind at all."""
    there = result.naming.get(name.removeprefix(RETENTION))
    if name.startswith(RETENTION) and there is not None and there.n:
        return Figure(name, label, _("all"), _("All still stands word for word."), 100, "", False)
    return Figure(name, label, "–", _("There is nothing of the kind to look at."), None, "", False)


def _whole(name: str, n: int) -> str:
    """What a share is taken of."""
    short = Number.of(n).short
    if name.startswith(RETENTION):
        return ngettext("of %(n)s touched", "of %(n)s touched", n) % {"n": short}
    return ngettext("of %(n)s", "of %(n)s", n) % {"n": short}


def _said(share: float) -> str:
    return _("<1 %") if 0 < share < 0.005 else f"{_per_cent(share)} %"


def _per_cent(share: float) -> int:
    """Never 100 where something is missing, nor 0 where something is there."""
    rounded = round(100 * share)
    if share < 1 and rounded >= 100:
        return 99
    return 1 if share > 0 and rounded == 0 else rounded


def in_order(names: set[str]) -> list[str]:
    """Those that we know in the order of the table above, then the others."""
    known = [name for name in WORDS if name in names]
    return [*known, *sorted(names - set(known))]
