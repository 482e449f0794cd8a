"""Which message a `token_count` of Codex is of: it comes after the items of a response, in older files before them."""

from dataclasses import dataclass
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.openai_responses.assembler import Assembler
from sessions_app.interchange.tally import Tally

Counts = tuple[dict[str, int], int]
"""What was used, and the record that says it."""


@dataclass(slots=True)
class TokenCounts:
    tally: Tally
    _come_first: bool | None = None
    _total: Any = None
    _held: Counts | None = None

    def take(self, info: Any, record: int, assembler: Assembler) -> None:
        info = info if isinstance(info, dict) else {}
        used, total = neutral.usage(info.get("last_token_usage")), info.get("total_token_usage")
        if not used.get("input_tokens") and not used.get("output_tokens"):
            self.tally.skip("token_count", "counts no response", record)
            return
        if total is not None and total == self._total:
            self.tally.skip("token_count", "repeats the one before it", record)
            return
        self._total = total
        if self._come_first is None:
            self._come_first = not assembler.has_unfinished
        if self._come_first or not assembler.note({"usage": used}, record):
            self.drop()
            self._held = (used, record)

    def for_response(self) -> Counts | None:
        """What is held for a response that is still to come."""
        return self.for_compaction() if self._come_first else None

    def for_compaction(self) -> Counts | None:
        """A compaction is a response that the file holds no items of."""
        held, self._held = self._held, None
        return held

    def drop(self) -> None:
        if (held := self.for_compaction()) is not None:
            self.tally.skip("token_count", "counts a response that is not in the file", held[1])
