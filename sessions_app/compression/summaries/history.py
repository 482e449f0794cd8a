"""Old messages as data for the model: a JSON object a line, cut to what fits, the largest tool outputs first.

Whatever the messages hold stands inside JSON strings, in which a line break is an escape, and between two marks that
hold a checksum of what is between them: nothing inside can end it.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sessions_app import jsontext
from sessions_app.engine import ContextItem

_LEAST: Final = (48, 24)
"""Tokens that a text keeps at least, and where that does not fit; below that it would say nothing."""
_AROUND: Final = 14
"""Tokens of a line beside its texts, as a first guess."""
_TRIES: Final = 6

# Line breaks that JSON does not escape, and marks that turn the reading direction.
_BREAKS: Final = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

Kind = Literal["result", "speech", "request"]
_CUT_FIRST: Final[tuple[Kind, ...]] = ("result", "speech", "request")


@dataclass(frozen=True, slots=True)
class _Text:
    kind: Kind
    text: str
    tokens: int

    def cut(self, cap: int) -> str:
        """About `cap` tokens: two thirds from the beginning, one from the end."""
        if self.tokens <= cap:
            return self.text
        keep = len(self.text) * cap // self.tokens
        head, tail = keep * 2 // 3, keep // 3
        left_out = len(self.text) - head - tail
        return f"{self.text[:head]} … ({left_out} characters left out) … {self.text[len(self.text) - tail :]}"


@dataclass(frozen=True, slots=True)
class _Row:
    """A message: its plain members, and those texts that may be cut. `calls`: each tool and its arguments."""

    members: dict[str, Any]
    text: _Text
    calls: tuple[tuple[str, _Text], ...] = ()

    @property
    def texts(self) -> tuple[_Text, ...]:
        return (self.text, *(arguments for _tool, arguments in self.calls))

    def line(self, caps: dict[Kind, int]) -> str:
        data = dict(self.members)
        if self.text.text or not self.calls:  # most acts say nothing, and many short lines must fit into a small model
            data["text"] = self.text.cut(caps[self.text.kind])
        if self.calls:
            data["calls"] = [{"tool": tool, "arguments": a.cut(caps[a.kind])} for tool, a in self.calls]
        return json_line(data)


def json_line(data: dict[str, Any]) -> str:
    return _BREAKS.sub(lambda m: f"\\u{ord(m[0]):04x}", jsontext.dumps(data)) + "\n"


def between_marks(name: str, lines: str) -> str:
    mark = f"{name}-{hashlib.sha256(lines.encode()).hexdigest()[:16]}"
    return f"<{mark}>\n{lines}</{mark}>\n"


def history_lines(items: Iterable[ContextItem], *, budget: int, count_text: Callable[[str], int]) -> str | None:
    """At most `budget` tokens; None where that cannot be had without leaving messages out."""
    rows = list(_rows(items, count_text))
    tried = (_fitted(rows, least, budget, count_text) for least in _LEAST)
    return next((lines for lines in tried if lines is not None), None)


def _fitted(rows: Sequence[_Row], least: int, budget: int, count_text: Callable[[str], int]) -> str | None:
    room = budget
    for _ in range(_TRIES):
        caps = _caps([text for row in rows for text in row.texts], room - _AROUND * len(rows), least)
        if caps is None:
            return None
        lines = "".join(row.line(caps) for row in rows)
        over = count_text(lines) - budget
        if over <= 0:
            return lines
        room -= over + budget // 50
    return None


def _rows(items: Iterable[ContextItem], count_text: Callable[[str], int]) -> Iterator[_Row]:
    def text_of(kind: Kind, text: str) -> _Text:
        return _Text(kind, text, count_text(text))

    tools: dict[str, str] = {}
    for item in items:
        message, number = item.message, item.original_seqs.last
        if item.role == "assistant":
            tools = {call.id: call.name for call in message.calls}
            calls = tuple((call.name, text_of("speech", call.arguments)) for call in message.calls)
            yield _Row({"n": number, "role": "assistant"}, text_of("speech", message.body), calls)
        elif item.role == "tool":
            tool = tools.get(message.tool_call_id or "") or message.tool_name
            members = {"n": number, "role": "tool", "tool": tool, **({"failed": True} if message.is_error else {})}
            yield _Row(members, text_of("result", message.body))
        elif item.is_request:
            yield _Row({"n": number, "role": "user"}, text_of("request", message.body))
        else:  # a late-reply note: what a tool said, though it has the role of a user
            yield _Row({"n": number, "role": "tool"}, text_of("result", message.body))


def _caps(texts: Sequence[_Text], room: int, least: int) -> dict[Kind, int] | None:
    """How many tokens a text of each kind may have. A kind is cut only where the kinds before it are at their least."""
    largest = max((text.tokens for text in texts), default=0)
    caps: dict[Kind, int] = dict.fromkeys(_CUT_FIRST, largest)
    for kind in _CUT_FIRST:
        sizes = [text.tokens for text in texts if text.kind == kind]
        left = room - sum(min(text.tokens, caps[text.kind]) for text in texts if text.kind != kind)
        if sum(min(size, least) for size in sizes) <= left:
            caps[kind] = _cap(sizes, left)
            return caps
        caps[kind] = least
    return None


def _cap(sizes: list[int], room: int) -> int:
    """The largest cap under which the sizes together stay within `room`: so that only the largest are cut."""
    ascending = sorted(sizes)
    for done, size in enumerate(ascending):
        share = room // (len(ascending) - done)
        if size > share:
            return share
        room -= size
    return max(ascending, default=0)
