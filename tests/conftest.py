"""What every test may use. Builders of sessions and messages are plain functions elsewhere."""

import os
from urllib.parse import quote

import pytest
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# No deadline: a machine that is busy for a moment is no fault of the code. Derandomised where a
# red run must be repeatable; elsewhere each run tries new examples.
hypothesis_settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked for the other database."""
    other = "sqlite" if connection.vendor == "postgresql" else "postgres"
    left_out = [item for item in items if item.get_closest_marker(other)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def vendor() -> str:
    """`sqlite` or `postgresql`."""
    return connection.vendor


@pytest.fixture
def on_postgres(vendor: str) -> bool:
    return vendor == "postgresql"


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
