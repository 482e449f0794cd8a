"""A database that is locked or away is a refusal of its own kind (contract, section 4, Errors)."""

from collections.abc import Callable
from types import SimpleNamespace

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, connection

from sessions_app import engine
from sessions_app.engine import database
from tests.builders import make_session, raw, says, user
from tests.conftest import url_of_the_test_database
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.case(52)
@pytest.mark.postgres
@pytest.mark.parametrize(
    "write",
    [
        lambda i: engine.append(session_id=i, messages=[says()]),
        lambda i: engine.change(session_id=i, title="x"),
        lambda i: engine.delete(session_id=i, expected=engine.ANY_HEAD),
    ],
    ids=["append", "change", "delete"],
)
def test_a_row_that_another_holds_for_too_long_is_busy_and_nothing_was_written(write: Callable[[str], object]) -> None:
    session_id = make_session(user())
    before = all_tables()
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '50ms'")
    with psycopg.connect(url_of_the_test_database()) as other:
        other.execute("UPDATE sessions_app_session SET title = 'held'")
        with pytest.raises(engine.DatabaseBusy):
            write(session_id)
        other.rollback()
    assert all_tables() == before
    write(session_id)
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


def test_to_load_is_refused_as_a_write_is() -> None:
    session_id = make_session(user())

    def broken(*_arguments: object) -> None:
        raise InterfaceError("connection already closed")

    with connection.execute_wrapper(broken), pytest.raises(engine.DatabaseUnavailable):
        engine.RuntimeSession.load(session_id)
    assert raw(session_id) == [user()]


@pytest.mark.parametrize(
    ("said", "vendor", "refusal"),
    [
        ("database is locked", "sqlite", engine.DatabaseBusy),
        ("unable to open database file", "sqlite", engine.DatabaseUnavailable),
        ("canceling statement due to lock timeout", "postgresql", engine.DatabaseBusy),
        ("deadlock detected", "postgresql", engine.DatabaseBusy),
        ("canceling statement due to statement timeout", "postgresql", engine.DatabaseBusy),
        ("connection refused", "postgresql", engine.DatabaseUnavailable),
    ],
)
def test_what_the_driver_says_decides(
    said: str, vendor: str, refusal: type[engine.EngineError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "connection", SimpleNamespace(vendor=vendor))
    assert type(engine.as_refusal(OperationalError(said))) is refusal
