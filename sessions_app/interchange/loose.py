"""Values of a foreign file, each of which may be of any type: as what is expected, or as nothing."""

from typing import Any


def as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def as_count(value: Any) -> int | None:
    """A whole number that is no boolean."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def without(record: dict[str, Any], *told: str) -> dict[str, Any]:
    """What is left of a record when some of its members are told elsewhere, without what is empty."""
    return {name: value for name, value in record.items() if name not in told and value not in (None, "", [], {})}
