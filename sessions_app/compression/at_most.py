"""What is heavy runs only so many times at once for each user in a process. One more is told so, and does not wait."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sessions_app.compression.errors import Busy


class AtMost:
    """`refusal`: what one more is told."""

    def __init__(self, count: int, refusal: str) -> None:
        self._count, self._refusal = count, refusal
        self._lock = Lock()
        self._running: Counter[int] = Counter()

    @contextmanager
    def of(self, user_id: int) -> Iterator[None]:
        """Raises Busy."""
        with self._lock:
            if self._running[user_id] >= self._count:
                raise Busy(self._refusal)
            self._running[user_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._running[user_id] -= 1
                if not self._running[user_id]:
                    del self._running[user_id]
