"""At most two summaries are written by a model at once in a process: a third request is told so, and does not wait."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Final

from sessions_app.compression.errors import Busy

AT_ONCE: Final = 2
_free: Final = BoundedSemaphore(AT_ONCE)


@contextmanager
def slot() -> Iterator[None]:
    """Raises Busy."""
    if not _free.acquire(blocking=False):
        raise Busy(f"{AT_ONCE} summaries are being written by the model already; nothing was written.")
    try:
        yield
    finally:
        _free.release()
