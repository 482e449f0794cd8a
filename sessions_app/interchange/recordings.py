"""The sessions of a file with the frames that an import would write, and nothing is written."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from sessions_app import engine
from sessions_app.interchange.copy_spool import CopySpool
from sessions_app.interchange.recognising import recognised
from sessions_app.interchange.registry import is_another
from sessions_app.interchange.source import Source
from sessions_app.interchange.spool import Spool, title_of
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Format, Transcript


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """`session_id` is the file's own id of the session, empty where it has none; `branch` that of a side chain.

    `content` tells it from others of the same id; `frames` are numbered from 1.
    """

    session_id: str
    branch: str
    title: str
    format: str
    content: str
    frames: tuple[engine.Frame, ...]


def recordings_in(
    source: Source, *, named: str | None = None, now: Callable[[], datetime] = timezone.now
) -> Iterator[RecordedSession]:
    """The sessions of the file, each read when it is asked for. As by an import, one that is the same as an earlier
    one is left out, and so are those that are empty or damaged.

    `named`: the format, where it is not to be guessed; `now`: the time of messages that have none. Raises
    UnknownFormat, InvalidInput.
    """
    look, format = recognised(source, named)
    tally = Tally()
    seen: set[tuple[str, str, str]] = set()
    for found in format.read(source, look, tally):
        if isinstance(found, CopySpool):
            recorded = _of_copy(format, found)
        else:
            recorded = _of_transcript(format, found, tally, source.name, now)
        if recorded is None or (key := (recorded.session_id, recorded.branch, recorded.content)) in seen:
            continue
        seen.add(key)
        yield recorded
    if named and not seen and not tally.used and not format.recognises(look):
        raise is_another(format, look)


def _of_copy(format: Format, spool: CopySpool) -> RecordedSession | None:
    with closing(spool):
        copy = spool.copy
        try:
            frames = engine.copied_frames(copy)
        except engine.CopyRefused:
            return None
    return RecordedSession(copy.session_id, "", copy.title, format.name, spool.content, tuple(frames))


def _of_transcript(
    format: Format, transcript: Transcript, tally: Tally, file: str, now: Callable[[], datetime]
) -> RecordedSession | None:
    with closing(Spool(transcript, tally, file=file)) as spool:
        if not spool.messages:
            return None
        return RecordedSession(
            session_id=transcript.native_id,
            branch=transcript.branch,
            title=title_of(transcript.title, length=200) or spool.first_request,
            format=format.name,
            content=spool.content,
            frames=tuple(engine.recorded_frames(history=spool.steps(), now=now)),
        )
