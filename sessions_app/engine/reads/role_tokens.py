"""The tokens of windows by the role of their messages."""

from collections import Counter
from collections.abc import Collection
from functools import reduce
from operator import or_
from typing import Final

from django.db import connection
from django.db.models import Case, Q, Sum, Value, When

from sessions_app.engine.beginnings import Beginning
from sessions_app.engine.messages import ROLES
from sessions_app.models import ContextMessage, RawFrame


def tokens_by_role(session_id: str, *, versions: Collection[int]) -> dict[int, dict[str, int]]:
    """Of each version, what the messages of each role have together; a summary has the role `summary`, and one that is
    damaged none. Added up by the database but for messages that say their role behind other members.
    """
    totals: dict[int, Counter[str]] = {version: Counter() for version in versions}
    rows = ContextMessage.objects.filter(session_id=session_id, version__in=versions).exclude(kind="original")
    told = rows.filter(Q(kind="summary") | _SAYS_ITS_ROLE_FIRST).annotate(role=_ROLE).values("version", "role")
    added_up = told.annotate(total=Sum("tokens")).values_list("version", "role", "total")
    for version, role, tokens in [*_of_frames(session_id, versions), *added_up]:
        totals[version][role] += int(tokens)
    others = rows.filter(kind="edited").exclude(_SAYS_ITS_ROLE_FIRST)
    for version, tokens, text in others.values_list("version", "tokens", "message"):
        beginning = Beginning.of(text, length=len(text) + 1)
        totals[version][beginning.role if beginning else ""] += tokens
    return {version: dict(total) for version, total in totals.items()}


_FIRST: Final = {role: f'{{"role":"{role}"' for role in ROLES}
_SAYS_ITS_ROLE_FIRST: Final = reduce(or_, (Q(message__startswith=first) for first in _FIRST.values()))
_ROLE: Final = Case(
    When(kind="summary", then=Value("summary")),
    *(When(message__startswith=first, then=Value(role)) for role, first in _FIRST.items()),
)


def _of_frames(session_id: str, versions: Collection[int]) -> list[tuple[int, str, int]]:
    """Messages by reference. Not through the ORM: it knows no join of the two tables."""
    sql = f"""
        SELECT c.version, r.role, SUM(c.tokens)
        FROM {ContextMessage._meta.db_table} c
        JOIN {RawFrame._meta.db_table} r ON r.session_id = c.session_id AND r.seq = c.first_seq
        WHERE c.session_id = %s AND c.version IN ({", ".join(["%s"] * len(versions))}) AND c.kind = 'original'
        GROUP BY c.version, r.role"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [session_id, *versions])
        found: list[tuple[int, str, int]] = cursor.fetchall()
    return found
