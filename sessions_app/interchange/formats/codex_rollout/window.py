"""What Codex keeps of a conversation when it compacts it to a summary, or goes back some turns."""

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sessions_app.interchange.transcript import Said

WORDS_KEPT: Final = 20_000
"""Tokens of the user's own words, at four bytes each, that stay beside a summary: the newest ones."""

_INJECTED: Final = re.compile(
    r"\s*(# AGENTS\.md instructions|<(environment_context|user_instructions|turn_aborted|user_shell_command|skill"
    r"|subagent_notification|hook_prompt|permissions instructions|collaboration_mode)\b)",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(r"^## My request for Codex:\s*", re.MULTILINE)
_TITLE: Final = 80


@dataclass(slots=True)
class CodexWindow:
    """The messages that the model sees, by their numbers from 0 and in the order in which it sees them, and which of
    them the user wrote.
    """

    title: str = ""
    """The first thing that the user asked for, as a line."""
    _count: int = 0
    _seen: list[Hashable] = field(default_factory=list)
    _opening: list[int] = field(default_factory=list)
    _words: list[tuple[int, int]] = field(default_factory=list)
    """(number, tokens) of what the user wrote."""

    def add(self, said: Said) -> None:
        number, self._count = self._count, self._count + 1
        self._seen.append(number)
        role, text = said.message["role"], _text(said)
        if role == "user" and not _INJECTED.match(text):
            self._words.append((number, -(-len(text.encode("utf-8", errors="surrogatepass")) // 4)))
            self.title = self.title or _title(text)
        elif role in ("system", "developer", "user") and not self._words:
            self._opening.append(number)

    def keep(self, numbers: Collection[Hashable], order: Sequence[Hashable]) -> None:
        self._seen = list(order)
        self._words = [(number, tokens) for number, tokens in self._words if number in numbers]

    def beside_a_summary(self) -> list[int]:
        """The instructions at the start, which Codex writes anew, and the user's newest words. It cuts the first that
        is too long; a frame stays whole or not at all.
        """
        kept, left = list(self._opening), WORDS_KEPT
        for number, tokens in reversed(self._words):
            if tokens > left:
                break
            kept.append(number)
            left -= tokens
        return sorted(kept)

    def without_turns(self, count: int) -> list[Hashable] | None:
        """What is seen before the last `count` requests of the user, and the summary; None where there was none."""
        if count < 1 or not self._words:
            return None
        cut, _ = self._words[max(0, len(self._words) - count)]
        return [n for n in self._seen if not isinstance(n, int) or n < cut]


def _text(said: Said) -> str:
    content = said.message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(p["text"] for p in content or () if isinstance(p.get("text"), str))


def _title(text: str) -> str:
    """An editor tells of itself before it comes to what the user asks for."""
    request = _REQUEST.split(text)[-1].strip() or text.strip()
    line = request.partition("\n")[0].strip()
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"
