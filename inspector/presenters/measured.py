"""Measures in words: what each is called, what it says, and what it was taken from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from inspector.presenters.shown import Number
from sessions_app.compression.measures import Measure

IN_FRONT: Final = ("retention_path", "retention_error", "user_text", "tail_fidelity", "fabrication", "cache")
"""What a row of the table shows; the second table shows all."""

TOKENS: Final = ("cache",)
"""Measures in tokens. The others are shares."""

WORDS: Final = {
    "retention_path": (gettext_lazy("paths kept"), gettext_lazy("Paths of old frames that can still be read.")),
    "retention_url": (gettext_lazy("URLs kept"), ""),
    "retention_id": (gettext_lazy("ids kept"), ""),
    "retention_number": (gettext_lazy("numbers kept"), ""),
    "retention_error": (gettext_lazy("errors kept"), gettext_lazy("Lines of errors that can still be read.")),
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


def figures_in_front(measures: Mapping[str, Measure], *, tokens: int) -> tuple[Figure, ...]:
    """`tokens`: of the window before, of which a prompt cache keeps some."""
    return tuple(figure_of(name, measures.get(name), tokens=tokens) for name in IN_FRONT)


def figure_of(name: str, measure: Measure | None, *, tokens: int) -> Figure:
    label = label_of(name)
    if measure is None or measure.value is None:
        return Figure(name, label, "–", _("There is nothing of the kind to look at."), None, "", False)
    if name in TOKENS:
        kept = Number.of(round(measure.value))
        title = _("%(n)s tokens") % {"n": kept.exact}
        return Figure(name, label, kept.short, title, _per_cent(measure.value / max(tokens, 1)), _("tokens"), False)
    share = _per_cent(measure.value)
    n = ngettext("of %(n)s", "of %(n)s", measure.n) % {"n": Number.of(measure.n).short}
    title = f"{measure.value:.4f}".rstrip("0").rstrip(".") + f", n = {measure.n:,}"
    return Figure(name, label, f"{share} %", title, share, n, name == "fabrication" and measure.value > 0)


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
