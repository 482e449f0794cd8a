"""The index of trigrams comes and goes with its migration, and where it cannot be, nothing fails."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from sessions_app.engine.reads import FrameFilter, hits, text_index
from tests.builders import make_session, user

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

migration = import_module("sessions_app.migrations.0003_search")


@pytest.fixture(autouse=True)
def ask_again() -> Iterator[None]:
    text_index.ask_again()
    yield
    text_index.ask_again()


def migrated(step: Callable[[Any, Any], None]) -> bool:
    """Whether there is an index after this step of the migration."""
    step(apps, connection.schema_editor())
    text_index.ask_again()
    return text_index.text_index_exists()


def execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def test_the_migration_makes_the_index_and_takes_it_away_again() -> None:
    assert text_index.text_index_exists()
    assert not migrated(migration.drop_trigrams)
    assert migrated(migration.add_trigrams)
    assert migrated(migration.add_trigrams)  # there already


def test_a_role_that_may_make_no_extension_has_no_index_and_no_failure() -> None:
    execute("DROP EXTENSION pg_trgm CASCADE", "CREATE ROLE may_little", "SET LOCAL ROLE may_little")
    migration.add_trigrams(apps, connection.schema_editor())
    execute("RESET ROLE")
    assert not text_index.text_index_exists()
    session_id = make_session(user("the needle"))
    assert hits(session_id, last_seq=1, wanted=FrameFilter(search="needle")).seqs == (1,)


def test_an_extension_in_a_schema_of_its_own_serves_as_well() -> None:
    execute("DROP EXTENSION pg_trgm CASCADE", "CREATE SCHEMA aside", "CREATE EXTENSION pg_trgm SCHEMA aside")
    assert migrated(migration.add_trigrams)
