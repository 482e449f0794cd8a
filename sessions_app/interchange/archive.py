"""Reading a zip archive that nobody vouches for: its members one at a time, each unpacked within limits.

The limits hold for what is really unpacked, whatever the headers say of it. Names are only ever compared, never used
as paths. zipfile is not used: it takes in a whole directory of any length before anyone can count its members, and
refuses an archive that was cut off as a whole.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, BinaryIO, Final, cast

from sessions_app.interchange.archive_directory import Directory, read_directory
from sessions_app.interchange.archive_headers import Member, local_header
from sessions_app.interchange.source import Source

_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_PIECE: Final = 64 * 1024
_UNPACKED_PIECE: Final = 1024 * 1024
_IN_MEMORY: Final = 8 * 1024 * 1024

_CUT_OFF: Final = "is cut off: the archive ends in the middle of it"
ZSTANDARD: Final = (
    "is compressed with Zstandard, which this version of Python cannot read; "
    "`inspect log convert --to json` makes a file that can be read"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """`ratio`: to how many times its size a member may unpack; asked once it has unpacked to `ratio_from` bytes, for a
    short text that repeats itself is no bomb.
    """

    members: int = 100_000
    member_bytes: int = 1024**3
    total_bytes: int = 4 * 1024**3
    ratio: int = 200
    ratio_from: int = 16 * 1024**2


class Unusable(Exception):
    """A member that cannot be had. The message is a clause that says why."""


class Archive:
    """The members of an archive. `fault`: what is wrong with its directory, as a clause; else empty."""

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        self._source, self._limits, self._unpacked = source, limits or Limits(), 0
        self._directory: Directory = read_directory(source, at_most=self._limits.members)

    @property
    def members(self) -> tuple[Member, ...]:
        return self._directory.members

    @property
    def fault(self) -> str:
        return self._directory.fault

    @contextmanager
    def unpacked(self, member: Member) -> Iterator[Source]:
        """A member as a file, which is gone afterwards. Raises Unusable."""
        with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
            self._unpack(member, file)
            yield Source(cast("BinaryIO", file), name=member.name)

    def _unpack(self, member: Member, file: IO[bytes]) -> None:
        if member.is_encrypted:
            raise Unusable("is encrypted")
        start = local_header(self._source, member)
        if start is None:
            raise Unusable("is not where the directory of the archive says")
        size = checksum = 0
        for packed, piece in _pieces(self._source, member, start):
            size += len(piece)
            self._unpacked += len(piece)
            self._check(size, packed)
            checksum = zlib.crc32(piece, checksum)
            file.write(piece)
        if member.checksum is not None and (size, checksum) != (member.size, member.checksum):
            raise Unusable("is not what the archive says: its length or its checksum is another")

    def _check(self, size: int, packed: int) -> None:
        limits = self._limits
        if size > limits.member_bytes:
            raise Unusable(f"unpacks to over {limits.member_bytes:,} bytes")
        if self._unpacked > limits.total_bytes:
            raise Unusable(f"is left packed: the archive unpacks to over {limits.total_bytes:,} bytes")
        if size > limits.ratio_from and size > limits.ratio * packed:
            raise Unusable(f"unpacks to over {limits.ratio} times its size")


def _pieces(source: Source, member: Member, start: int) -> Iterator[tuple[int, bytes]]:
    """(how many bytes were read so far, what they unpack to), piece by piece. Raises Unusable."""
    if member.method == _ZSTANDARD:
        raise Unusable(ZSTANDARD)
    if member.method not in (_STORED, _DEFLATED):
        raise Unusable(f"is compressed by method {member.method}, which cannot be read")
    packed = _packed(source, member, start)
    if member.method == _STORED:
        yield from ((read, piece) for read, piece in packed if piece)
        return
    inflater, read = zlib.decompressobj(-zlib.MAX_WBITS), 0
    while not inflater.eof:
        data = inflater.unconsumed_tail
        if not data:
            read, data = next(packed, (read, b""))
        try:
            piece = inflater.decompress(data, _UNPACKED_PIECE)
        except zlib.error as e:
            raise Unusable("is damaged: it cannot be unpacked") from e
        if piece:
            yield read, piece
        elif not data and not inflater.eof:
            raise Unusable(_CUT_OFF)


def _packed(source: Source, member: Member, start: int) -> Iterator[tuple[int, bytes]]:
    stop = source.size if member.packed is None else start + member.packed
    position = start
    while position < stop:
        data = source.read_at(position, min(_PIECE, stop - position))
        if not data:
            raise Unusable(_CUT_OFF)
        position += len(data)
        yield position - start, data
