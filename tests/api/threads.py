"""The same thing done by several threads at once, each with a database connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


def at_once(count: int, act: Callable[[int], T]) -> list[T]:
    """What `act` gave in each of `count` threads, which start together."""
    start = Barrier(count)

    def run(n: int) -> T:
        start.wait()
        try:
            return act(n)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
