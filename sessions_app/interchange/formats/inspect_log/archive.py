"""The `.eval` file of Inspect: a zip archive with a member for each sample."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sessions_app.interchange.archive import Archive, Unusable
from sessions_app.interchange.archive_headers import Member
from sessions_app.interchange.formats.inspect_log.sample import Sample, transcript_of
from sessions_app.interchange.jsonreading import Document
from sessions_app.interchange.loose import as_object
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Transcript

_SAMPLE: Final = re.compile(r"samples/(.+)_epoch_\d+\.json", re.DOTALL)
_IN_PIECES: Final = re.compile(r"samples/(.+)_epoch_\d+/.+", re.DOTALL)
_HEADERS: Final = ("header.json", "_journal/start.json")
"""Written at the end, and at the start: a run that was stopped has no header."""
_KNOWN: Final = re.compile(r"header\.json|summaries\.json|reductions\.json|_journal/.*", re.DOTALL)


def is_eval(names: Iterable[str]) -> bool:
    return any(name == _HEADERS[1] or _SAMPLE.fullmatch(name) or _IN_PIECES.fullmatch(name) for name in names)


def read_archive(archive: Archive, tally: Tally) -> Iterator[Transcript]:
    if archive.fault:
        tally.skip("archive", archive.fault)
    members = _newest(archive, tally)
    about = _eval(archive, members, tally)
    number = 0
    in_pieces: set[str] = set()
    for name, member in members.items():
        if _SAMPLE.fullmatch(name):
            number += 1
            tally.read.add(number)
            yield from _sample(archive, member, number, about, tally)
        elif pieces := _IN_PIECES.fullmatch(name):
            in_pieces.add(pieces[1])
        elif not _KNOWN.fullmatch(name):
            tally.skip("member", "is no part of an Inspect log")
    if in_pieces:
        tally.skip("sample", "is stored in pieces, which cannot be read yet", count=len(in_pieces))


def _newest(archive: Archive, tally: Tally) -> dict[str, Member]:
    """By their names: what is written anew stands later in the archive."""
    members: dict[str, Member] = {}
    for member in archive.members:
        if members.pop(member.name, None) is not None:
            tally.skip("member", "is replaced by a later one of its name")
        members[member.name] = member
    return members


def _eval(archive: Archive, members: dict[str, Member], tally: Tally) -> dict[str, Any]:
    """What the log says of the whole evaluation."""
    for name in _HEADERS:
        if name not in members:
            continue
        try:
            with archive.unpacked(members[name]) as source:
                about = as_object(_read(source, Tally()).get("eval"))
        except Unusable as e:
            tally.skip(name, str(e))
            continue
        if about:
            return about
    return {}


def _read(source: Source, tally: Tally) -> dict[str, Any]:
    document = Document(source, tally, lists=(), unread={"events"})
    for _ in document.records():
        pass
    return document.header


def _sample(archive: Archive, member: Member, number: int, about: dict[str, Any], tally: Tally) -> Iterator[Transcript]:
    try:
        with archive.unpacked(member) as source:
            inside = Tally()
            data = _read(source, inside)
            events = (record.value for record in Document(source, inside, lists={"events"}).records())
            transcript = transcript_of(Sample(number, data, events, about), tally)
            if transcript is not None:
                yield transcript
            for skipped in inside.skipped:
                tally.skip(skipped.what, skipped.why, number, count=skipped.count)
    except Unusable as e:
        tally.skip("sample", str(e), number)
