"""From accepted messages to a prepared write: frames, their places in the window, and the counters after it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sessions_app.engine.commit import PreparedWrite
from sessions_app.engine.frames import Frame
from sessions_app.engine.pairing import Accepted, Walk
from sessions_app.engine.projection import FindRecovery, Projector


def prepare_frames(
    walk: Walk,
    *,
    notes: Sequence[dict[str, Any]],
    now: datetime,
    find: FindRecovery,
    times: Sequence[datetime] = (),
) -> PreparedWrite:
    """`notes`: the metadata of each message of the batch; recovery frames have none. `times`: when each was said, for
    messages of another time than now; a recovery frame has that of the message before it.
    """
    before = walk.state
    version = before.context_compression_version
    said_at = _times(walk.accepted, times, now)
    frames = tuple(_frame(a, notes=notes, at=at, version=version) for a, at in zip(walk.accepted, said_at, strict=True))
    projector = Projector(length=before.context_messages, find=find)
    for frame in frames:
        projector.place(frame)
    after = replace(
        before,
        next_msg_seq=walk.next_seq,
        open_calls=tuple(walk.open_calls.values()),
        recovered_calls=tuple(walk.recovered_calls),
        raw_tokens=before.raw_tokens + sum(f.tokens for f in frames),
        context_tokens=before.context_tokens + projector.tokens_added,
        context_messages=before.context_messages + len(projector.appended),
        tail_role=projector.appended[-1].item.role if projector.appended else before.tail_role,
    )
    return PreparedWrite(
        before=before,
        after=after,
        now=now,
        frames=frames,
        appended=tuple(projector.appended),
        replaced=tuple(projector.replaced.values()),
    )


def _times(accepted: Sequence[Accepted], times: Sequence[datetime], now: datetime) -> list[datetime]:
    said_at: list[datetime] = []
    for one in accepted:
        if not times:
            said_at.append(now)
        elif one.index is not None:
            said_at.append(times[one.index])
        else:
            said_at.append(said_at[-1] if said_at else times[0])
    return said_at


def _frame(accepted: Accepted, *, notes: Sequence[dict[str, Any]], at: datetime, version: int) -> Frame:
    message = accepted.message
    return Frame(
        seq=accepted.seq,
        source=accepted.source,
        created_at=at,
        context_version=version,
        tokens=message.count_tokens(),
        metadata={} if accepted.index is None else notes[accepted.index],
        message=message,
        role=message.role,
        tool_names=accepted.tool_names,
        call_seq=accepted.call_seq,
        recovery_seq=accepted.recovery_seq,
    )
