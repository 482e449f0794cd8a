"""What a row of Claude Code holds besides its message, under the names that all formats use."""

from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.claude_code.kinds import is_hollow

Value = dict[str, Any]

_CARRIED = frozenset(
    {
        "type",
        "message",
        "parentUuid",
        "logicalParentUuid",
        "isSidechain",
        "sessionId",
        "session_id",
        "timestamp",
        "requestId",
        "agentId",
        "parent_tool_use_id",
        "isCompactSummary",
        "isVisibleInTranscriptOnly",
    }
)
_STEADY = frozenset({"cwd", "version", "gitBranch", "userType", "entrypoint", "slug", "teamName", "permissionMode"})
"""The same in row after row: told where they change."""

_OF_MESSAGE = frozenset({"role", "content", "type", "id", "model", "usage", "stop_reason"})
_COUNTED = frozenset(
    {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "total_tokens"}
)


class Extras:
    """The metadata of a chain's rows, in order."""

    def __init__(self) -> None:
        self._steady: Value = {}

    def metadata(self, row: Value, message: Value) -> Value:
        """Of a row that the user or a tool gave."""
        extra = self.of(row)
        if _says_the_same(extra.get("toolUseResult"), message.get("content")):
            del extra["toolUseResult"]
        return neutral.without_empty({"agent": _agent(row), "extra": extra})

    def of(self, row: Value) -> Value:
        """The members of a row that stand nowhere else."""
        extra = {name: value for name, value in row.items() if name not in _CARRIED and not is_hollow(value)}
        for name in _STEADY & extra.keys():
            if self._steady.get(name) == extra[name]:
                del extra[name]
            else:
                self._steady[name] = extra[name]
        if row.get("type") in ("system", "attachment"):
            extra = {"type": row["type"], **extra}
            extra.pop("content", None)
            if isinstance(attachment := extra.get("attachment"), dict):
                extra["attachment"] = {name: value for name, value in attachment.items() if name != "prompt"}
        message = row.get("message")
        if isinstance(message, dict):
            further = {k: v for k, v in message.items() if k not in _OF_MESSAGE and not is_hollow(v)}
            extra |= {"message": further} if further else {}
        return extra


def response_metadata(rows: list[Value], extras: Extras) -> Value:
    """Of the rows of one response: each repeats what is known of it, the later ones know more."""
    messages = [m for row in rows if isinstance(m := row.get("message"), dict)]
    usage = max((m.get("usage") for m in messages), key=_tokens, default=None)
    extra: Value = {}
    for row in rows:
        extra |= extras.of(row)
    uuids = [row["uuid"] for row in rows if row.get("uuid")]
    if len(uuids) > 1:
        extra["uuid"] = uuids
    if isinstance(usage, dict):
        further = {k: v for k, v in usage.items() if k not in _COUNTED and not is_hollow(v)}
        extra |= {"usage": further} if further else {}
    return neutral.without_empty(
        {
            "model": _last(messages, "model"),
            "usage": neutral.usage(usage),
            "stop_reason": _last(messages, "stop_reason"),
            "response_id": _last(messages, "id"),
            "request_id": _last(rows, "requestId"),
            "agent": _agent(rows[0]),
            "extra": extra,
        }
    )


def _tokens(usage: Any) -> int:
    """The row that is written last has the whole count, and those before it a part."""
    counts = neutral.usage(usage)
    return sum(count for name, count in counts.items() if name != "total_tokens")


def _last(values: list[Value], name: str) -> Any:
    return next((v[name] for v in reversed(values) if v.get(name) is not None), None)


def _agent(row: Value) -> Any:
    return row.get("agentId") or row.get("parent_tool_use_id")


def _says_the_same(result: Any, content: Any) -> bool:
    return isinstance(result, str) and isinstance(content, str) and result in (content, f"Error: {content}")
