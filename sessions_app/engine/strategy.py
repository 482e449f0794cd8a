"""What the engine asks of a compression strategy. Implementations live above the engine and are handed to it as
objects.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from sessions_app.engine import tokens
from sessions_app.engine.window import ContextItem, Window


class CannotCompress(Exception):
    """A strategy says why it leaves the window as it is. The engine answers `nothing-to-compress` with these words."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What a strategy may use besides the window: all of it deterministic, none of it a database.

    `limit_tokens`: the model's limit by the session's policy, to which fractions refer. `may_ask_model`: false where a
    strategy that writes with a model must do without: in a comparison, a replay, or right after an append.
    """

    count_text: Callable[[str], int] = tokens.count_text
    limit_tokens: int = 128_000
    may_ask_model: bool = True


@dataclass(frozen=True, slots=True)
class Compressed:
    """What a strategy made, where there is more to tell than the window: that of a fallback, of a stage, of a model.

    `used`: the strategy that made it in the end, empty for the one that was asked. `why`: the reason, a sentence.
    `usage`: what the model reported, or would have; it is counted apart from the session's.
    """

    window: Window
    used: str = ""
    why: str = ""
    usage: dict[str, Any] = field(default_factory=dict)


class Strategy(Protocol):
    """A pure function from a window to a window. Same window in, same bytes out; on its own output it changes nothing.

    `Params` declares the parameters once: validation, JSON Schema and the form follow from it. `compress` gives the
    window back as it was, or raises CannotCompress, where there is nothing to gain; the engine checks every rule on
    what it gives.
    """

    @property
    def name(self) -> str: ...

    @property
    def Params(self) -> type[BaseModel]: ...

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window | Compressed: ...


def made_by(strategy: Strategy, window: Window, *, params: BaseModel, tools: Toolbox) -> Compressed:
    """What the strategy makes of the window. Raises CannotCompress, also where it gives the window back as it was, and
    TypeError where it gives what no window is.
    """
    made = strategy.compress(window, params=params, tools=tools)
    compressed = Compressed(made) if isinstance(made, Window) else made
    _ensure_window(strategy, compressed)
    if compressed.window.items == window.items:
        raise CannotCompress(f"{strategy.name!r} finds nothing in this window that it may compress.")
    return compressed


def _ensure_window(strategy: Strategy, made: Any) -> None:
    """What is no window would only fail later, where nobody can tell whose defect it is."""
    subject = f"The strategy {strategy.name!r} must give"
    if not isinstance(made, Compressed) or not isinstance(made.window, Window):
        given = made.window if isinstance(made, Compressed) else made
        raise TypeError(f"{subject} a Window, or Compressed with one, not {type(given).__name__}.")
    items = made.window.items
    if not isinstance(items, tuple):
        raise TypeError(f"{subject} a Window of a tuple, not of {type(items).__name__}: Window.of(items) makes one.")
    for item in items:
        if not isinstance(item, ContextItem):
            raise TypeError(f"{subject} a Window of ContextItems, not of {type(item).__name__}.")
    if not (isinstance(made.used, str) and isinstance(made.why, str) and isinstance(made.usage, dict)):
        raise TypeError(f"{subject} Compressed with the texts `used` and `why` and the dict `usage`.")
