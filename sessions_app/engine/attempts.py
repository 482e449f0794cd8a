"""How a write is tried: read, check the key and the head, prepare, commit; and again where that is allowed.

After zero rows the loop reads again, so the answers come in the order of the contract by themselves: 404, the replay,
then the stale head.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Final

from sessions_app.engine import reads
from sessions_app.engine.commit import PreparedWrite, commit, in_turn
from sessions_app.engine.errors import Conflict, HeadRequired, StaleHead
from sessions_app.engine.frames import Frame
from sessions_app.engine.ledger import LedgerEntry
from sessions_app.engine.projection import Placement
from sessions_app.engine.receipts import Answered, IdempotencyKey, Receipt, load_answered
from sessions_app.engine.state import SessionState
from sessions_app.engine.window import Window
from sessions_app.models import Head, IdempotencyRecord


class AnyHead(Enum):
    """`If-Match: *`: the writer says that it does not care where the session stands."""

    ANY = "*"


ANY_HEAD: Final = AnyHead.ANY
Expected = Head | AnyHead | None


@dataclass(frozen=True, slots=True)
class Retry:
    """How long a write without a head is tried, and the pauses between.

    Random, so that writers do not march in step; shorter for one that has lost often, so that none loses for ever.
    """

    seconds: float = 3.0
    shortest_pause: float = 0.001
    longest_pause: float = 0.020
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    uniform: Callable[[float, float], float] = random.uniform
    in_turn_after: int = 1
    """Attempts that may be lost before the writer queues for the session: on a busy machine luck alone lets some lose
    for longer than `seconds`.
    """

    def pause(self, lost: int) -> None:
        """After `lost` attempts."""
        self.sleep(self.uniform(self.shortest_pause, max(self.shortest_pause, self.longest_pause / lost)))


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did: the state after it, the frames and the context messages that are new.

    `context` is None where a replay finds the window of that time no longer kept. With `compression` it is the whole
    new window; where there are `frames` too, a compression followed their append, and it is what stands for them there.
    """

    state: SessionState
    frames: tuple[Frame, ...] = ()
    context: tuple[Placement, ...] | None = ()
    compression: LedgerEntry | None = None
    replayed: bool = False
    dry_run: bool = False
    window: Window | None = None
    """Of an append that a compression followed: the whole window after it, for a working set. None in a replay."""


def write(
    *,
    session_id: str,
    expected: Expected,
    idempotency: IdempotencyKey | None,
    now: Callable[[], datetime],
    retry: Retry,
    status: int,
    prepare: Callable[[SessionState], PreparedWrite],
) -> Written:
    """Raises SessionNotFound, KeyReused, StaleHead, HeadRequired, Conflict, and what `prepare` raises."""

    def attempt(save: Callable[[PreparedWrite], bool]) -> Written | None:
        state = reads.session_state(session_id)
        replay, expired = replay_of(idempotency, state=state, now=now)
        if replay is not None:
            return replay
        check_head(expected, state)
        prepared = prepare(state)
        written = result_of(prepared)
        if idempotency is not None:
            receipt = receipt_for(idempotency, written, status=status, now=prepared.now, expired=expired)
            prepared = replace(prepared, receipt=receipt)
        return written if save(prepared) else None

    deadline = retry.clock() + retry.seconds
    lost = 0
    while (written := attempt(commit)) is None:
        if isinstance(expected, Head):
            continue  # the next look says in which way it is stale
        lost += 1
        if retry.clock() >= deadline:
            raise Conflict(
                f"Others kept writing to the session for {retry.seconds:g} s; nothing was written.",
                actual=reads.session_state(session_id),
            )
        retry.pause(lost)
        if lost >= retry.in_turn_after:
            with in_turn(session_id) as save:
                if (written := attempt(save)) is not None:
                    break
    return written


def replay_of(
    key: IdempotencyKey | None, *, state: SessionState, now: Callable[[], datetime]
) -> tuple[Written | None, bool]:
    """The first answer under this key, and whether an expired record must make room. Raises KeyReused."""
    if key is None:
        return None, False
    record, expired = reads.remembered(key, session_id=state.session_id, incarnation=state.incarnation, now=now())
    return (None if record is None else rebuild(record)), expired


def check_head(expected: Expected, state: SessionState, *, dry_run: bool = False) -> None:
    """Raises StaleHead with the frames that were missed, or HeadRequired. A dry run writes nothing and needs none."""
    if expected is None:
        if state.require_head and not dry_run:
            raise HeadRequired(actual=state)
        return
    if expected is ANY_HEAD or expected == state.head:
        return
    assert isinstance(expected, Head)
    same_session = expected.incarnation == state.incarnation
    missed = reads.frames_missed(state.session_id, expected.next_msg_seq) if same_session else []
    raise StaleHead(expected=expected, actual=state, missed=missed)


def result_of(prepared: PreparedWrite) -> Written:
    placements: Sequence[Placement] = (*prepared.replaced, *prepared.appended)
    return Written(
        state=prepared.after,
        frames=tuple(prepared.frames),
        context=tuple(sorted(placements, key=lambda p: p.position)),
        compression=prepared.ledger,
    )


def receipt_for(key: IdempotencyKey, written: Written, *, status: int, now: datetime, expired: bool) -> Receipt:
    whole_window = written.compression is not None and not written.frames
    return Receipt(
        key=key,
        session_id=written.state.session_id,
        incarnation=written.state.incarnation,
        status=status,
        answered=Answered(
            state=written.state,
            first_seq=written.frames[0].seq if written.frames else None,
            last_seq=written.frames[-1].seq if written.frames else None,
            positions=None if whole_window else tuple(p.position for p in written.context or ()),
            compressed=written.compression is not None and not whole_window,
        ),
        now=now,
        replaces_expired=expired,
    )


def rebuild(record: IdempotencyRecord) -> Written:
    """The answer of a write that was made before, from its record and the rows."""
    answered = load_answered(record.answer)
    state = answered.state
    whole_window = answered.positions is None
    frames: list[Frame] = []
    if answered.first_seq is not None and answered.last_seq is not None:
        frames = reads.frames_between(state.session_id, answered.first_seq, answered.last_seq)
    version = state.context_compression_version
    return Written(
        state=state,
        frames=tuple(frames),
        context=reads.placements_as_answered(
            state.session_id,
            version=version,
            below_seq=state.next_msg_seq,
            positions=answered.positions,
        ),
        compression=reads.ledger_entry(state.session_id, version) if whole_window or answered.compressed else None,
        replayed=True,
    )
