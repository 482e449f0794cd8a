"""What a file looks like, from its first megabyte: enough to tell its format by."""

import io
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from sessions_app.interchange.archive_directory import read_directory
from sessions_app.interchange.jsonreading import Document, MoreFollows, TooDeep, Unreadable, loads
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

Shape = Literal["zip", "gzip", "utf-16", "lines", "array", "object", "other"]

LOOK: Final = 1024 * 1024
LONG_LOOK: Final = 16 * 1024 * 1024
_RECORDS: Final = 50
_MEMBERS: Final = 1000


@dataclass(frozen=True, slots=True)
class Sniff:
    """The start of a file, read as JSON as far as that goes.

    `name`: that of the file, for the few formats that say nothing of themselves.
    `shape`: `lines` is JSON Lines with at least one line that reads as JSON; `array` and `object` are one document.
    `records`: the first lines, or the first elements of an array. `members`: the first members of an object, a list
    with its first elements only; what is cut off at the end of the look is missing. `entries`: the names of the first
    members of a zip archive.
    """

    shape: Shape
    name: str = ""
    records: tuple[Any, ...] = ()
    members: dict[str, Any] = field(default_factory=dict)
    entries: tuple[str, ...] = ()

    @property
    def objects(self) -> tuple[dict[str, Any], ...]:
        """The records that are objects."""
        return tuple(r for r in self.records if isinstance(r, dict))

    def first(self, member: str) -> dict[str, Any]:
        """The first element of a list of the document, if that is an object; else an empty one."""
        value = self.members.get(member)
        return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}


def sniff(source: Source, looked_at: int = LOOK) -> Sniff:
    """Never raises, whatever the bytes are."""
    head = source.read_at(0, looked_at)
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        members = read_directory(source, at_most=_MEMBERS).members
        return Sniff("zip", source.name, entries=tuple(member.name for member in members))
    if head.startswith(b"\x1f\x8b"):
        return Sniff("gzip", source.name)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Sniff("utf-16", source.name)
    if b"\0" in head[:1024]:
        return Sniff("other", source.name)
    lines = _lines(source, head)
    if lines is not None:
        return Sniff("lines", source.name, records=lines)
    return replace(_document(head), name=source.name)


def _lines(source: Source, head: bytes) -> tuple[Any, ...] | None:
    """The values of the first lines, or None where the file is one document or no JSON at all."""
    if b"\n" not in head and source.size > len(head):
        head = source.read_at(0, LONG_LOOK)
    pieces = head.split(b"\n", _RECORDS)
    is_followed = any(piece.strip() for piece in pieces[1:])
    if source.size > len(head) or len(pieces) > _RECORDS:
        pieces = pieces[:-1]
    texts = [t for t in (p.decode("utf-8-sig", errors="replace").strip() for p in pieces) if t]
    values = [_value(t) for t in texts]
    whole = [v for v in values if v is not None and v is not _TOO_DEEP]
    # The second line may be longer than the look.
    if texts and values[0] is not None and is_followed:
        return tuple(whole)
    # A damaged first line, unless what follows is the inside of a document that is laid out over lines.
    if len(texts) > 1 and texts[0] not in ("{", "[") and texts[0].startswith("{"):
        objects = [v for v in whole if isinstance(v, dict)]
        return tuple(whole) if len(objects) * 2 > len(texts) else None
    return None


_TOO_DEEP: Final = object()
"""A line that is JSON, but cannot be handled."""


def _value(text: str) -> Any:
    try:
        return loads(text)
    except TooDeep:
        return _TOO_DEEP
    except MoreFollows as e:
        # A lost line break: the first of two objects.
        return e.value if isinstance(e.value, dict) else None
    except Unreadable:
        return None


def _document(head: bytes) -> Sniff:
    start = head.decode("utf-8-sig", errors="replace").lstrip()[:1]
    if start not in ("{", "["):
        return Sniff("other")
    document = Document(Source(io.BytesIO(head)), Tally(), lists=_Everything())
    records: dict[str, list[Any]] = {}
    for record in document.records():
        found = records.setdefault(record.list, [])
        if len(found) < _RECORDS:
            found.append(record.value)
    if start == "[":
        return Sniff("array", records=tuple(records.get("", ())))
    return Sniff("object", members={**document.header, **records})


class _Everything:
    """Contains every name: each list of a document is read by its elements."""

    def __contains__(self, name: object) -> bool:
        return True
