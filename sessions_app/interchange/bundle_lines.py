"""The lines of a bundle, written and read. A part is written in one way only: equal parts are equal bytes."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sessions_app import jsontext
from sessions_app.compression.policy import parse_policy
from sessions_app.compression.stopping import guard_of, with_guard, without_guard
from sessions_app.engine import (
    FATES,
    CopiedContext,
    CopiedFrame,
    CopiedVersion,
    Copy,
    LedgerEntry,
    Message,
    Part,
    Seqs,
    Size,
)
from sessions_app.interchange.bundle_shapes import FORMAT, VERSION
from sessions_app.interchange.times import parse_time, time_text

Values = Mapping[str, Any]


def session_line(copy: Copy, *, session_id: str) -> str:
    policy = copy.compression_policy
    guard = guard_of(policy)
    return jsontext.dumps(
        {
            "type": "session",
            "format": FORMAT,
            "bundle_version": VERSION,
            "session_id": session_id,
            "title": copy.title,
            "labels": list(copy.labels),
            "keep_context_history": copy.keep_context_history,
            "require_head": copy.require_head,
            "compression_policy": without_guard(policy) if policy else None,
            "next_msg_seq": copy.next_msg_seq,
            "context_compression_version": copy.context_compression_version,
            # Only where there is something to say, as with `automatic` below: the line of a session that has neither
            # is the one that it always had, and leads to the same id.
            **({"automatic_compression": guard} if guard else {}),
        }
    )


def read_session(values: Values, parts: Callable[[], Iterator[Part]]) -> Copy:
    """Raises InvalidInput for a policy that this installation would not take."""
    guard = {name: value for name, value in values.get("automatic_compression", {}).items() if value}
    return Copy(
        session_id=values["session_id"],
        title=values["title"],
        labels=tuple(values["labels"]),
        keep_context_history=values["keep_context_history"],
        require_head=values["require_head"],
        compression_policy=with_guard(parse_policy(values["compression_policy"], current=""), guard),
        next_msg_seq=values["next_msg_seq"],
        context_compression_version=values["context_compression_version"],
        parts=parts,
    )


def part_line(part: Part) -> str:
    match part:
        case CopiedFrame():
            return _frame_line(part)
        case CopiedVersion():
            return _version_line(part.entry, part.context_messages)
        case CopiedContext():
            return _context_line(part)


def read_part(values: Values, message: Message | None) -> Part:
    """From the values of a line that has the shape of its type. `message`: that of the line, where it has one."""
    match values["type"], message:
        case "frame", Message():
            return CopiedFrame(
                seq=values["seq"],
                source=values["source"],
                created_at=_time(values["created_at"]),
                context_version=values["context_version"],
                metadata=values["metadata"],
                message=message,
            )
        case "version", _:
            return CopiedVersion(_entry(values), values["context_messages"])
    seqs = Seqs(tuple((first, last) for first, last in values["original_seqs"]))
    return CopiedContext(values["version"], values["position"], values["kind"], seqs, message)


def _frame_line(frame: CopiedFrame) -> str:
    return _with_message(
        {
            "type": "frame",
            "seq": frame.seq,
            "source": frame.source,
            "created_at": time_text(frame.created_at),
            "context_version": frame.context_version,
            "metadata": frame.metadata,
        },
        frame.message,
    )


def _context_line(context: CopiedContext) -> str:
    return _with_message(
        {
            "type": "context",
            "version": context.version,
            "position": context.position,
            "kind": context.kind,
            "original_seqs": context.original_seqs.ranges,
        },
        context.message,
    )


def _with_message(members: dict[str, Any], message: Message | None) -> str:
    """The message in its stored form: as it was sent, and parsed by nobody."""
    text = jsontext.dumps(members)
    return text if message is None else f'{text[:-1]},"message":{message.text}}}'


def _version_line(entry: LedgerEntry, context_messages: int | None) -> str:
    return jsontext.dumps(
        {
            "type": "version",
            "version": entry.version,
            "strategy": entry.strategy,
            "requested_strategy": entry.requested_strategy,
            "params": entry.params,
            "why": entry.why,
            "before": {"tokens": entry.before.tokens, "messages": entry.before.messages},
            "after": {"tokens": entry.after.tokens, "messages": entry.after.messages},
            "fates": {fate: entry.fates[fate] for fate in FATES},
            "from": {
                "next_msg_seq": entry.from_next_msg_seq,
                "context_compression_version": entry.from_version or None,
            },
            "created_by": entry.created_by,
            "created_at": time_text(entry.created_at),
            "duration_ms": entry.duration_ms,
            "usage": entry.usage,
            "context_messages": context_messages,
            **({"automatic": True} if entry.automatic else {}),
        }
    )


def _entry(values: Values) -> LedgerEntry:
    return LedgerEntry(
        version=values["version"],
        strategy=values["strategy"],
        requested_strategy=values["requested_strategy"],
        params=values["params"],
        before=Size(**values["before"]),
        after=Size(**values["after"]),
        fates={fate: values["fates"][fate] for fate in FATES},
        from_next_msg_seq=values["from"]["next_msg_seq"],
        from_version=values["from"]["context_compression_version"] or 0,
        created_by=values["created_by"],
        created_at=_time(values["created_at"]),
        duration_ms=values["duration_ms"],
        why=values["why"],
        usage=values["usage"],
        automatic=values.get("automatic", False),
    )


def _time(text: str) -> datetime:
    moment = parse_time(text)
    assert moment is not None  # the shape of the line says so
    return moment
