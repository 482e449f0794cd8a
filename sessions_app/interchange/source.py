"""The file that is read: opened as often as a format needs, never held whole."""

import io
from collections.abc import Callable
from typing import BinaryIO

_PIECE = 1024 * 1024


class Source:
    """A seekable binary file. Each `open()` is a stream of its own, at the start, that leaves the file open.

    `on_read(position)` is told how far into the file anyone has got, in bytes.
    """

    def __init__(self, file: BinaryIO, *, name: str = "", on_read: Callable[[int], None] | None = None) -> None:
        self.name = name
        self.size = file.seek(0, io.SEEK_END)
        self._file, self._on_read, self._furthest = file, on_read, 0

    def open(self) -> io.BufferedReader:
        return io.BufferedReader(_View(self), _PIECE)

    def read_at(self, position: int, length: int) -> bytes:
        self._file.seek(position)
        data = self._file.read(length)
        if self._on_read is not None and position + len(data) > self._furthest:
            self._furthest = position + len(data)
            self._on_read(self._furthest)
        return data


class _View(io.RawIOBase):
    """A stream over a source with a position of its own."""

    def __init__(self, source: Source) -> None:
        self._source, self._position = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._source.size}[whence]
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: "io.WriteableBuffer") -> int:  # type: ignore[name-defined]
        into = memoryview(buffer)
        data = self._source.read_at(self._position, len(into))
        into[: len(data)] = data
        self._position += len(data)
        return len(data)
