"""What a frame's metadata says, read out where its members are the ones that every importer writes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from inspector.presenters.json_text import CutJSON, cut_json
from inspector.presenters.shown import Number, text
from sessions_app import engine

LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    value: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """`rest`: what is no fact, as JSON; None where there is none."""

    facts: tuple[Fact, ...]
    rest: CutJSON | None


def metadata_of(metadata: dict[str, Any]) -> Metadata:
    """Metadata is free: a member of a known name that holds something else stays among the rest."""
    facts, told = [], set()
    for member, (name, words) in _MEMBERS.items():
        if member in metadata and (said := words(metadata[member])) is not None:
            facts.append(Fact(str(name), text(said.short, limit=LONGEST), text(said.exact, limit=LONGEST)))
            told.add(member)
    rest = {name: value for name, value in metadata.items() if name not in told}
    return Metadata(tuple(facts), cut_json(rest) if rest else None)


def _word(value: Any) -> Number | None:
    return Number(value, "") if isinstance(value, str) and 0 < len(value) <= LONGEST else None


def _time(value: Any) -> Number | None:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return Number(at.isoformat(sep=" ", timespec="seconds"), value)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15


def _record(value: Any) -> Number | None:
    numbers = [value] if _count(value) else value
    if not isinstance(numbers, list) or not numbers or not all(_count(n) and n for n in numbers):
        return None
    ranges = engine.Seqs.of(sorted(set(numbers))).ranges
    return Number(", ".join(f"{a:,}" if a == b else f"{a:,}–{b:,}" for a, b in ranges), "")


_USAGE: Final = {
    "input_tokens": _("in"),
    "output_tokens": _("out"),
    "reasoning_tokens": _("reasoning"),
    "cache_read_input_tokens": _("from the cache"),
    "cache_creation_input_tokens": _("to the cache"),
    "total_tokens": _("in all"),
}


def _usage(value: Any) -> Number | None:
    if not isinstance(value, dict) or not value or not all(n in _USAGE and _count(c) for n, c in value.items()):
        return None
    told = [(words, Number.of(value[name])) for name, words in _USAGE.items() if value.get(name)]
    told = told or [(_("in all"), Number.of(0))]
    return Number(" · ".join(f"{w} {n.short}" for w, n in told), " · ".join(f"{w} {n.exact}" for w, n in told))


def _amount(value: Any) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**9:
        return None
    return Number(f"{value:.4g}", str(value))


def _duration(value: Any) -> Number | None:
    amount = _amount(value)
    return amount and Number(f"{value / 1000:.3g} s" if value >= 1000 else f"{value:.3g} ms", f"{value:,} ms")


_MEMBERS: Final[dict[str, tuple[Any, Callable[[Any], Number | None]]]] = {
    "time": (_("said at"), _time),
    "record": (_("record of the file"), _record),
    "agent": (_("agent"), _word),
    "model": (_("model"), _word),
    "usage": (_("reported tokens"), _usage),
    "cost": (_("cost"), _amount),
    "duration_ms": (_("took"), _duration),
    "stop_reason": (_("stopped by"), _word),
    "response_id": (_("response"), _word),
    "request_id": (_("request"), _word),
}
