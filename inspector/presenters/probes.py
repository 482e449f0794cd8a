"""Texts that are looked for in each candidate: found or not, and where each comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.shown import text
from sessions_app.compression.measures import Probe

SHOWN: Final = 48
"""Characters of a probe that its mark shows; the title has more."""
TITLE: Final = 400


@dataclass(frozen=True, slots=True)
class ProbeMark:
    """`source`: where it comes from, empty where a person typed it in."""

    text: str
    title: str
    source: str
    is_found: bool


def probe_marks(probes: Sequence[Probe], found: Sequence[bool]) -> tuple[ProbeMark, ...]:
    return tuple(
        ProbeMark(text(_line(probe.text), limit=SHOWN), text(probe.text, limit=TITLE), source_word(probe), is_found)
        for probe, is_found in zip(probes, found, strict=False)
    )


def shown_in_a_row(marks: Sequence[ProbeMark]) -> tuple[ProbeMark, ...]:
    """Those that a person typed in, and what is lost of the others."""
    own = {mark.title for mark in marks if not mark.source}
    return tuple(m for m in marks if not m.source or not (m.is_found or m.title in own))


def suggested_found(marks: Sequence[ProbeMark]) -> str:
    """How many of those that the session itself suggests were found; empty where it suggests none."""
    suggested = [mark.is_found for mark in marks if mark.source]
    if not suggested:
        return ""
    said = ngettext("%(n)s of %(all)s suggested probe found", "%(n)s of %(all)s suggested probes found", len(suggested))
    return said % {"n": sum(suggested), "all": len(suggested)}


def source_word(probe: Probe) -> str:
    return {
        "given": "",
        "constraint": _("constraint"),
        "edited_path": _("edited path"),
        "last_error": _("last error"),
        "last_check": _("last test or build"),
        "last_decision": _("last decision"),
    }[probe.source]


def _line(said: str) -> str:
    return " ".join(said.split())
