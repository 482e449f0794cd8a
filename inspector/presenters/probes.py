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
ROOM: Final = 2
"""Probes that a row shows; the second table shows all."""


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


def folded(marks: Sequence[ProbeMark]) -> tuple[tuple[ProbeMark, ...], int]:
    """Those for which a row has room, what is lost first; and how many are left out."""
    shown = tuple(sorted(marks, key=lambda mark: mark.is_found)[:ROOM])
    return shown, len(marks) - len(shown)


def probes_told(marks: Sequence[ProbeMark]) -> str:
    """How many were lost, or that none was; empty where none was looked for."""
    n = len(marks)
    if not n:
        return ""
    if lost := sum(not mark.is_found for mark in marks):
        return ngettext("%(n)s of %(all)s probe lost", "%(n)s of %(all)s probes lost", n) % {"n": lost, "all": n}
    return ngettext("%(n)s of %(n)s probe", "%(n)s of %(n)s probes", n) % {"n": n}


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
