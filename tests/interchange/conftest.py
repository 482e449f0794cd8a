"""What reads a file and touches no database says the same on both: it runs once, beside SQLite."""

from pathlib import Path

import pytest
from django.db import connection

_HERE = Path(__file__).parent
_DATABASE_FIXTURES = {"db", "transactional_db", "django_db_reset_sequences"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if connection.vendor == "sqlite":
        return
    once = [item for item in items if item.path.is_relative_to(_HERE) and not _touches_the_database(item)]
    config.hook.pytest_deselected(items=once)
    left_out = set(once)
    items[:] = [item for item in items if item not in left_out]


def _touches_the_database(item: pytest.Item) -> bool:
    fixtures: list[str] = getattr(item, "fixturenames", [])
    return item.get_closest_marker("django_db") is not None or not _DATABASE_FIXTURES.isdisjoint(fixtures)
