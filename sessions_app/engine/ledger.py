"""The ledger: a row for each version of the window, and what became of each frame under it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sessions_app import jsontext
from sessions_app.engine.fate_bins import FateBins
from sessions_app.engine.window import Window
from sessions_app.models import Compression


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
    automatic: bool = False
    """Made right after an append, by the session's policy: `created_by` is whoever appended."""
    fate_bins: FateBins | None = field(default=None, compare=False)
    """Of an entry that is being made. One that was read has none: only `reads.strip` asks for them."""

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
            automatic=self.automatic,
            created_at=self.created_at,
            duration_ms=self.duration_ms,
            usage=jsontext.dumps(self.usage),
            fate_bins="" if self.fate_bins is None else self.fate_bins.dump(),
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
            automatic=row.automatic,
        )


def count_fates(window: Window, *, frame_count: int) -> dict[str, int]:
    """Frames by what became of them; what no message claims is dropped."""
    return FateBins.of(window, frame_count=frame_count).totals
