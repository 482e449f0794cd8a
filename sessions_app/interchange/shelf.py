"""Records that are read in one order and used in another: laid aside on disk when they are many."""

import io
import json
import weakref
from tempfile import SpooledTemporaryFile
from typing import Any

_IN_MEMORY = 8 * 1024 * 1024


class Shelf:
    """JSON values by number. The file goes with the object."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - lives as long as the shelf
        weakref.finalize(self, self._file.close)
        self._places: dict[int, tuple[int, int]] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def put(self, number: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self._file.seek(0, io.SEEK_END)
        self._places[number] = (self._file.tell(), len(data))
        self._file.write(data)

    def get(self, number: int) -> Any:
        place, length = self._places[number]
        self._file.seek(place)
        return json.loads(self._file.read(length))
