"""How a command ended, from what Codex gave the model of it: JSON with metadata, or text with a head."""

import re
from dataclasses import replace
from typing import Any, Final

from sessions_app.interchange.jsonreading import Unreadable, loads
from sessions_app.interchange.transcript import Said

_HEAD: Final = 500
_CODE: Final = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,9})\b", re.MULTILINE)
_TIME: Final = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)


def with_outcome(said: Said) -> Said:
    """Codex takes a command for failed that ended with another code than 0. The text stays what the model saw."""
    content = said.message.get("content")
    if said.message["role"] != "tool" or not isinstance(content, str):
        return said
    code, seconds = _outcome(content)
    message, metadata = said.message, said.metadata
    if _is_number(code) and code != 0:
        message = {**message, "is_error": True}
    if _is_number(seconds) and 0 <= seconds < 10**9:
        metadata = {**metadata, "duration_ms": round(seconds * 1000)}
    return replace(said, message=message, metadata=metadata)


def _outcome(content: str) -> tuple[Any, Any]:
    if content.startswith('{"'):
        try:
            value = loads(content)
        except Unreadable:
            return None, None
        told = value.get("metadata")
        return (told.get("exit_code"), told.get("duration_seconds")) if isinstance(told, dict) else (None, None)
    head = content[:_HEAD].partition("\nOutput:")[0]
    code, seconds = _CODE.search(head), _TIME.search(head)
    return (int(code[1]) if code else None), (float(seconds[1]) if seconds else None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
