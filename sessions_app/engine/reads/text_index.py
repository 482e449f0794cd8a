"""Whether the database can find a part of a text by an index (migration 0003: PostgreSQL with pg_trgm)."""

from typing import Final

from django.db import connection

NAME: Final = "frame_message_trigrams"

_asked: Final[dict[tuple[str, str], bool]] = {}


def text_index_exists() -> bool:
    """Asked once per process and database. One that goes meanwhile costs time, and no hit."""
    if connection.vendor != "postgresql":
        return False
    database = (connection.alias, str(connection.settings_dict["NAME"]))
    if database not in _asked:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%s) AND indisvalid", [NAME])
            _asked[database] = cursor.fetchone() is not None
    return _asked[database]


def ask_again() -> None:
    """Forget what the databases answered."""
    _asked.clear()
