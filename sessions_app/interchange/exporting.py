"""Export: a session as a file of JSON Lines, its messages alone or all that makes it again.

Written to a temporary file first. So the file is one state of the session though others go on writing, nobody's slow
line keeps anything open in the database, and what cannot be read is refused before the first byte is sent.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Final, Literal

from sessions_app import engine
from sessions_app.engine import Conflict, DamagedMessage, SessionNotFound, SessionRecord, SessionState
from sessions_app.interchange.bundle_lines import part_line, session_line

Kind = Literal["messages", "bundle"]
ATTEMPTS: Final = 5
_IN_MEMORY: Final = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Export:
    """`file` stands at its start and is the caller's to close; `state` is the one of the session that it holds."""

    file: IO[bytes]
    state: SessionState
    name: str
    """A name for the file that is safe on every system."""


def export_session(session: SessionState, kind: Kind) -> Export:
    """The session that `session` is a state of, as it is now.

    Raises SessionNotFound, DamagedMessage, and Conflict where windows kept vanishing while they were read.
    """
    file: IO[bytes] = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - handed to the caller
    try:
        state = _write_one_state(session, kind, file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return Export(file, state, _file_name(state.session_id, kind))


def _write_one_state(session: SessionState, kind: Kind, file: IO[bytes]) -> SessionState:
    for _ in range(ATTEMPTS):
        record = engine.reads.session_record(session.session_id)
        if record.state.incarnation != session.incarnation:
            raise SessionNotFound(session.session_id)  # deleted, and made again by somebody
        file.seek(0)
        file.truncate()
        damage: DamagedMessage | None = None
        try:
            for line in _lines(record, kind):
                file.write(line.encode() + b"\n")
        except DamagedMessage as e:  # or rows that went away while we read
            damage = e
        if not _is_one_state(record.state, kind):
            continue
        if damage is not None:
            raise damage
        return record.state
    raise Conflict(
        "Windows of the session kept being removed while it was exported.",
        actual=engine.reads.session_state(session.session_id),
    )


def _lines(record: SessionRecord, kind: Kind) -> Iterator[str]:
    state = record.state
    if kind == "messages":
        for message in engine.reads.messages_in_order(state.session_id, below=state.next_msg_seq):
            yield message.text
    else:
        copy = engine.reads.copy_of(record)
        yield session_line(copy, session_id=copy.session_id)
        yield from map(part_line, copy.parts())


def _is_one_state(state: SessionState, kind: Kind) -> bool:
    if kind == "bundle":
        return engine.reads.is_still_there(state)
    # Frames go with their session only.
    return engine.reads.session_state(state.session_id).incarnation == state.incarnation


def _file_name(session_id: str, kind: Kind) -> str:
    """No colon, which Windows refuses; the beginning is ours, so that no name is hidden or reserved."""
    return f"session-{re.sub(r'[^A-Za-z0-9._-]', '_', session_id)[:100]}.{kind}.jsonl"
