"""The header that stands before each member of a zip archive, and what it shares with the directory."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sessions_app.interchange.source import Source

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_LARGEST: Final = 0xFFFFFFFF
ENCRYPTED: Final = 0x1
_SIZES_FOLLOW: Final = 0x8
_UTF8: Final = 0x800


@dataclass(frozen=True, slots=True)
class Member:
    """A member as the archive tells of it. `packed`: the length of what is stored, `size` and `checksum` of what that
    unpacks to; None: not told.
    """

    name: str
    method: int
    is_encrypted: bool
    offset: int
    packed: int | None
    size: int | None
    checksum: int | None


def local_headers(source: Source) -> Iterator[Member]:
    """The members one after another from the start, as far as their lengths are told."""
    position = 0
    while position < source.size:
        head = source.read_at(position, _LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(b"PK\x03\x04"):
            return
        _, _, flags, method, _, _, checksum, packed, size, name_length, extra_length = _LOCAL.unpack(head)
        rest = source.read_at(position + _LOCAL.size, name_length + extra_length)
        name = name_text(rest[:name_length], flags)
        if flags & _SIZES_FOLLOW and not packed:
            yield Member(name, method, bool(flags & ENCRYPTED), position, None, None, None)
            return
        size, packed, _ = wide(rest[name_length:], size, packed, 0)
        yield Member(name, method, bool(flags & ENCRYPTED), position, packed, size, checksum)
        position += _LOCAL.size + name_length + extra_length + packed


def local_header(source: Source, member: Member) -> int | None:
    """Where a member's content starts, by its own header; None where there is no header of that name."""
    head = source.read_at(member.offset, _LOCAL.size) if 0 <= member.offset < source.size else b""
    if len(head) < _LOCAL.size or not head.startswith(b"PK\x03\x04"):
        return None
    flags, name_length, extra_length = head[6] | head[7] << 8, *_LOCAL.unpack(head)[-2:]
    if name_text(source.read_at(member.offset + _LOCAL.size, name_length), flags) != member.name:
        return None
    return int(member.offset + _LOCAL.size + name_length + extra_length)


def wide(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Sizes and offset; those that do not fit into 32 bits stand in the extra field of large archives."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == 1:
            numbers = iter(struct.unpack_from(f"<{min(length, len(extra) - 4) // 8}Q", extra, 4))
            size, packed, offset = (
                next(numbers, value) if value == _LARGEST else value for value in (size, packed, offset)
            )
            break
        extra = extra[4 + length :]
    return size, packed, offset


def name_text(name: bytes, flags: int) -> str:
    return name.decode("utf-8" if flags & _UTF8 else "cp437", errors="replace")
