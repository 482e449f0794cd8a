"""What is heavy runs once at a time for each user in a process: a second one is told so, and does not wait."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sessions_app.compression.errors import Busy


class OneAtATime:
    """`what` names it in the refusal: "A replay"."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = Lock()
        self._running: set[int] = set()

    @contextmanager
    def of(self, user_id: int) -> Iterator[None]:
        """Raises Busy."""
        with self._lock:
            if user_id in self._running:
                raise Busy(f"{self._what} of yours is running already; try again when it is done.")
            self._running.add(user_id)
        try:
            yield
        finally:
            with self._lock:
                self._running.remove(user_id)
