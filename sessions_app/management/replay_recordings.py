"""What a replay reads: stored sessions by their ids, and the sessions in files, which are stored nowhere."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from sessions_app import engine
from sessions_app.access.actors import actor_of
from sessions_app.access.models import User
from sessions_app.access.roles import Right
from sessions_app.access.sessions import session_for
from sessions_app.compression import Policy, load_policy
from sessions_app.interchange import recordings_in
from sessions_app.management.trajectory_files import Found, find, judged, opened

OnRead = Callable[[int], None]
"""Is told how far into its file or session a reader has got, in bytes."""

_BYTES_OF_A_TOKEN = 4
"""Roughly: for a bar that counts the bytes of files, too."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """`file`: its path, empty for a stored session; `format` is empty there, too. `number`: which session of its file
    it is, from 1.
    """

    file: str
    number: int
    session_id: str
    branch: str
    title: str
    format: str
    frames: Sequence[engine.Frame]
    policy: Policy | None = None

    @property
    def name(self) -> str:
        """By what its owner knows it."""
        nameless = f"#{self.number}" if self.number > 1 and not self.session_id else ""
        return " · ".join(filter(None, [self.file, self.session_id, self.branch, nameless]))

    @property
    def calls(self) -> int:
        return sum(frame.role == "assistant" for frame in self.frames)

    def peak(self) -> int:
        """The largest input of a call, if nothing were ever compressed."""
        window, peak = engine.GrowingWindow(), 0
        for frame in self.frames:
            if frame.role == "assistant":
                peak = max(peak, window.tokens)
            window.place(frame)
        return peak


@dataclass(frozen=True, slots=True)
class Missed:
    """What was asked for, or met in a folder, and gives no recording."""

    what: str
    status: Literal["skipped", "failed"]
    why: str


@dataclass(frozen=True, slots=True)
class Place:
    """One file or one session, with about as many bytes as it is."""

    name: str
    size: int
    read: Callable[[OnRead], Iterator[Recorded | Missed]]


def places(asked: Iterable[str], *, username: str, format: str | None, largest: int | None) -> list[Place]:
    """The files and the folders' files in order, then the sessions: what is no path is the id of one."""
    asked = list(asked)
    paths = [what for what in asked if os.path.lexists(what)]

    def of_file(found: Found) -> Place:
        return Place(found.path, found.size, partial(_in_file, found, format, largest))

    return [*map(of_file, find(paths)), *(_stored(what, username) for what in asked if what not in paths)]


def _in_file(found: Found, format: str | None, largest: int | None, on_read: OnRead) -> Iterator[Recorded | Missed]:
    number = 0
    try:
        with opened(found, on_read=on_read, largest=largest) as source:
            for number, one in enumerate(recordings_in(source, named=format), start=1):
                yield Recorded(found.path, number, one.session_id, one.branch, one.title, one.format, one.frames)
    except Exception as e:  # noqa: BLE001 - what goes wrong in one file is no reason to leave out the others
        yield Missed(found.path, *judged(found, e))
        return
    if not number:
        yield Missed(found.path, "failed" if found.is_named else "skipped", "holds no session")


def _stored(what: str, username: str) -> Place:
    def missing(why: str) -> Place:
        return Place(what, 0, lambda _on_read: iter([Missed(what, "failed", why)]))

    try:
        if not MigrationRecorder(connection).has_table():
            return missing("there is no such file, and no session is stored yet")
        user = User.objects.filter(username=username).first()
        if user is None:
            return missing(f"there is no such file, and there is no user {username!r} who could have such a session")
        session_for(actor_of(user), what, Right.READ)
        record = engine.reads.session_record(what)
    except engine.SessionNotFound:
        return missing(f"there is neither such a file nor such a session that {username} may read")
    except DatabaseError as e:
        return missing(f"there is no such file, and the database cannot be asked for a session: {e}")
    return Place(what, record.state.raw_tokens * _BYTES_OF_A_TOKEN, lambda _on_read: _of_session(record))


def _of_session(record: engine.SessionRecord) -> Iterator[Recorded]:
    state = record.state
    frames = list(engine.reads.all_frames(state.session_id, below=state.next_msg_seq))
    yield Recorded("", 1, state.session_id, "", record.title, "", frames, load_policy(state.compression_policy))
