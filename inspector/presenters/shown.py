"""Numbers, times and texts as people read them."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from sessions_app import engine, jsontext

MINUTE, HOUR, DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Number:
    """`41.2k`, with the exact value for the title."""

    short: str
    exact: str

    @classmethod
    def of(cls, value: int) -> "Number":
        return cls(short_number(value), f"{value:,}")


@dataclass(frozen=True, slots=True)
class Moment:
    """`12 min ago`, with the exact time for the title."""

    short: str
    exact: str

    @classmethod
    def of(cls, at: datetime, *, now: datetime) -> "Moment":
        return cls(_ago(at, now), at.isoformat(timespec="seconds"))

    @classmethod
    def after(cls, before: datetime | None, at: datetime, *, now: datetime) -> "Moment":
        """The time of day, where the day is long over and the line before has told it."""
        if before is None or at.date() != before.date() or now - at < timedelta(seconds=DAY):
            return cls.of(at, now=now)
        return cls(f"{at:%H:%M:%S}", at.isoformat(timespec="seconds"))


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    href: str


def text(value: str, *, limit: int | None = None) -> str:
    """Text of others, fit for a page: what UTF-8 cannot carry shows as U+FFFD. Templates escape the markup in it."""
    if limit is not None and len(value) > limit:
        value = value[: limit - 1] + "…"
    return jsontext.printable(value)


def excerpt(value: str) -> str:
    """An excerpt without its blank lines, with a sign where it may have been cut."""
    lines = [line for line in text(value).split("\n") if line.strip()]
    return "\n".join(lines) + ("…" if len(value) >= engine.EXCERPT else "")


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    is_found: bool


def marked(value: str, found: str) -> tuple[Piece, ...]:
    """A text cut where what was searched for begins and ends, whatever its case. One piece where it is not in it; none
    where there is no text.
    """
    if not value or not found:
        return (Piece(value, False),) if value else ()
    pieces = re.split(f"({re.escape(found)})", value, flags=re.IGNORECASE)
    return tuple(Piece(piece, i % 2 == 1) for i, piece in enumerate(pieces) if piece)


def short_number(value: int) -> str:
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        # 999,500 reads 1M and not 1000k.
        if value >= size * 0.9995:
            scaled = value / size
            return (f"{scaled:.0f}" if scaled >= 99.95 else f"{scaled:.1f}".removesuffix(".0")) + unit
    return str(value)


def size_text(count: int) -> str:
    """A number of bytes."""
    short = short_number(count)
    return f"{short[:-1]} {short[-1]}B" if short[-1].isalpha() else f"{short} B"


def per_cent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def saved_per_cent(after: int, before: int) -> int:
    """Never 100 where something is left, nor below 0."""
    return min(max(0, 100 - per_cent(after, before)), 99 if after else 100) if before else 0


def _ago(at: datetime, now: datetime) -> str:
    seconds = max(0, int((now - at) / timedelta(seconds=1)))
    if seconds < 5:
        return _("just now")
    if seconds < MINUTE:
        return _("%(n)s s ago") % {"n": seconds}
    if seconds < HOUR:
        return _("%(n)s min ago") % {"n": seconds // MINUTE}
    if seconds < DAY:
        return _("%(n)s h ago") % {"n": seconds // HOUR}
    if seconds < 30 * DAY:
        return _("%(n)s d ago") % {"n": seconds // DAY}
    return at.date().isoformat()
