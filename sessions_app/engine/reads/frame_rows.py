"""Pages of frames as rows of a list: what was derived when they were written, and the beginning of each message."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Substr

from sessions_app import jsontext
from sessions_app.engine.beginnings import LENGTH, Beginning
from sessions_app.engine.errors import FrameNotFound
from sessions_app.engine.messages import Call
from sessions_app.engine.reads.frame_pages import FrameFilter, Page, page_of
from sessions_app.models import RawFrame


@dataclass(frozen=True, slots=True)
class FrameRow:
    """A frame without its message. `calls`: those that begin within the first characters, arguments cut there.
    `first_part`, `has_reasoning`: as far as those characters tell, for a message without text.
    """

    seq: int
    role: str
    source: str
    created_at: datetime
    context_version: int
    tokens: int
    excerpt: str
    tool_names: tuple[str, ...]
    call_seq: int | None
    recovery_seq: int | None
    is_error: bool
    is_damaged: bool
    calls: tuple[Call, ...]
    first_part: str
    has_reasoning: bool

    @classmethod
    def of(cls, row: RawFrame) -> "FrameRow":
        beginning = Beginning.of(row.beginning)  # type: ignore[attr-defined]
        return cls(
            seq=row.seq,
            role=row.role,
            source=row.source,
            created_at=row.created_at,
            context_version=row.context_version,
            tokens=row.tokens,
            excerpt=row.excerpt,
            tool_names=jsontext.unescape_lines(row.tool_names),
            call_seq=row.call_seq,
            recovery_seq=row.recovery_seq,
            is_error=row.is_error,
            is_damaged=beginning is None,
            calls=beginning.calls if beginning else (),
            first_part=beginning.first_part if beginning else "",
            has_reasoning=beginning is not None and beginning.has_reasoning,
        )

    @property
    def is_orphan(self) -> bool:
        """As of a frame: a reply that matches no call, kept in no window."""
        return self.role == "tool" and self.call_seq is None


def frame_rows(
    session_id: str,
    *,
    last_seq: int,
    wanted: FrameFilter = FrameFilter(),
    after_seq: int | None = None,
    before_seq: int | None = None,
    limit: int = 100,
) -> Page[FrameRow]:
    """Pages as `frames_page` gives them. One statement without a filter; no message is read whole but for a search."""
    rows = RawFrame.objects.defer("metadata", "tool_call_id", "tokenizer").annotate(
        beginning=Substr("message", 1, LENGTH)
    )
    if not wanted.search:
        rows = rows.defer("message")
    return page_of(
        session_id,
        rows,
        FrameRow.of,
        last_seq=last_seq,
        wanted=wanted,
        after_seq=after_seq,
        before_seq=before_seq,
        limit=limit,
    )


def version_at(session_id: str, seq: int) -> int:
    """The version of the window that was current when frame `seq` was written. Raises FrameNotFound."""
    found = RawFrame.objects.filter(session_id=session_id, seq=seq).values_list("context_version", flat=True).first()
    if found is None:
        raise FrameNotFound(session_id, seq)
    return found
