"""A recorded history as an import takes it, step by step, and what became of it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sessions_app.engine.messages import Message
from sessions_app.engine.state import SessionState


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message of a history, valid by `parse_messages`. `at`: when it was said; None: now."""

    message: Message
    metadata: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportedCompaction:
    """The window becomes the messages in `keeps` (their numbers among those of the history, from 0) and `summary`."""

    keeps: frozenset[int]
    summary: Message | None = None
    params: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None
    order: tuple[int | None, ...] = ()
    """The messages as the model saw them, None for the summary, where that is not the order of their numbers."""


ImportStep = ImportedMessage | ImportedCompaction
Status = Literal["created", "extended", "exists"]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. `state` is that of the session after it; `refused`: compactions that were left out, by
    their number in the history from 1, with the reason.
    """

    status: Status
    state: SessionState
    orphan_replies: tuple[int, ...] = ()
    """Numbers of the messages, from 0, that answer no call."""
    refused: tuple[tuple[int, str], ...] = ()
