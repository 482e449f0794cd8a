"""Restore: publish an earlier window, with what came after it, as a new version. Undoes any compression; loses
nothing.
"""

import time
from collections.abc import Callable
from datetime import datetime

from django.utils import timezone

from sessions_app.engine import reads
from sessions_app.engine.attempts import Expected, Written
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import NothingToCompress, VersionNotFound, VersionNotKept
from sessions_app.engine.projection import project
from sessions_app.engine.publish import Proposal, publish
from sessions_app.engine.receipts import IdempotencyKey
from sessions_app.engine.state import SessionState
from sessions_app.engine.window import Window

RESTORE = "restore"
"""Its name in the ledger and in the API, beside those of the strategies."""


@with_typed_failures
def restore(
    *,
    session_id: str,
    version: int,
    expected: Expected = None,
    dry_run: bool = False,
    created_by: str = "",
    idempotency: IdempotencyKey | None = None,
    now: Callable[[], datetime] = timezone.now,
    clock: Callable[[], float] = time.monotonic,
) -> Written:
    """Publish the window of `version`, followed by the frames that were written under later versions.

    Version 1 is rebuilt from the raw frames where it is no longer kept. Exempt from "must get smaller".
    Raises SessionNotFound, KeyReused, StaleHead, HeadRequired, VersionNotFound, VersionNotKept, NothingToCompress,
    Conflict.
    """

    def propose(read: reads.WindowRead) -> Proposal:
        if version == read.state.context_compression_version:
            raise NothingToCompress(actual=read.state, why=f"Version {version} is the current window.")
        return Proposal(window=restored_window(read.state, version), strategy=RESTORE, params={"version": version})

    return publish(
        session_id=session_id,
        propose=propose,
        expected=expected,
        dry_run=dry_run,
        created_by=created_by,
        idempotency=idempotency,
        now=now,
        clock=clock,
    )


def restored_window(state: SessionState, version: int) -> Window:
    """The window of `version` as it was left, with the later frames up to the head of `state` standing in it."""
    session_id, below = state.session_id, state.next_msg_seq
    if not 1 <= version <= state.context_compression_version:
        raise VersionNotFound(session_id, version)
    if reads.is_kept(session_id, version):
        later = reads.frames_since_version(session_id, version=version, below=below)
        return project(reads.window_of_version(session_id, version).window, later)
    if version != 1:
        raise VersionNotKept(session_id, version)
    return project(Window(), reads.all_frames(session_id, below=below))
