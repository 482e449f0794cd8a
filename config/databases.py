"""How each of the two databases is opened."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import environ
from django.core.exceptions import ImproperlyConfigured

Database = dict[str, Any]

# WAL lets readers go on while one writes. FULL syncs the log at each commit: NORMAL, the usual
# companion of WAL, may lose the last commits in a power cut, and an append that was acknowledged
# must survive one.
SQLITE_INIT = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"


def database_from(env: environ.Env, var_dir: Path, *, threads: int) -> Database:
    """The database that DATABASE_URL names, else the embedded one in `var_dir`."""
    if not env.str("DATABASE_URL", default=""):
        embedded = {"ENGINE": "django.db.backends.sqlite3", "NAME": var_dir / "db.sqlite3"}
        return _sqlite(embedded, var_dir)
    database: Database = dict(env.db_url("DATABASE_URL"))
    match database["ENGINE"]:
        case "django.db.backends.sqlite3":
            return _sqlite(database, var_dir)
        case "django.db.backends.postgresql":
            return _postgres(database, env, threads)
        case other:
            raise ImproperlyConfigured(f"DATABASE_URL must start with sqlite:// or postgres://; it names {other}.")


def _sqlite(database: Database, var_dir: Path) -> Database:
    return {
        **database,
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            # Take the write lock at BEGIN. A transaction that reads first and then wants to write
            # fails at once with "database is locked", however long the timeout.
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": SQLITE_INIT,
            **database.get("OPTIONS", {}),
        },
        # A file, not memory: the tests open it from several processes.
        "TEST": {"NAME": str(var_dir / "test.sqlite3")},
    }


def _postgres(database: Database, env: environ.Env, threads: int) -> Database:
    return {
        **database,
        "HOST": unquote(database["HOST"]),  # a socket's folder is written %2Fvar%2Frun in a URL
        "CONN_MAX_AGE": 0,  # The pool keeps the connections; Django must give them back to it.
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            **database.get("OPTIONS", {}),
            "pool": {
                "min_size": env.int("DATABASE_POOL_MIN", default=1),
                # One for each thread of the worker; with fewer, threads wait for one another.
                "max_size": env.int("DATABASE_POOL_MAX", default=threads),
                "timeout": env.float("DATABASE_POOL_TIMEOUT", default=5.0),
            },
        },
    }
