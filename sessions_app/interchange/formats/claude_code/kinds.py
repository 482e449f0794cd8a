"""What the rows of a Claude Code file are, and which of them the model sees."""

from typing import Any, Final, Literal, NamedTuple

Kind = Literal["user", "assistant", "boundary", "summary", "unseen"]

UNSEEN: Final = "unseen"
SUMMARY: Final = "summary"

_BOOKKEEPING: Final = {
    "file-history-snapshot": "is a backup of edited files, and no message",
    "queue-operation": "is the queue of what was typed; what is sent becomes a row of its own",
    "progress": "shows how a tool is getting on, which the model does not see",
    "summary": "is the title of another session",
    "custom-title": "is an empty title",
    "ai-title": "is an empty title",
    "last-prompt": "repeats the last request",
    "result": "is the end of a run: its costs and its last answer once more",
    "stream_event": "is a piece of a message that follows whole",
}
_STATE: Final = frozenset(
    {
        "agent-name",
        "agent-setting",
        "permission-mode",
        "mode",
        "pr-link",
        "bridge-session",
        "cost-state",
        "tag",
        "worktree-state",
        "content-replacement",
        "marble-origami-commit",
        "marble-origami-snapshot",
        "speculation-accept",
        "attribution-snapshot",
    }
)
OWN_TYPES: Final = (_BOOKKEEPING.keys() - {"summary", "progress", "result", "stream_event"}) | _STATE - {"mode", "tag"}
"""Types that no other format has."""


_TELLING: Final = ("type", "text", "thinking", "id", "name", "tool_use_id", "content")


class Verdict(NamedTuple):
    """What a row is; for one that the model does not see also its kind in the format's own word, and why."""

    kind: Kind
    what: str = ""
    why: str = ""


def kind_of(row: dict[str, Any]) -> Verdict:
    type_ = text_of(row.get("type"))
    match type_:
        case "user" | "assistant":
            return _of_message(row, type_)
        case "system":
            return _of_notice(row)
        case "attachment":
            return _of_attachment(row)
        case "summary" if row.get("uuid") and (row.get("message") or row.get("parentUuid")):
            # An older way to write down a compaction: it stands in the chain, as titles never do.
            return Verdict("summary")
    if type_ in _BOOKKEEPING:
        return Verdict(UNSEEN, type_, _BOOKKEEPING[type_])
    if type_ in _STATE:
        return Verdict(UNSEEN, type_, "is a state of Claude Code, and no message")
    if not type_:
        return Verdict(UNSEEN, "line", "has no type")
    return Verdict(UNSEEN, type_[:60], "is of no known type")


def _of_message(row: dict[str, Any], type_: Literal["user", "assistant"]) -> Verdict:
    if content_of(row) in (None, [], ""):
        return Verdict(UNSEEN, type_, "has no content")
    if type_ == "user":
        return Verdict("summary" if row.get("isCompactSummary") is True else "user")
    if row.get("isApiErrorMessage") is True:
        why = "is an error of the API, shown in the model's place; the model does not see it"
        return Verdict(UNSEEN, "API error", why)
    return Verdict("assistant")


def _of_notice(row: dict[str, Any]) -> Verdict:
    subtype = text_of(row.get("subtype"))
    if subtype == "compact_boundary":
        return Verdict("boundary")
    if subtype == "local_command" and row.get("content"):
        # The one notice that is sent to the model: a command of the user's, or what it printed.
        return Verdict("user")
    what = f"system/{subtype[:60]}" if subtype else "system"
    if subtype == "microcompact_boundary":
        return Verdict(UNSEEN, what, "cleared old tool results from the window; that window is not derived")
    return Verdict(UNSEEN, what, "is a notice that the model does not see")


def _of_attachment(row: dict[str, Any]) -> Verdict:
    attachment = row.get("attachment")
    attachment = attachment if isinstance(attachment, dict) else {}
    type_ = text_of(attachment.get("type"))
    if type_ == "queued_command" and attachment.get("prompt"):
        # Said while the model was at work: no other row holds it.
        return Verdict("user")
    what = f"attachment/{type_[:60]}" if type_ else "attachment"
    return Verdict(UNSEEN, what, "is worded for the model anew at each request, and the file does not hold how")


def content_of(row: dict[str, Any]) -> Any:
    """What a row says, wherever its kind keeps that."""
    match row.get("type"):
        case "system":
            return row.get("content")
        case "attachment":
            return row["attachment"]["prompt"]
    message = row.get("message")
    if isinstance(message, dict):
        return message.get("content")
    return message if isinstance(message, str) else row.get("summary")


def session_of(row: dict[str, Any]) -> str:
    return text_of(row.get("sessionId") or row.get("session_id"))


def agent_of(row: dict[str, Any]) -> str:
    """The live stream names the call that started the agent instead."""
    return text_of(row.get("agentId") or row.get("parent_tool_use_id"))


def calls_in(message: dict[str, Any]) -> list[str]:
    return [text_of(block.get("id")) for block in _blocks(message) if block.get("type") == "tool_use"]


def results_in(message: dict[str, Any]) -> list[str]:
    return [text_of(block.get("tool_use_id")) for block in _blocks(message) if block.get("type") == "tool_result"]


def mark_of(message: dict[str, Any]) -> int:
    """A number that is equal for messages of equal content, and made without writing that down."""
    content = message.get("content")
    if isinstance(content, str):
        return hash(content)
    return hash(tuple(text_of(block.get(name)) for block in _blocks(message) for name in _TELLING))


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def is_hollow(value: Any) -> bool:
    """Whether a member says nothing: null, false, or an object that holds only such members."""
    if isinstance(value, dict):
        return all(is_hollow(v) for v in value.values())
    return value is None or value is False or value in ("", [])
