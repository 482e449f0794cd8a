"""What the engine asks of a compression strategy. Implementations live above the engine and are handed to it as
objects.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from sessions_app.engine import tokens
from sessions_app.engine.window import Window


class CannotCompress(Exception):
    """A strategy says why it leaves the window as it is. The engine answers `nothing-to-compress` with these words."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What a strategy may use besides the window: all of it deterministic, none of it a database.

    `limit_tokens`: the model's limit by the session's policy, to which fractions refer.
    """

    count_text: Callable[[str], int] = tokens.count_text
    limit_tokens: int = 128_000


@dataclass(slots=True)
class Report:
    """What a strategy did beyond its window: used by those that fall back to another or ask a model."""

    used: str | None = None
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

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window: ...
