"""Files whose values are of a type that nobody expects there, and files that are cut off: none may raise."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.spool import Spool
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Format, Transcript
from tests.interchange.samples import of

ODD: tuple[Any, ...] = (None, True, -1, 10**30, "odd", [], {}, [None], [[]], ["odd"], [{"type": 7}], {"odd": []})


def variants(value: Any) -> Iterator[Any]:
    """The value with one place after the other taken by each odd value."""
    for path in _paths(value):
        for odd in ODD:
            changed = copy.deepcopy(value)
            place = changed
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = odd
            yield changed


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield (*path, name)
        yield from _paths(member, (*path, name))


def take(format: Format, content: bytes | str) -> Tally:
    """What an import would do with a file before the database: recognise, read, check, spool."""
    source = of(content)
    look = sniff(source)
    tally = Tally()
    if not format.recognises(look):
        return tally
    for transcript in format.read(source, look, tally):
        assert isinstance(transcript, Transcript)
        Spool(transcript, tally).close()
    assert not tally.unaccounted, f"unaccounted: {content[:2000]!r}"
    return tally


def take_variants(format: Format, *values: Any, as_lines: bool = False) -> None:
    for value in values:
        for variant in variants(value):
            rows = variant if isinstance(variant, list) else [variant]
            take(format, "".join(json.dumps(row) + "\n" for row in rows) if as_lines else json.dumps(variant))


def take_cut(format: Format, content: bytes, *, step: int = 50) -> None:
    for length in range(0, len(content), step):
        take(format, content[:length])
