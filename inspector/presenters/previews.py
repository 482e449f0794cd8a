"""What a compression or a recovery would do, before it is done."""

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.presenters.session_head import fate_word
from inspector.presenters.shown import Number, per_cent, text
from sessions_app import engine

ARGUMENTS = 4_000
SUMMARIES = 3
SUMMARY_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class FateShare:
    """`start` and `width` run from 0 to 1,000, for a bar. `count` is exact."""

    kind: str
    text: str
    count: str
    start: int
    width: int


@dataclass(frozen=True, slots=True)
class CompressionPreview:
    version: int
    tokens_before: Number
    tokens_after: Number
    saved: int
    messages_before: Number
    messages_after: Number
    fates: tuple[FateShare, ...]
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
    reasons: tuple[tuple[str, str], ...]


def compression_preview(would: engine.Written) -> CompressionPreview:
    entry = would.compression
    assert entry is not None  # a compression always says what it would record
    summaries = [p.item.message.body for p in would.context or () if p.item.kind == "summary"]
    return CompressionPreview(
        version=entry.version,
        tokens_before=Number.of(entry.before.tokens),
        tokens_after=Number.of(entry.after.tokens),
        saved=100 - per_cent(entry.after.tokens, entry.before.tokens),
        messages_before=Number.of(entry.before.messages),
        messages_after=Number.of(entry.after.messages),
        fates=fate_shares(entry.fates),
        summaries=tuple(text(s, limit=SUMMARY_LENGTH) for s in summaries[:SUMMARIES]),
    )


def fate_shares(fates: Mapping[str, int]) -> tuple[FateShare, ...]:
    total = sum(fates.values())
    shares, start = [], 0
    for fate in engine.FATES:
        count = fates.get(fate, 0)
        if not count:
            continue
        stop = start + round(1000 * count / total)
        shares.append(FateShare(fate, fate_word(fate), f"{count:,}", start, max(1, stop - start)))
        start = stop
    return tuple(shares)


def recovery_preview(would: engine.Written, *, calling: Mapping[int, engine.Frame], reason: str) -> RecoveryPreview:
    """`calling`: the frames that made the open calls. The frames that would be written stand in call order."""
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
    return RecoveryPreview(calls, reason, tuple(engine.REASONS.items()))


def _arguments(frame: engine.Frame, call_id: str) -> str:
    if frame.message.is_damaged:
        return ""
    return next((c.arguments for c in frame.message.calls if c.id == call_id), "")
