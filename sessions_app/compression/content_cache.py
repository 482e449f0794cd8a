"""What was worked out of a text, kept by the text itself: the same message stands in many windows and many requests."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Final, Generic, TypeVar

V = TypeVar("V")
_DIGEST_SIZE: Final = 16


class ContentCache(Generic[V]):
    """Values by content, the least recently asked for given up first.

    Bounded by weight, not by number: what a text of megabytes gives may weigh as much as that of ten thousand others.
    Any thread may ask. The work itself is done outside the lock, so two threads may do the same work once each.
    """

    def __init__(self, *, make: Callable[[str], V], weigh: Callable[[V], int], limit: int) -> None:
        self._make, self._weigh, self._limit = make, weigh, limit
        self._kept: OrderedDict[bytes, V] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def of(self, text: str) -> V:
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_SIZE).digest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = self._make(text)
        with self._lock:
            self._keep(key, value)
        return value

    @property
    def weight(self) -> int:
        return self._weight

    def __len__(self) -> int:
        return len(self._kept)

    def _keep(self, key: bytes, value: V) -> None:
        if key in self._kept:
            return
        self._kept[key] = value
        self._weight += self._cost(value)
        while self._weight > self._limit:
            _, given_up = self._kept.popitem(last=False)
            self._weight -= self._cost(given_up)

    def _cost(self, value: V) -> int:
        """At least 1: values that weigh nothing fill a cache as well."""
        return 1 + self._weigh(value)
