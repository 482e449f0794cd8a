"""Records of other branches than the one that is being read, kept on disk until it is their turn.

A file is read once that way, however many branches it has.
"""

import json
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, Final

_IN_MEMORY: Final = 8 * 1024 * 1024


class SetAside:
    """`branches` are in the order in which their first records came."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        self._places: dict[str, list[int]] = {}

    def __enter__(self) -> "SetAside":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def branches(self) -> tuple[str, ...]:
        return tuple(self._places)

    def put(self, branch: str, number: int, value: Any) -> None:
        self._places.setdefault(branch, []).append(self._file.tell())
        self._file.write(json.dumps([number, value]).encode() + b"\n")

    def take(self, branch: str) -> Iterator[tuple[int, Any]]:
        """(number, value) of the records of a branch. Nothing may be put aside meanwhile."""
        for place in self._places.get(branch, ()):
            self._file.seek(place)
            number, value = json.loads(self._file.readline())
            yield number, value
