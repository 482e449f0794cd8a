"""What every test may use. Builders of sessions and messages are plain functions elsewhere."""

import os
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests.emptying import empty_tables

# No deadline: a machine that is busy for a moment is no fault of the code. Derandomised where a
# red run must be repeatable; elsewhere each run tries new examples.
hypothesis_settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "local")


# What names one of these asks a database, or which one there is.
_DATABASE_FIXTURES = {"db", "transactional_db", "django_db_reset_sequences", "live_server", "vendor"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked for the other database, and beside PostgreSQL what touches none: it runs beside SQLite.

    Property tests are not measured for coverage: they go over the same lines hundreds of times, and measuring doubles
    their time. The tests by example reach those lines.
    """
    on_postgres = connection.vendor == "postgresql"
    other = "sqlite" if on_postgres else "postgres"
    left_out = {
        item for item in items if item.get_closest_marker(other) or (on_postgres and not _touches_the_database(item))
    }
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if hasattr(getattr(item, "obj", None), "hypothesis"):
            item.add_marker("no_cover")


def _touches_the_database(item: pytest.Item) -> bool:
    if item.get_closest_marker("django_db") or item.get_closest_marker("postgres"):
        return True
    fixtures: list[str] = getattr(item, "fixturenames", [])
    return not _DATABASE_FIXTURES.isdisjoint(fixtures)


@pytest.fixture(scope="session", autouse=True)
def _tables_are_emptied_by_delete() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _self: empty_tables())
        yield


@pytest.fixture
def vendor() -> str:
    """`sqlite` or `postgresql`."""
    return connection.vendor


@pytest.fixture
def on_postgres(vendor: str) -> bool:
    return vendor == "postgresql"


@pytest.fixture(scope="session")
def chromium() -> Iterator[None]:
    """Closes the browser that the tests of this process have opened. They name it by `needs_chromium`."""
    from tests.inspector.chromium import close_browser  # what drives a browser is loaded by those who need one

    yield
    close_browser()


@pytest.fixture
def process_env(transactional_db: None) -> dict[str, str]:
    """The environment of a process that a test starts on the test's own database."""
    return {**os.environ, "DATABASE_URL": url_of_the_test_database()}


def url_of_the_test_database() -> str:
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(str(database['NAME']))}"
    user, password, host = (quote(str(database[k]), safe="") for k in ("USER", "PASSWORD", "HOST"))
    return f"postgres://{user}:{password}@{host}:{database['PORT'] or 5432}/{database['NAME']}"
