"""What can be read off the beginning of a stored message: enough for a row of a list, whatever the message's size.

Only for showing. A JSON text that was cut is closed where it still can be, and read as a message that ends early.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sessions_app.engine.errors import DamagedMessage
from sessions_app.engine.messages import ROLES, Call, Message

LENGTH: Final = 2_000
"""Characters of a stored message that a row of frames reads."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """As much of a message as its first characters tell. `is_whole`: there is no more of it."""

    data: dict[str, Any]
    is_whole: bool

    @classmethod
    def of(cls, text: str, *, length: int = LENGTH) -> "Beginning | None":
        """`text`: the first `length` characters of a stored message.

        None: this is the beginning of no message that the engine stored. One that goes on is judged by how it starts.
        """
        is_whole = len(text) < length
        try:
            data = _whole(text) if is_whole else json.loads(_closed(text))
        # The last three: JSON, but none that the engine lets in.
        except (DamagedMessage, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            return None
        return cls(data, is_whole) if _may_be_a_message(data) else None

    @property
    def role(self) -> str:
        """Empty where the message goes on and has not said it yet."""
        return str(self.data.get("role", ""))

    @property
    def text(self) -> str:
        """As `Message.body`, as far as it goes."""
        content = self.data.get("content")
        if isinstance(content, str):
            return content
        return "\n".join(p["text"] for p in content or () if isinstance(p.get("text"), str))

    @property
    def may_have_more_text(self) -> bool:
        """Whether the text may go on behind the cut: the cut falls into the content, or before it."""
        if self.is_whole:
            return False
        return "content" not in self.data or next(reversed(self.data)) == "content"

    @property
    def calls(self) -> tuple[Call, ...]:
        """Those that begin here; the arguments of the last may be cut."""
        return tuple(self._calls()) if self.role in ("assistant", "") else ()

    @property
    def first_part(self) -> str:
        """The type of the first part of the content; empty where the content is no list of parts."""
        content = self.data.get("content")
        return str(content[0].get("type") or "") if isinstance(content, list) and content else ""

    @property
    def has_reasoning(self) -> bool:
        return isinstance(self.data.get("reasoning_content"), str)

    @property
    def is_error(self) -> bool:
        """As `Message.is_error`."""
        data = self.data
        return self.role == "tool" and (data.get("is_error") is True or data.get("status") == "error")

    def _calls(self) -> Iterator[Call]:
        for call in self.data.get("tool_calls") or ():
            inner = call.get("function") or call.get("custom") or {}
            name, arguments = inner.get("name", ""), inner.get("arguments", inner.get("input"))
            if isinstance(name, str) and isinstance(arguments, str):  # else it was cut before they began
                yield Call(id=str(call.get("id", "")), name=name, arguments=arguments)


def _whole(text: str) -> dict[str, Any]:
    """The message, where all that is read off it here can be."""
    message = Message(text)
    _ = message.role, message.texts, message.calls
    return message.data


def _may_be_a_message(data: Any) -> bool:
    if not isinstance(data, dict) or data.get("role", "user") not in ROLES:
        return False
    content, calls = data.get("content"), data.get("tool_calls") or []
    lists = [items for items in (content, calls) if not isinstance(items, str | None)]
    return all(isinstance(items, list) and all(isinstance(i, dict) for i in items) for items in lists)


_TOKEN = re.compile(
    r'"[^"\\]*(?:\\(?:[^u]|u[0-9a-fA-F]{4})[^"\\]*)*(?P<end>"|(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z)'
    r'|[{}\[\],:]|[^\s{}\[\],:"]+',
    re.DOTALL,
)
_CLOSING: Final = {"{": "}", "[": "]"}


def _closed(text: str) -> str:
    """A JSON text that was cut, ended at the last place where it could be: within a string, or after a value."""
    open_: list[str] = []
    end, closing = 0, ""
    is_name = False
    for token in _TOKEN.finditer(text):
        sign = token[0][0]
        if sign in ",:":
            is_name = sign == "," and open_[-1:] == ["}"]
            continue
        if sign in "}]":
            if open_[-1:] != [sign]:
                break
            open_.pop()
        elif is_name:
            continue
        elif sign in _CLOSING:
            open_.append(_CLOSING[sign])
            is_name = sign == "{"
        elif sign == '"' and token["end"] != '"':
            return text[: token.start("end")] + '"' + "".join(reversed(open_))
        elif sign != '"' and token.end() == len(text):  # a number, say, that may go on
            break
        end, closing = token.end(), "".join(reversed(open_))
    return text[:end] + closing
