"""What members a zip archive has: by its directory, or by their own headers where the end of the file is lost."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sessions_app.interchange.archive_headers import ENCRYPTED, Member, local_headers, name_text, wide
from sessions_app.interchange.source import Source

_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64: Final = struct.Struct("<4sLQL")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_LONGEST_COMMENT: Final = 65535


@dataclass(frozen=True, slots=True)
class Directory:
    """`fault`: why this may not be all, as a clause; else empty."""

    members: tuple[Member, ...]
    fault: str = ""


def read_directory(source: Source, *, at_most: int) -> Directory:
    """Never raises, whatever the bytes are."""
    start, end = _extent_of_directory(source)
    listed = _take(_entries(source, start, end), at_most)
    if listed.members or (start == end > 0 and not listed.fault):
        return listed
    found = _take(local_headers(source), at_most)
    return Directory(found.members, "is cut off: its directory, which stands at its end, is missing or damaged")


class _Damaged(Exception):
    pass


def _take(members: Iterator[Member], at_most: int) -> Directory:
    taken: list[Member] = []
    try:
        for member in members:
            if len(taken) == at_most:
                return Directory(tuple(taken), f"has over {at_most:,} members, of which the first are read")
            taken.append(member)
    except _Damaged:
        return Directory(tuple(taken), "has a damaged directory: members may be missing")
    return Directory(tuple(taken))


def _extent_of_directory(source: Source) -> tuple[int, int]:
    """Where the directory starts and ends; (0, 0) where the archive has none."""
    length = min(source.size, _END.size + _LONGEST_COMMENT)
    tail = source.read_at(source.size - length, length)
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < _END.size:
        return 0, 0
    size = _END.unpack_from(tail, found)[-3]
    end = source.size - length + found
    end, size = _wide_end(source, end) or (end, size)
    # It ends where its end record begins, wherever that says that it starts.
    return (int(end - size), end) if size <= end else (0, 0)


def _wide_end(source: Source, end: int) -> tuple[int, int] | None:
    """(position of the end record of a large archive, size of its directory)."""
    position = end - _LOCATOR_64.size
    locator = source.read_at(position, _LOCATOR_64.size) if position >= 0 else b""
    if not locator.startswith(b"PK\x06\x07"):
        return None
    position -= _END_64.size
    record = source.read_at(position, _END_64.size) if position >= 0 else b""
    if not record.startswith(b"PK\x06\x06"):
        return None
    return position, int(_END_64.unpack(record)[-2])


def _entries(source: Source, start: int, end: int) -> Iterator[Member]:
    with source.open() as stream:
        stream.seek(start)
        while (
            stream.tell() < end
            and len(head := stream.read(_ENTRY.size)) == _ENTRY.size
            and head.startswith(b"PK\x01\x02")
        ):
            values = _ENTRY.unpack(head)
            flags, method, checksum, packed, size, name_length, extra_length, comment_length = (
                *values[3:5],
                *values[7:13],
            )
            name, extra = stream.read(name_length), stream.read(extra_length)
            stream.read(comment_length)
            size, packed, offset = wide(extra, size, packed, values[-1])
            yield Member(name_text(name, flags), method, bool(flags & ENCRYPTED), offset, packed, size, checksum)
            start = stream.tell()
        if start != end:
            raise _Damaged
