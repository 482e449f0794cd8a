"""What a compression or a recovery would do, before it is done."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from inspector.presenters.filters import Choice
from inspector.presenters.shown import Number, saved_per_cent, text
from inspector.presenters.strip import StripView, strip_view
from inspector.view_state import ViewState
from inspector.wording import in_words
from sessions_app import engine

ARGUMENTS = 4_000
SUMMARIES = 3
SUMMARY_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class CompressionPreview:
    version: int
    tokens_before: Number
    tokens_after: Number
    saved: int
    messages_before: Number
    messages_after: Number
    strip: StripView | None
    summaries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallToRecover:
    id: str
    name: str
    seq: int
    arguments: str
    message: str


@dataclass(frozen=True, slots=True)
class RecoveryPreview:
    calls: tuple[CallToRecover, ...]
    reason: str
    reasons: tuple[Choice, ...]


def compression_preview(would: engine.Written) -> CompressionPreview:
    entry, session_id = would.compression, would.state.session_id
    assert entry is not None  # a compression always says what it would record
    summaries = [p.item.message.body for p in would.context or () if p.item.kind == "summary"]
    return CompressionPreview(
        version=entry.version,
        tokens_before=Number.of(entry.before.tokens),
        tokens_after=Number.of(entry.after.tokens),
        saved=saved_per_cent(entry.after.tokens, entry.before.tokens),
        messages_before=Number.of(entry.before.messages),
        messages_after=Number.of(entry.after.messages),
        strip=strip_view(engine.reads.strip_of_candidate(session_id, entry, would.context or ())),
        summaries=tuple(text(s, limit=SUMMARY_LENGTH) for s in summaries[:SUMMARIES]),
    )


def recovery_preview(
    would: engine.Written, view: ViewState, *, calling: Mapping[int, engine.Frame], reason: str
) -> RecoveryPreview:
    """`calling`: the frames that made the open calls. The frames that would be written stand in call order."""
    words = {"": _("not said"), **engine.REASONS}
    calls = tuple(
        CallToRecover(
            id=text(call.id, limit=300),
            name=text(call.name, limit=200),
            seq=call.seq,
            arguments=text(_arguments(calling[call.seq], call.id), limit=ARGUMENTS),
            message=text(frame.message.body),
        )
        for call, frame in zip(would.state.open_calls, would.frames, strict=True)
    )
    reasons = tuple(
        Choice(in_words(said), view.url(reason=name, fragment="#panel"), name == reason) for name, said in words.items()
    )
    return RecoveryPreview(calls, reason, reasons)


def _arguments(frame: engine.Frame, call_id: str) -> str:
    if frame.message.is_damaged:
        return ""
    return next((c.arguments for c in frame.message.calls if c.id == call_id), "")
