"""Emptying the tables after a test that has committed: by DELETE, since hardly a row lies in them.

Django's own way takes TRUNCATE, which makes new files for each table and index of PostgreSQL, and afterwards makes the
rows of content types and permissions again, the same ones.
"""

from functools import cache

from django.db import connection, transaction

KEPT = {"django_content_type", "auth_permission"}
"""Their rows are made with the tables, and no test writes them."""

MUCH = 8 * 1024 * 1024
"""In bytes, with the keys. From there on tables are made anew: deleted rows lie about until a VACUUM."""

SIZE = "SELECT sum(pg_total_relation_size(quote_ident(name)::regclass)) FROM unnest(%s::text[]) AS name"


def empty_tables() -> None:
    tables = _tables()
    quoted = [connection.ops.quote_name(name) for name in tables]
    with transaction.atomic(), connection.cursor() as cursor:  # the keys between them are looked at when it commits
        if connection.vendor != "postgresql":
            for name in quoted:
                cursor.execute(f"DELETE FROM {name}")
            return
        cursor.execute(SIZE, [tables])
        if cursor.fetchone()[0] > MUCH:
            cursor.execute(f"TRUNCATE {', '.join(quoted)}")
        else:
            cursor.execute("; ".join(f"DELETE FROM {name}" for name in quoted))  # one round trip


@cache
def _tables() -> list[str]:
    names = connection.introspection.django_table_names(only_existing=False, include_views=False)
    return sorted(set(names) - KEPT)
