"""The same rows written and read through the bare drivers, by the fewest statements that each database allows.

This side knows its head and every derived value beforehand: what remains is what the database and the driver cost.
The settings that decide when a commit is on the disk are those of the product.
"""

import json
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

import psycopg
from django.conf import settings
from django.db import connection

from config.databases import SQLITE_INIT
from sessions_app import engine

Append = Callable[[], None]
Load = Callable[[], list[Any]]


class Raw(Protocol):
    def prepare_append(self, session_id: str, message: dict[str, Any]) -> Append: ...
    def prepare_load(self, session_id: str) -> Load: ...
    def close(self) -> None: ...


def raw_driver() -> Raw:
    if connection.vendor == "sqlite":
        return RawSQLite(str(settings.DATABASES["default"]["NAME"]))
    return RawPostgres(connection.get_connection_params())


_MOVE = """
UPDATE sessions_app_session SET next_msg_seq = :seq + 1, raw_tokens = raw_tokens + :tokens,
    context_tokens = context_tokens + :tokens, context_messages = context_messages + 1,
    open_calls = '[]', recovered_calls = '[]', tail_role = 'user', updated_at = :now
WHERE session_id = :session AND incarnation = :incarnation AND next_msg_seq = :seq
    AND context_compression_version = :version"""
_FRAME = """
INSERT INTO sessions_app_rawframe (session_id, seq, message, role, tool_call_id, tool_names, is_error, excerpt, tokens,
    tokenizer, source, metadata, context_version, created_at)"""
_FRAME_VALUES = (
    ":session, :seq, :message, 'user', '', '', false, :excerpt, :tokens, 'o200k_base', 'agent', '{}', :version, :now"
)
_CONTEXT = """
INSERT INTO sessions_app_contextmessage (session_id, version, position, kind, original_seqs, first_seq, last_seq,
    tokens, message)"""
_CONTEXT_VALUES = ":session, :version, :seq, 'original', :seqs, :seq, :seq, :tokens, ''"
_WINDOW = """
SELECT s.next_msg_seq, s.incarnation,
    c.position, c.kind, c.original_seqs, c.tokens, CASE WHEN c.kind = 'original' THEN r.message ELSE c.message END
FROM sessions_app_session s
JOIN sessions_app_contextmessage c ON c.session_id = s.session_id AND c.version = s.context_compression_version
LEFT JOIN sessions_app_rawframe r ON r.session_id = c.session_id AND r.seq = c.first_seq AND c.kind = 'original'
WHERE s.session_id = :session ORDER BY c.position"""


class _Values:
    """What one append after the other binds."""

    def __init__(self, session_id: str, message: dict[str, Any], now: Callable[[], Any]) -> None:
        self.state = engine.reads.session_state(session_id)
        self.message, self.now, self.seq = message, now, self.state.next_msg_seq
        self.tokens = engine.Message.of(message).count_tokens()

    def next(self) -> dict[str, Any]:
        values = {
            "session": self.state.session_id,
            "incarnation": self.state.incarnation,
            "version": self.state.context_compression_version,
            "seq": self.seq,
            "seqs": str(self.seq),
            "message": json.dumps(self.message, ensure_ascii=False, separators=(",", ":")),
            "excerpt": self.message["content"][:280],
            "tokens": self.tokens,
            "now": self.now(),
        }
        self.seq += 1
        return values


class RawSQLite:
    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None, timeout=5)
        self.connection.executescript(SQLITE_INIT)
        self.connection.execute("PRAGMA foreign_keys = ON")

    def prepare_append(self, session_id: str, message: dict[str, Any]) -> Append:
        values = _Values(session_id, message, lambda: datetime.now(UTC).replace(tzinfo=None).isoformat(" "))
        frame, context = f"{_FRAME} VALUES ({_FRAME_VALUES})", f"{_CONTEXT} VALUES ({_CONTEXT_VALUES})"
        execute = self.connection.execute

        def append() -> None:
            row = values.next()
            execute("BEGIN IMMEDIATE")
            assert execute(_MOVE, row).rowcount == 1
            execute(frame, row)
            execute(context, row)
            execute("COMMIT")

        return append

    def prepare_load(self, session_id: str) -> Load:
        return lambda: self.connection.execute(_WINDOW, {"session": session_id}).fetchall()

    def close(self) -> None:
        self.connection.close()


class RawPostgres:
    def __init__(self, parameters: dict[str, Any]) -> None:
        where = {k: parameters[k] for k in ("dbname", "user", "host", "port") if k in parameters}
        self.connection = psycopg.connect(**where, autocommit=True)

    def prepare_append(self, session_id: str, message: dict[str, Any]) -> Append:
        values = _Values(session_id, message, lambda: datetime.now(UTC))
        statement = _for_psycopg(
            f"WITH moved AS ({_MOVE} RETURNING 1),\n"
            f"frame AS ({_FRAME} SELECT {_FRAME_VALUES} FROM moved)\n"
            f"{_CONTEXT} SELECT {_CONTEXT_VALUES} FROM moved"
        )

        def append() -> None:
            assert self.connection.execute(statement, values.next(), prepare=True).rowcount == 1

        return append

    def prepare_load(self, session_id: str) -> Load:
        statement, row = _for_psycopg(_WINDOW), {"session": session_id}
        return lambda: self.connection.execute(statement, row, prepare=True).fetchall()

    def close(self) -> None:
        self.connection.close()


_TYPES = {
    "session": "text",
    "incarnation": "text",
    "version": "bigint",
    "seq": "bigint",
    "seqs": "text",
    "message": "text",
    "excerpt": "text",
    "tokens": "integer",
    "now": "timestamptz",
}


def _for_psycopg(statement: str) -> bytes:
    """SQLite's `:name` as psycopg's, with the type that a SELECT list cannot tell."""
    return re.sub(r":(\w+)", lambda m: f"%({m[1]})s::{_TYPES[m[1]]}", statement).encode()
