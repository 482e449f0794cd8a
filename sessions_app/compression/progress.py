"""How far a strategy of several steps has come: its window, what was done, and what there is to tell of it."""

from dataclasses import dataclass, field
from typing import Any

from sessions_app.engine import CannotCompress, Compressed, Window


def ensure_missed(window: Window, target: float) -> None:
    if window.tokens <= target:
        raise CannotCompress(f"The window has {window.tokens} tokens and meets the target of {target:.0f}.")


@dataclass(slots=True)
class Progress:
    window: Window
    target: float
    done: list[str] = field(default_factory=list)
    used: str = ""
    why: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def is_met(self) -> bool:
        return self.window.tokens <= self.target

    def take(self, step: str, made: Compressed) -> None:
        self.window = made.window
        if step not in self.done:
            self.done.append(step)
        self.used = made.used or self.used
        self.why = made.why or self.why
        self.usage = _sum(self.usage, made.usage)

    def told(self) -> Compressed:
        """Raises CannotCompress where no step gained anything."""
        if not self.done:
            raise CannotCompress("None of its steps finds anything in this window that it may compress.")
        end = "then the target was met" if self.is_met else "the target was not met"
        why = f"Done: {', '.join(self.done)}; {end}."
        return Compressed(self.window, self.used, f"{why} {self.why}".rstrip(), self.usage)


def _sum(usage: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Of two models' work the numbers together; of everything else what came last."""
    numbers = {k: usage[k] + v for k, v in more.items() if _is_number(v) and _is_number(usage.get(k))}
    return {**usage, **more, **numbers}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
