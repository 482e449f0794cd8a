"""Store a bundle: under its own id where that is free, else under one that follows from its owner and content."""

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import zip_longest
from typing import Final

from sessions_app import engine
from sessions_app.engine import Copy, CopyRefused, DamagedMessage, SessionExists, SessionNotFound
from sessions_app.interchange.bundle_lines import part_line, session_line
from sessions_app.interchange.copy_spool import CopySpool
from sessions_app.interchange.identity import session_id_for
from sessions_app.interchange.report import SessionReport
from sessions_app.interchange.tally import Tally

COPIES: Final = 20
"""How many sessions made from one bundle, each gone on with since, lead to one more."""


def store_copy(
    spool: CopySpool, tally: Tally, *, owner_id: int, dry_run: bool, now: Callable[[], datetime]
) -> SessionReport | None:
    """None where it is no session that there could be: it is named in the tally then, and nothing of it is stored.

    Raises SessionExists where each of its ids is taken by another session.
    """
    try:
        session_id, status = _find_or_make(spool, owner_id, dry_run, now)
    except CopyRefused as e:
        spool.refuse(tally, f"is no session that there could be: {e}")
        return None
    tally.use(spool.records)
    copy = spool.copy
    return SessionReport(
        session_id=session_id,
        title=copy.title,
        labels=copy.labels,
        frames=copy.next_msg_seq - 1,
        versions=copy.context_compression_version,
        status=status,
    )


def _find_or_make(spool: CopySpool, owner_id: int, dry_run: bool, now: Callable[[], datetime]) -> tuple[str, str]:
    session_id = ""
    for session_id in _ids(spool, owner_id):
        if not engine.reads.session_exists(session_id):
            try:
                engine.import_copy(spool.copy, owner_id=owner_id, session_id=session_id, dry_run=dry_run, now=now)
            except SessionExists:
                pass  # another was faster: perhaps with the same
            else:
                return session_id, "created"
        if _is_its(spool, session_id, owner_id):
            return session_id, "exists"
    raise SessionExists(session_id)


def _ids(spool: CopySpool, owner_id: int) -> Iterator[str]:
    """Always the same for the same bundle and owner."""
    yield spool.copy.session_id
    for n in range(COPIES):
        yield session_id_for(
            owner_id=owner_id,
            format="bundle",
            native_id=spool.copy.session_id,
            branch=str(n) if n else "",
            content=spool.content,
        )


def _is_its(spool: CopySpool, session_id: str, owner_id: int) -> bool:
    """Whether the stored session is the owner's and equal to the bundle."""
    try:
        record = engine.reads.session_record(session_id)
        return (
            record.state.owner_id == owner_id
            and _is_equal(engine.reads.copy_of(record), spool)
            and engine.reads.session_state(session_id).head == record.state.head
        )
    except (SessionNotFound, DamagedMessage):
        return False


def _is_equal(stored: Copy, spool: CopySpool) -> bool:
    if session_line(stored, session_id="") != session_line(spool.copy, session_id=""):
        return False
    return all(a == b for a, b in zip_longest(map(part_line, stored.parts()), spool.lines()))
