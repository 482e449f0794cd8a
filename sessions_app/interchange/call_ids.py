"""Ids for calls and replies that have none, or share one: always the same ones for the same file.

A longer file of the same session gets the same ids for what both hold, so that it is known as its continuation.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class CallIds:
    """Takes the messages of one session in order, and gives each with the ids that it lacks.

    A call without an id is called after its message and its place there. An id that stands twice in one message gets
    a suffix. A reply without an id, or with one that was changed, answers the first open call that fits: of its name
    where it has one, else the oldest.
    """

    _messages: int = 0
    _open: list[tuple[str, str, str]] = field(default_factory=list)
    """(id in the file, id given, name) of the calls that no reply answers yet."""

    def complete(self, message: dict[str, Any]) -> dict[str, Any]:
        self._messages += 1
        if message.get("role") == "assistant" and isinstance(message.get("tool_calls"), list):
            return {**message, "tool_calls": self._calls(message["tool_calls"])}
        if message.get("role") == "tool":
            return {**message, "tool_call_id": self._reply_id(message)}
        return message

    def _calls(self, calls: list[Any]) -> list[Any]:
        completed, taken = [], set()
        self._open = []
        for n, call in enumerate(calls, start=1):
            if not isinstance(call, dict):
                completed.append(call)
                continue
            said = call.get("id") if isinstance(call.get("id"), str) else ""
            given = said or f"call_{self._messages}_{n}"
            copy = 2
            while given in taken:
                given, copy = f"{said}#{copy}", copy + 1
            taken.add(given)
            inner = call.get("function") or call.get("custom")
            name = inner.get("name") if isinstance(inner, dict) else ""
            self._open.append((said or "", given, name if isinstance(name, str) else ""))
            completed.append({**call, "id": given})
        return completed

    def _reply_id(self, message: dict[str, Any]) -> Any:
        said, name = message.get("tool_call_id"), message.get("name")
        named = [c for c in self._open if c[2] == name]
        fits = [c for c in self._open if c[0] == said] if said else named or self._open
        if fits:
            answered = fits[0]
            self._open.remove(answered)
            return answered[1]
        return said or f"reply_{self._messages}"
