"""Rows of Claude Code files, as small as they may be."""

from typing import Any

from tests.interchange.samples import Read

Row = dict[str, Any]


def said(uuid: str, parent: str | None, content: Any, **members: Any) -> Row:
    return _row("user", uuid, parent, {"role": "user", "content": content}, members)


def answered(uuid: str, parent: str | None, *content: Any, id: str = "", **members: Any) -> Row:
    """A row of a response; `id`: that of the response, by default one of its own."""
    message = {"id": id or f"msg_{uuid}", "type": "message", "role": "assistant", "model": "m", "content": [*content]}
    message |= {name: members.pop(name) for name in ("usage", "stop_reason") if name in members}
    return _row("assistant", uuid, parent, message, members)


def result(uuid: str, parent: str | None, *calls: str, text: str = "", **members: Any) -> Row:
    blocks = [{"type": "tool_result", "tool_use_id": c, "content": f"result of {c}"} for c in calls]
    return said(uuid, parent, [*blocks, *([{"type": "text", "text": text}] if text else [])], **members)


def boundary(uuid: str, logical_parent: str | None, **metadata: Any) -> Row:
    about = {"trigger": "auto", "preTokens": 150_000, **metadata}
    row = _row("system", uuid, None, None, {"subtype": "compact_boundary", "compactMetadata": about})
    return {**row, "logicalParentUuid": logical_parent, "content": "Conversation compacted"}


def summary(uuid: str, parent: str | None, content: Any = "What came before.") -> Row:
    return said(uuid, parent, content, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def text(text: str) -> Row:
    return {"type": "text", "text": text}


def use(id: str, name: str = "Read") -> Row:
    return {"type": "tool_use", "id": id, "name": name, "input": {}}


def outline(read: Read, session: int = 0) -> list[str]:
    """The steps of a session, each in a word: u:text, a:text+calls, t:call, and C for a compaction."""
    return [_word(step.message) if hasattr(step, "message") else "C" for step in read.steps[session]]


def _word(message: Row) -> str:
    content = message["content"]
    shown = content if isinstance(content, str) else ""
    match message["role"]:
        case "tool":
            return f"t:{message['tool_call_id']}"
        case "assistant":
            return "+".join(["a:" + shown, *(call["id"] for call in message.get("tool_calls", ()))])
    return f"u:{shown}"


def _row(type_: str, uuid: str, parent: str | None, message: Row | None, members: Row) -> Row:
    row = {"type": type_, "uuid": uuid, "parentUuid": parent, "isSidechain": False, "sessionId": "s1"}
    return {**row, **({"message": message} if message else {}), **members}
