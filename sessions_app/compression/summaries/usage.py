"""What the model reported of its calls, the failed ones among them: they were paid for as well."""

from dataclasses import dataclass
from typing import Any, Final

_MOST: Final = 10**12


@dataclass(slots=True)
class Usage:
    """Summed over the calls of one summary. What no call reported stays None, and is left out."""

    model: str
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None

    def report(self, told: Any) -> None:
        """`told`: the member `usage` of an answer, whatever it is."""
        if isinstance(told, dict):
            self.input_tokens = _sum(self.input_tokens, told.get("prompt_tokens"))
            self.output_tokens = _sum(self.output_tokens, told.get("completion_tokens"))

    def as_json(self) -> dict[str, Any]:
        members = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "calls": self.calls,
            "model": self.model,
        }
        return {name: value for name, value in members.items() if value is not None}


def _sum(so_far: int | None, told: Any) -> int | None:
    is_count = isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= _MOST
    return (so_far or 0) + told if is_count else so_far


class NoSummary(Exception):
    """The model gave no usable summary: a sentence why, and what the attempt cost."""

    def __init__(self, why: str, usage: Usage) -> None:
        self.why, self.usage = why, usage
        super().__init__(why)
