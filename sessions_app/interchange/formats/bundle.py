"""Our own: the bundle that an export writes (docs/bundle.md). Several may follow each other in one file."""

from collections.abc import Iterator
from typing import Any, Final

from sessions_app import jsontext
from sessions_app.engine import MalformedJSON
from sessions_app.interchange.bundle_shapes import FORMAT
from sessions_app.interchange.copy_spool import BundleDamaged, CopySpool
from sessions_app.interchange.jsonreading import LONGEST_LINE, TORN, numbered_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

_DEEPEST: Final = 256
"""Levels of a line. Metadata of other formats may be deeper than a message."""


class Bundle:
    name = "bundle"
    title = "Session bundle"

    def recognises(self, sniff: Sniff) -> bool:
        first = sniff.records[0] if sniff.shape == "lines" and sniff.records else sniff.members
        return isinstance(first, dict) and first.get("format") == FORMAT

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[CopySpool]:
        """Strictly: what could be read in another way than it was written is damage."""
        spool: CopySpool | None = None
        for number, value in _values(source, tally):
            if spool is None or (isinstance(value, dict) and value.get("type") == "session"):
                yield from _whole(spool, tally)
                spool = CopySpool(number)
            spool.take(number, value)
        yield from _whole(spool, tally)


def _whole(spool: CopySpool | None, tally: Tally) -> Iterator[CopySpool]:
    if spool is None:
        return
    if spool.is_whole():
        yield spool
    else:
        spool.refuse(tally)
        spool.close()


def _values(source: Source, tally: Tally) -> Iterator[tuple[int, Any]]:
    """The number of each line that is not empty, with its value or with what is wrong with it."""
    for number, _start, line, is_last in numbered_lines(source):
        if line is None:
            value: Any = BundleDamaged(f"is longer than {LONGEST_LINE // 1024**2} MiB")
        elif not line.strip():
            continue
        else:
            value = _value(line, is_last=is_last)
        tally.read.add(number)
        yield number, value


def _value(line: bytes, *, is_last: bool) -> Any:
    try:
        return jsontext.loads(line.decode("utf-8-sig"), max_depth=_DEEPEST)
    except UnicodeDecodeError:
        return BundleDamaged("is no UTF-8")
    except MalformedJSON as e:
        return BundleDamaged(TORN if is_last else f"is no JSON that every reader reads alike: {e}")
