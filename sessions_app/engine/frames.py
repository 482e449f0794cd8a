"""A raw frame as a value, and what is derived from its message when it is written."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sessions_app import jsontext
from sessions_app.engine import tokens
from sessions_app.engine.errors import DamagedMessage
from sessions_app.engine.messages import Message
from sessions_app.models import RawFrame

Source = Literal["agent", "recovery", "import"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One message exactly as the agent sent it, with where it stands.

    `call_seq`: the frame whose call a tool message answers. `recovery_seq`: for a late reply, the recovery frame
    before it.
    """

    seq: int
    source: str
    created_at: datetime
    context_version: int
    tokens: int
    metadata: dict[str, Any]
    message: Message
    role: str
    tool_names: tuple[str, ...]
    call_seq: int | None
    recovery_seq: int | None

    @classmethod
    def of(cls, row: RawFrame) -> "Frame":
        return cls(
            seq=row.seq,
            source=row.source,
            created_at=row.created_at,
            context_version=row.context_version,
            tokens=row.tokens,
            metadata=_metadata(row.metadata),
            message=Message(row.message),
            role=row.role,
            tool_names=jsontext.unescape_lines(row.tool_names),
            call_seq=row.call_seq,
            recovery_seq=row.recovery_seq,
        )

    @property
    def is_orphan(self) -> bool:
        """A reply that matches no call: kept as a raw frame, in no window. Only an import brings such."""
        return self.role == "tool" and self.call_seq is None

    def row(self, session_id: str) -> RawFrame:
        message = self.message
        return RawFrame(
            session_id=session_id,
            seq=self.seq,
            message=message.text,
            role=self.role,
            tool_call_id=jsontext.escape(message.tool_call_id or ""),
            tool_names=jsontext.escape_lines(self.tool_names),
            call_seq=self.call_seq,
            recovery_seq=self.recovery_seq,
            is_error=message.is_error,
            excerpt=message.excerpt,
            tokens=self.tokens,
            tokenizer=tokens.tokenizer_name(),
            source=self.source,
            metadata=jsontext.dumps(self.metadata),
            context_version=self.context_version,
            created_at=self.created_at,
        )


def _metadata(text: str) -> dict[str, Any]:
    try:
        return jsontext.loads_stored(text)  # type: ignore[no-any-return]
    except ValueError as e:
        raise DamagedMessage from e
