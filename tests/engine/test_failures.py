"""Whatever statement fails, memory and all tables are as before (contract, section 3, step 3)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection

from sessions_app import engine
from tests.builders import calls, make_session, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables
from tests.engine.strategies import Fold, Params

pytestmark = pytest.mark.django_db(transaction=True)


class Broken(Exception):
    """The k-th statement failed."""


@contextmanager
def failing(statement: int, counted: list[str]) -> Iterator[None]:
    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        counted.append(sql)
        if len(counted) == statement:
            raise Broken(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield


def prepared_session() -> str:
    session_id = make_session(system(), user(), *react_rounds(4), calls("open"), keep_context_history=False)
    engine.append(session_id=session_id, messages=[user("go on"), *react_rounds(2, start=5)], recover=True)
    engine.append(session_id=session_id, messages=[calls("late")])
    engine.recover(session_id=session_id)
    return session_id


def do_append(runtime: engine.RuntimeSession) -> Any:
    return runtime.append(user("next"), calls("n"), user("after"), recover=True)


def do_late_append(runtime: engine.RuntimeSession) -> Any:
    return runtime.append(reply("late", "in place"), says())


def do_compress(runtime: engine.RuntimeSession) -> Any:
    return runtime.compress(Fold(), Params(keep=2))


def do_recover(runtime: engine.RuntimeSession) -> Any:
    return runtime.recover()


def do_restore(runtime: engine.RuntimeSession) -> Any:
    return runtime.restore(1)


def open_a_call(session_id: str) -> None:
    engine.append(session_id=session_id, messages=[calls("p", "q")])


def fold_first(session_id: str) -> None:
    engine.compress(session_id=session_id, strategy=Fold(), params=Params(keep=2))


@pytest.mark.case(31)
@pytest.mark.parametrize(
    ("operation", "before_it", "statements"),
    [
        (do_append, None, 5),
        (do_late_append, None, 7),
        (do_compress, None, 7),
        (do_recover, open_a_call, 4),
        (do_restore, fold_first, 8),
    ],
)
def test_each_failing_statement_leaves_memory_and_tables_as_they_were(
    operation: Callable[[engine.RuntimeSession], Any],
    before_it: Callable[[str], None] | None,
    statements: int,
) -> None:
    session_id = prepared_session()
    if before_it is not None:
        before_it(session_id)
    runtime = engine.RuntimeSession.load(session_id)
    before, held = all_tables(), runtime.context
    failed = 0
    for k in range(1, 100):
        counted: list[str] = []
        try:
            with failing(k, counted):
                operation(runtime)
        except Broken:
            failed += 1
            assert runtime.context is held, f"memory changed although statement {k} failed: {counted[-1]}"
            assert all_tables() == before, f"a table changed although statement {k} failed: {counted[-1]}"
        else:
            break
    assert failed >= statements - 1, f"only {failed} statements were made to fail"
    assert all_tables() != before, "the operation that was let through did nothing"
    assert runtime.context.window == engine.reads.current_window(session_id).window


@pytest.mark.case(52)
@pytest.mark.sqlite
def test_a_locked_database_is_a_refusal_that_can_be_tried_again(process_env: dict[str, str]) -> None:
    import sqlite3

    session_id = make_session(user())
    before = all_tables()
    other = sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(engine.DatabaseBusy):
            engine.append(session_id=session_id, messages=[says("one"), user("two")])
        other.execute("ROLLBACK")
    finally:
        other.close()
    assert all_tables() == before
    engine.append(session_id=session_id, messages=[says("one")])


@pytest.mark.postgres
def test_a_database_that_fails_is_a_typed_refusal() -> None:
    session_id = make_session(user())

    def broken(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        raise OperationalError("server closed the connection unexpectedly")

    with connection.execute_wrapper(broken), pytest.raises(engine.DatabaseUnavailable):
        engine.append(session_id=session_id, messages=[says()])


def test_an_owner_that_does_not_exist_is_not_told_as_a_session_that_exists() -> None:
    with pytest.raises(IntegrityError):
        engine.create(owner_id=10**9)
