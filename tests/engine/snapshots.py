"""All five tables of a database as plain rows, to say that nothing at all was written."""

from typing import Any

from sessions_app.models import Compression, ContextMessage, IdempotencyRecord, RawFrame, Session

TABLES = (Session, RawFrame, ContextMessage, Compression, IdempotencyRecord)


def all_tables() -> dict[str, list[tuple[Any, ...]]]:
    return {m.__name__: sorted(m._default_manager.values_list(), key=repr) for m in TABLES}
