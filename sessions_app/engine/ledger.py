"""The ledger: a row for each version of the window, and what became of each frame under it."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sessions_app import jsontext
from sessions_app.engine.window import ContextItem, Kind, Window
from sessions_app.models import Compression

Fate = Literal["kept", "edited", "summarised", "dropped"]
FATES: tuple[Fate, ...] = ("kept", "edited", "summarised", "dropped")
_FATE_OF_KIND: dict[Kind, Fate] = {"original": "kept", "edited": "edited", "summary": "summarised"}


@dataclass(frozen=True, slots=True)
class Size:
    tokens: int
    messages: int


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What one version of the window was made from, how, by whom and with what result. `strategy` is None for version
    1.
    """

    version: int
    strategy: str | None
    requested_strategy: str | None
    params: dict[str, Any]
    before: Size
    after: Size
    fates: dict[str, int]
    from_next_msg_seq: int
    from_version: int
    created_by: str
    created_at: datetime
    duration_ms: int = 0
    why: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    def row(self, session_id: str) -> Compression:
        return Compression(
            session_id=session_id,
            version=self.version,
            strategy=self.strategy or "",
            requested_strategy=self.requested_strategy or "",
            params=jsontext.dumps(self.params),
            why=self.why,
            tokens_before=self.before.tokens,
            tokens_after=self.after.tokens,
            messages_before=self.before.messages,
            messages_after=self.after.messages,
            fates=jsontext.dumps(self.fates),
            from_next_msg_seq=self.from_next_msg_seq,
            from_version=self.from_version,
            created_by=self.created_by,
            created_at=self.created_at,
            duration_ms=self.duration_ms,
            usage=jsontext.dumps(self.usage),
        )

    @classmethod
    def of(cls, row: Compression) -> "LedgerEntry":
        return cls(
            version=row.version,
            strategy=row.strategy or None,
            requested_strategy=row.requested_strategy or None,
            params=jsontext.loads_stored(row.params),
            before=Size(row.tokens_before, row.messages_before),
            after=Size(row.tokens_after, row.messages_after),
            fates=jsontext.loads_stored(row.fates),
            from_next_msg_seq=row.from_next_msg_seq,
            from_version=row.from_version,
            created_by=row.created_by,
            created_at=row.created_at,
            duration_ms=row.duration_ms,
            why=row.why,
            usage=jsontext.loads_stored(row.usage),
        )


def fate_of(item: ContextItem) -> Fate:
    return _FATE_OF_KIND[item.kind]


def fate_of_kind(kind: str) -> Fate:
    return _FATE_OF_KIND[kind]  # type: ignore[index]


def count_fates(window: Window, *, frame_count: int) -> dict[str, int]:
    """Frames by what became of them; what no message claims is dropped."""
    counts: Counter[str] = Counter(dict.fromkeys(FATES, 0))
    for item in window:
        counts[fate_of(item)] += len(item.original_seqs)
    counts["dropped"] = frame_count - sum(counts.values())
    return dict(counts)
