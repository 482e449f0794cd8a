"""Reading until enough is found.

Not by `iterator()`: outside of a transaction PostgreSQL runs a server-side cursor to its end before it gives a row.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

M = TypeVar("M", bound=Model)


def in_growing_chunks(rows: QuerySet[M], *, after: Callable[[M], Q], first: int, most: int) -> Iterator[M]:
    """All of `rows`, `first` of them at once, then twice as many each time, up to `most`. `after` names what follows a
    row.
    """
    rest, size = rows, first
    while True:
        chunk = list(rest[:size])
        yield from chunk
        if len(chunk) < size:
            return
        rest, size = rows.filter(after(chunk[-1])), min(size * 2, max(most, first))
