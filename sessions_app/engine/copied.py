"""A session by value: what is needed to make it again, and nothing that can be found out from the rest.

Which call a reply answers, which calls are open, what every count is: whoever takes a copy in finds it out anew
(`rewalk`, `copy_check`), for a copy may come from anywhere.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sessions_app.engine.frames import Source
from sessions_app.engine.ledger import LedgerEntry
from sessions_app.engine.messages import Message
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.window import Kind


@dataclass(frozen=True, slots=True)
class CopiedFrame:
    seq: int
    source: Source
    created_at: datetime
    context_version: int
    metadata: dict[str, Any]
    message: Message


@dataclass(frozen=True, slots=True)
class CopiedVersion:
    """A row of the ledger. `context_messages`: how many the window has; None where it is no longer kept."""

    entry: LedgerEntry
    context_messages: int | None


@dataclass(frozen=True, slots=True)
class CopiedContext:
    """A context message. `message` is None where it is that of its one frame, unchanged."""

    version: int
    position: int
    kind: Kind
    original_seqs: Seqs
    message: Message | None


Part = CopiedFrame | CopiedVersion | CopiedContext


@dataclass(frozen=True, slots=True)
class Copy:
    """The settings and the head of a session, without owner, incarnation and lease.

    `parts()` gives the rest anew each time: the frames by seq, the versions, then the windows by version and position.
    """

    session_id: str
    title: str
    labels: tuple[str, ...]
    keep_context_history: bool
    require_head: bool
    compression_policy: str
    next_msg_seq: int
    context_compression_version: int
    parts: Callable[[], Iterator[Part]]
