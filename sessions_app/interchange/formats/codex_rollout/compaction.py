"""A compaction of Codex: the window that it left is in the line, or is made as Codex makes it from a summary."""

from datetime import datetime
from typing import Any, Final

from sessions_app.interchange.formats.codex_rollout.counts import Counts
from sessions_app.interchange.formats.codex_rollout.window import CodexWindow
from sessions_app.interchange.formats.openai_responses import items as items
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.history import History, compaction
from sessions_app.interchange.transcript import SUMMARY, Compacted

NO_SUMMARY: Final = "(no summary available)"
_CARRIED: Final = ("message", "replacement_history")


def compacted_by(
    payload: dict[str, Any],
    record: int,
    *,
    history: History,
    window: CodexWindow,
    counts: Counts | None,
    at: datetime | None,
) -> Compacted:
    """The window holds the messages that are the same as earlier ones; whatever else it holds is the summary."""
    params = {name: value for name, value in payload.items() if name not in _CARRIED}
    message, replacement = payload.get("message"), payload.get("replacement_history")
    message = message if isinstance(message, str) else ""
    if isinstance(replacement, list):
        found = history.find(replacement)
        keeps, rest, order = found.keeps, found.rest, found.order
        if message and not rest:
            rest, order = [_said(message)], (*order, SUMMARY)
        elif message and not any(message == _text(item) for item in rest):
            params["message"] = message
    else:
        kept = window.beside_a_summary()
        keeps, rest, order = frozenset(kept), [_said(message or NO_SUMMARY)], (*kept, SUMMARY)
    usage, counted = counts or ({}, record)
    records = tuple(sorted({counted, record}))
    return compaction(records, rest, keeps, order=order, params=params, usage=usage, at=at)


def _said(text: str) -> kinds.Item:
    return {"type": "message", "role": "user", "content": text}


def _text(item: kinds.Item) -> str:
    if kinds.kind_of(item) != "message":
        return ""
    return "\n".join(p["text"] for p in items.message_parts(item) if isinstance(p.get("text"), str))
