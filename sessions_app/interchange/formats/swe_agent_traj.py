"""SWE-agent: `history` is what the agent and its environment said; `trajectory` tells it again, step by step."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.openai_chat import neutral_message
from sessions_app.interchange.jsonreading import Document, Record
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.spool import title_of
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Transcript

_ROLES = ("system", "user", "assistant", "tool")
_STEP = ("action", "observation")
_CARRIED = ("role", "content", "tool_calls", "tool_call_ids", "agent", "thinking_blocks", "cache_control")

_AGAIN = "tells the history again, with the input and the state of the shell at each step"
_SETUP = "says how the run was set up, not what was said"


class SweAgentTraj:
    name = "swe-agent-traj"
    title = "SWE-agent trajectory"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape != "object":
            return False
        step, entry = sniff.first("trajectory"), sniff.first("history")
        if entry:
            return "role" in entry and ("trajectory" in sniff.members or "message_type" in entry)
        # The look may end before the history begins.
        return "history" not in sniff.members and all(isinstance(step.get(member), str) for member in _STEP)

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        transcript = Transcript([])
        transcript.steps = self._history(source, transcript, tally)
        yield transcript

    def _history(self, source: Source, transcript: Transcript, tally: Tally) -> Iterator[Said]:
        document = Document(source, tally, lists={"history"}, unread={"trajectory"})
        held: Said | None = None
        has_demo = False
        for record in document.records():
            said = _said(record, tally)
            if said is None:
                continue
            if held is not None:
                yield held
            held = said
            # The demonstrations come first, and the task after them.
            has_demo |= _is_demo(said)
            if has_demo and not transcript.title and said.message["role"] == "user" and not _is_demo(said):
                transcript.title = title_of(_text(said.message["content"]))
        if held is not None:
            yield _with_outcome(held, document.header)
        tally.skip("trajectory", _AGAIN if held is not None else "is all that there is: the history is missing")
        if "replay_config" in document.header:
            tally.skip("replay_config", _SETUP)


def _said(record: Record, tally: Tally) -> Said | None:
    entry = record.value
    if not isinstance(entry, dict) or entry.get("role") not in _ROLES:
        tally.skip("history", "is an entry without a role", record.number)
        return None
    metadata = {"agent": entry.get("agent"), "extra": _extra(entry)}
    return Said(_message(entry), (record.number,), neutral.without_empty(metadata))


def _message(entry: dict[str, Any]) -> dict[str, Any]:
    role, content = entry["role"], entry.get("content")
    if role == "tool":
        ids = entry.get("tool_call_ids")
        # SWE-agent itself answers the first call only.
        return neutral.reply(ids[0] if isinstance(ids, list) and ids else None, "" if content is None else content)
    message = {"role": role, "content": content}
    if role == "assistant":
        if entry.get("tool_calls"):
            message["tool_calls"] = entry["tool_calls"]
        message |= _reasoning(entry.get("thinking_blocks"))
    return neutral_message(message)


def _reasoning(blocks: Any) -> dict[str, Any]:
    known = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    thoughts = [b["thinking"] for b in known if isinstance(b.get("thinking"), str)]
    signed = [b for b in known if b.get("signature") or b.get("data")]
    return neutral.without_empty({"reasoning_content": "\n\n".join(thoughts), "reasoning_details": signed})


def _extra(entry: dict[str, Any]) -> dict[str, Any]:
    """What an entry says besides. Thought and action are parts of the content of those who write them as text."""
    text = _text(entry.get("content"))
    extra = {name: value for name, value in entry.items() if name not in _CARRIED}
    for name in ("thought", "action"):
        if isinstance(extra.get(name), str) and extra[name].strip() in text:
            del extra[name]
    ids = entry.get("tool_call_ids")
    if isinstance(ids, list) and len(ids) > 1:
        extra["tool_call_ids"] = ids
    return neutral.without_empty(extra)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))


def _is_demo(said: Said) -> bool:
    return bool(said.metadata.get("extra", {}).get("is_demo"))


def _with_outcome(said: Said, header: dict[str, Any]) -> Said:
    """How the run ended stands with its last message."""
    outcome = neutral.without_empty({"info": header.get("info"), "environment": header.get("environment")})
    if not outcome:
        return said
    return replace(said, metadata={**said.metadata, "extra": {**said.metadata.get("extra", {}), **outcome}})
