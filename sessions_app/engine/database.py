"""Database failures as typed refusals: a caller can tell "try again" from a defect."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection

from sessions_app.engine.errors import DatabaseBusy, DatabaseUnavailable, EngineError

P = ParamSpec("P")
R = TypeVar("R")


def with_typed_failures(operation: Callable[P, R]) -> Callable[P, R]:
    """Turn what the driver raises when the database is locked or away into DatabaseBusy or DatabaseUnavailable."""

    @wraps(operation)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return operation(*args, **kwargs)
        except (OperationalError, InterfaceError) as e:
            raise as_refusal(e) from e

    return wrapper


def as_refusal(error: DatabaseError | InterfaceError) -> EngineError:
    said = str(error)
    if connection.vendor == "sqlite":
        if "locked" in said or "busy" in said:
            return DatabaseBusy("Another process holds the database's write lock; nothing was written.")
    elif "lock" in said or "deadlock" in said or "timeout" in said.lower():
        return DatabaseBusy("The database did not get to it in time; nothing was written.")
    return DatabaseUnavailable("The database could not be reached or could not do its work.")
