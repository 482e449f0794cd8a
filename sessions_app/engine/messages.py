"""A message as a value, and what is read off it. What it must be to enter a session: `validity`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app import jsontext
from sessions_app.engine import tokens
from sessions_app.engine.errors import DamagedMessage

ROLES = ("system", "developer", "user", "assistant", "tool")
EXCERPT = 280
"""Code points of a message's text that a row carries."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as it stands in an assistant message."""

    id: str
    name: str
    arguments: str


class Message:
    """One message, unchangeable: its JSON text is the truth, `data` a view of it that callers must not write to."""

    __slots__ = ("_calls", "_data", "_role", "_tokens", "text")

    text: str
    _data: dict[str, Any] | None
    _tokens: int | None
    _role: str
    _calls: tuple[Call, ...] | None

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_data", None)
        object.__setattr__(self, "_tokens", None)
        object.__setattr__(self, "_role", "")
        object.__setattr__(self, "_calls", None)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Message":
        """From a mapping that is known to be valid; the mapping itself is not kept."""
        return cls(jsontext.dumps(data))

    @classmethod
    def counted(cls, text: str, *, tokens: int) -> "Message":
        """From its stored form, with its tokens as they were counted before."""
        message = cls(text)
        object.__setattr__(message, "_tokens", tokens)
        return message

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a message does not change")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Message({self.text[:80]!r})"

    @property
    def data(self) -> dict[str, Any]:
        if self._data is None:
            object.__setattr__(self, "_data", self.copy())
        return self._data  # type: ignore[return-value]

    def copy(self) -> dict[str, Any]:
        """The message as a dict of the caller's own, to send or to change."""
        try:
            data = jsontext.loads_stored(self.text)
        except ValueError as e:
            raise DamagedMessage from e
        if not _is_a_message(data):
            raise DamagedMessage
        return data  # type: ignore[no-any-return]

    @property
    def is_damaged(self) -> bool:
        """Whether the stored text is no message any more: another hand than the engine's wrote to the table."""
        try:
            return not self.data
        except DamagedMessage:
            return True

    @property
    def role(self) -> str:
        # Kept, as the calls are: the rules and the strategies ask for both again and again.
        if not self._role:
            object.__setattr__(self, "_role", str(self.data["role"]))
        return self._role

    @property
    def tool_call_id(self) -> str | None:
        return self.data.get("tool_call_id") if self.role == "tool" else None

    @property
    def tool_name(self) -> str:
        """The tool that a reply itself says it is of, or empty."""
        name = self.data.get("name") if self.role == "tool" else None
        return name if isinstance(name, str) else ""

    @property
    def calls(self) -> tuple[Call, ...]:
        if self._calls is None:
            made = self.data.get("tool_calls") if self.role == "assistant" else None
            object.__setattr__(self, "_calls", tuple(_call(c) for c in made or ()))
        return self._calls  # type: ignore[return-value]

    @property
    def body(self) -> str:
        """The readable text: the content, or the text of its parts."""
        return "\n".join(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        content = self.data.get("content")
        if isinstance(content, str):
            return (content,)
        return tuple(p["text"] for p in content or () if isinstance(p.get("text"), str))

    @property
    def is_error(self) -> bool:
        """Whether a tool reply says itself that it failed."""
        data = self.data
        return self.role == "tool" and (data.get("is_error") is True or data.get("status") == "error")

    @property
    def excerpt(self) -> str:
        return jsontext.printable(self.body[:EXCERPT])

    def searched_texts(self) -> Iterator[str]:
        """What a search looks through: the text, and the arguments of calls as they stand and as they read."""
        yield from self.texts
        for call in self.calls:
            yield call.arguments
            if "\\" in call.arguments:
                yield from _strings_in(call.arguments)

    def count_tokens(self) -> int:
        """Counted once: a write that is tried again does not count megabytes anew."""
        if self._tokens is None:
            object.__setattr__(self, "_tokens", tokens.count_message(self.data))
        return self._tokens  # type: ignore[return-value]


def _is_a_message(data: Any) -> bool:
    """Whether stored text still reads as a message. Only as much as all readers of one rely on: it is asked often."""
    return isinstance(data, dict) and data.get("role") in ROLES and isinstance(data.get("content"), str | list | None)


def _call(call: dict[str, Any]) -> Call:
    try:
        if isinstance(call.get("function"), dict):
            inner = call["function"]
            return Call(id=call["id"], name=inner["name"], arguments=inner["arguments"])
        inner = call["custom"]
        return Call(id=call["id"], name=inner["name"], arguments=inner["input"])
    except (KeyError, TypeError, AttributeError) as e:  # no call that the engine let in
        raise DamagedMessage from e


def _strings_in(arguments: str) -> Iterator[str]:
    """The texts in arguments that are JSON, names of members too; nothing where they are none."""
    try:
        rest = [jsontext.loads(arguments)]
    except jsontext.MalformedJSON:
        return
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            rest += value
        elif isinstance(value, dict):
            rest += [*value, *value.values()]
