"""The files that a command is to read: those that are named, and what is in the folders that are named."""

import logging
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, Literal, cast

from sessions_app.engine import EngineError
from sessions_app.interchange import Source, UnknownFormat

_log = logging.getLogger(__name__)

LARGEST: Final = 200 * 1024 * 1024
_IN_MEMORY: Final = 8 * 1024 * 1024

# OpenHands keeps a conversation as a file of its state beside a folder of its events, a file each.
_STATE, _EVENTS = "base_state.json", "events"
_EVENT: Final = re.compile(r"event-([0-9]+)-.*\.json\Z", re.DOTALL)


class Unfit(Exception):
    """Nothing to import, as far as can be told from outside; no fault of the file unless it was asked for by name."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file, or the folder of one conversation with its event files. `is_named`: asked for, not just met in a folder.

    `trouble`: why it cannot be read, known before it is opened.
    """

    path: str
    is_named: bool
    size: int = 0
    events: tuple[str, ...] = ()
    trouble: OSError | Unfit | None = None


def find(paths: Iterable[str]) -> Iterator[Found]:
    """In the order of the paths; in a folder by name, its files before its folders, hidden ones left out."""
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if os.path.isdir(path):
            yield from _walk(path, seen)
        else:
            yield _file(path, is_named=True)


@contextmanager
def opened(found: Found, *, on_read: Callable[[int], None], largest: int | None) -> Iterator[Source]:
    """Raises OSError, Unfit."""
    if found.trouble is not None:
        raise found.trouble
    if not found.size:
        raise Unfit("is empty")
    if largest is not None and found.size > largest:
        raise Unfit(f"is larger than {largest // 1024**2} MiB; --no-size-limit reads it all the same")
    with _joined(found.events) if found.events else Path(found.path).open("rb") as file:
        yield Source(file, name=Path(found.path).name, on_read=on_read)


def judged(found: Found, error: Exception) -> tuple[Literal["skipped", "failed"], str]:
    """What an error of reading says of the file, and why. What is no trajectory is passed over unless it is named."""
    match error:
        case UnknownFormat():
            return "failed" if found.is_named else "skipped", error.why
        case Unfit():
            return "failed" if found.is_named else "skipped", str(error)
        case OSError():
            return "failed", error.strerror or str(error)
        case EngineError():
            return "failed", str(error)
    _log.error("%s could not be read", found.path, exc_info=error)
    return "failed", f"a defect of the importer, which the log tells: {type(error).__name__}"


def _walk(root: str, seen: set[tuple[int, int]]) -> Iterator[Found]:
    unread: list[OSError] = []
    # Links are followed: a folder of projects is often one. Each folder is read once, so a link back ends there.
    for folder, folders, files in os.walk(root, onerror=unread.append, followlinks=True):
        yield from _told(unread)
        if trouble := _trouble_with(folder, seen):
            folders.clear()
            yield Found(folder, is_named=folder == root, trouble=trouble)
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if _STATE in files and _EVENTS in folders:
            folders.remove(_EVENTS)
            files.remove(_STATE)
            yield _conversation(folder, os.path.join(folder, _EVENTS), is_named=folder == root)
        elif os.path.basename(os.path.abspath(folder)) == _EVENTS and any(map(_EVENT.match, files)):
            files[:] = [name for name in files if not _EVENT.match(name)]
            yield _conversation(folder, folder, is_named=folder == root)
        for name in sorted(files):
            if not name.startswith("."):
                yield _file(os.path.join(folder, name), is_named=False)
    yield from _told(unread)


def _told(unread: list[OSError]) -> Iterator[Found]:
    while unread:
        error = unread.pop(0)
        yield Found(str(error.filename), is_named=False, trouble=error)


def _trouble_with(folder: str, seen: set[tuple[int, int]]) -> OSError | Unfit | None:
    try:
        status = os.stat(folder)
    except OSError as e:
        return e
    if (status.st_dev, status.st_ino) in seen:
        return Unfit("is a folder that was read already: a link leads to it")
    seen.add((status.st_dev, status.st_ino))
    return None


def _file(path: str, *, is_named: bool) -> Found:
    try:
        status = os.stat(path)
    except OSError as e:
        return Found(path, is_named, trouble=e)
    # Opening a pipe would wait for whoever writes to it.
    trouble = None if stat.S_ISREG(status.st_mode) else Unfit("is no regular file")
    return Found(path, is_named, size=status.st_size, trouble=trouble)


def _conversation(folder: str, events: str, *, is_named: bool) -> Found:
    try:
        numbered = sorted((int(m[1]), m[0]) for m in map(_EVENT.match, os.listdir(events)) if m)
        paths = tuple(os.path.join(events, name) for _number, name in numbered)
        return Found(folder, is_named, size=sum(os.stat(p).st_size for p in paths), events=paths)
    except OSError as e:
        return Found(folder, is_named, trouble=e)


def _joined(events: Iterable[str]) -> BinaryIO:
    """One line an event, as the importer of these events reads them."""
    lines = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by the caller
    try:
        for event in events:
            # Within JSON a line break stands only between tokens.
            lines.write(Path(event).read_bytes().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n")
    except OSError:
        lines.close()
        raise
    return cast(BinaryIO, lines)
