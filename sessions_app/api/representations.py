"""Answers: engine values as plain JSON. One function a thing, so that a frame looks the same wherever it stands."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sessions_app import engine
from sessions_app.compression.comparison import Comparison, Result
from sessions_app.compression.measures import split_of
from sessions_app.compression.policy import is_due, load_policy
from sessions_app.compression.stopping import stopped
from sessions_app.interchange import Report

JSON = dict[str, Any]


def time_json(moment: datetime) -> str:
    """RFC 3339 in UTC, with microseconds: `2026-11-30T08:15:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def etag(state: engine.SessionState) -> str:
    """Names the head, not the representation."""
    return f'"{state.next_msg_seq}.{state.context_compression_version}.{state.incarnation}"'


def open_call_json(call: engine.OpenCall) -> JSON:
    return {"id": call.id, "name": call.name, "seq": call.seq}


def head_json(state: engine.SessionState) -> JSON:
    """The members that stand for the head wherever the contract says `head …`."""
    return {
        "session_id": state.session_id,
        "incarnation": state.incarnation,
        "next_msg_seq": state.next_msg_seq,
        "context_compression_version": state.context_compression_version,
        "state": state.state.value,
        "open_tool_calls": [open_call_json(c) for c in state.open_calls],
        "compression_due": is_due(policy_text=state.compression_policy, context_tokens=state.context_tokens),
    }


def session_json(record: engine.SessionRecord) -> JSON:
    """Head and counters, and what the session is called."""
    state = record.state
    policy = load_policy(state.compression_policy)
    return {
        **head_json(state),
        "title": record.title,
        "labels": list(record.labels),
        "frame_count": state.frame_count,
        "raw_tokens": state.raw_tokens,
        "context_tokens": state.context_tokens,
        "context_messages": state.context_messages,
        "keep_context_history": state.keep_context_history,
        "require_head": state.require_head,
        "compression_policy": None if policy is None else policy.model_dump(mode="json"),
        "automatic_compression_stopped": stopped(state.compression_policy) or None,
        "lease": None,
        "created_at": time_json(record.created_at),
        "updated_at": time_json(record.updated_at),
    }


def message_json(message: engine.Message) -> JSON | None:
    """The message as it was sent; None where its stored text is damaged."""
    return None if message.is_damaged else message.data


def frame_json(frame: engine.Frame) -> JSON:
    answer: JSON = {
        "seq": frame.seq,
        "source": frame.source,
        "created_at": time_json(frame.created_at),
        "context_version": frame.context_version,
        "tokens": frame.tokens,
        "metadata": frame.metadata,
        "message": message_json(frame.message),
    }
    return {**answer, "damaged": True} if answer["message"] is None else answer


def placement_json(placement: engine.Placement) -> JSON:
    item = placement.item
    answer: JSON = {
        "position": placement.position,
        "kind": item.kind,
        "original_seqs": list(item.original_seqs),
        "tokens": item.tokens,
        "message": message_json(item.message),
    }
    return {**answer, "damaged": True} if answer["message"] is None else answer


def compression_json(entry: engine.LedgerEntry) -> JSON:
    return {
        "version": entry.version,
        "strategy": entry.strategy,
        "requested_strategy": entry.requested_strategy,
        "params": entry.params,
        "why": entry.why or None,
        "before": {"tokens": entry.before.tokens, "messages": entry.before.messages},
        "after": {"tokens": entry.after.tokens, "messages": entry.after.messages},
        "fates": entry.fates,
        "from": {"next_msg_seq": entry.from_next_msg_seq, "context_compression_version": entry.from_version or None},
        "created_by": entry.created_by,
        "automatic": entry.automatic,
        "created_at": time_json(entry.created_at),
        "duration_ms": entry.duration_ms,
        "usage": entry.usage or None,
    }


def version_json(read: engine.reads.VersionRead) -> JSON:
    return {**compression_json(read.entry), "kept": read.kept}


def written_json(written: engine.Written, *, frames_as: str) -> JSON:
    """What an append or a recovery wrote: the frames under the name of the operation, the head, the new context
    items; and the compression that followed by itself, where one did.
    """
    context = written.context
    answer = {
        frames_as: [frame_json(f) for f in written.frames],
        **head_json(written.state),
        "context": None if context is None else [placement_json(p) for p in context],
    }
    if written.compression is None:
        return answer
    why = stopped(written.state.compression_policy)
    return {**answer, "compressed": {"version": written.compression.version} | ({"stopped": why} if why else {})}


def report_json(report: Report) -> JSON:
    """What an import did, as the command prints it too."""
    return asdict(report)


def comparison_json(comparison: Comparison, *, with_windows: bool) -> JSON:
    base = comparison.base
    return {
        **head_json(comparison.state),
        "base": {"tokens": base.tokens, "messages": len(base), "size": _size_json(base, base)},
        "results": [_result_json(result, comparison, with_windows=with_windows) for result in comparison.results],
    }


def _size_json(window: engine.Window, base: engine.Window) -> JSON:
    ratio = window.tokens / base.tokens if base.tokens else None
    return {"ratio": ratio, **asdict(split_of(window))}


def _result_json(result: Result, comparison: Comparison, *, with_windows: bool) -> JSON:
    found = zip(comparison.probes, result.found, strict=True) if result.window is not None else ()
    answer: JSON = {
        "strategy": result.choice.name,
        "params": result.choice.params_json,
        "outcome": result.outcome,
        "why": result.why or None,
        "stand_in": result.stand_in or None,
        "after": None if result.after is None else asdict(result.after),
        "size": None if result.window is None else _size_json(result.window, comparison.base),
        "fates": [list(run) for run in result.fates],
        "measures": {name: asdict(measure) for name, measure in result.measures.items()},
        "gates": [
            {
                "rule": gate.rule,
                "held": gate.held,
                "where": [{"position": b.position, "detail": b.why} for b in gate.broken],
            }
            for gate in result.gates
        ],
        "probes": [{"text": probe.text, "origin": probe.source, "found": is_found} for probe, is_found in found],
    }
    if not with_windows:
        return answer
    items = () if result.window is None else result.window
    window = [placement_json(engine.Placement(position, item)) for position, item in enumerate(items, start=1)]
    return {**answer, "window": None if result.window is None else window}


def compressed_json(written: engine.Written) -> JSON:
    """A compression, done or previewed: the ledger's row, the head, the whole new window."""
    context = written.context
    return {
        "compression": None if written.compression is None else compression_json(written.compression),
        **head_json(written.state),
        "context": None if context is None else [placement_json(p) for p in context],
    }
