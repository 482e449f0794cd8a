"""Times as other formats write them, and as ours does."""

from datetime import UTC, datetime, timedelta
from typing import Any

_LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_MILLISECONDS_FROM = 100_000_000_000
"""A number of seconds this large would be the year 5138: it is one of milliseconds, or finer."""


def parse_time(value: Any) -> datetime | None:
    """From ISO 8601 or from seconds, milliseconds, microseconds or nanoseconds since 1970; None for anything else.

    A time without a zone is taken as UTC.
    """
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = float(value)
            for _ in range(3):
                seconds /= 1000 if seconds >= _MILLISECONDS_FROM else 1
            time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        else:
            return None
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        time = time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return time if datetime(1, 1, 2, tzinfo=UTC) <= time <= _LATEST else None


def time_text(moment: datetime) -> str:
    """RFC 3339 in UTC, with microseconds: `2026-11-30T08:15:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
