"""What a measure gives."""

from dataclasses import dataclass
from typing import Literal

ProbeSource = Literal["given", "constraint", "edited_path", "last_error", "last_check", "last_decision"]


@dataclass(frozen=True, slots=True)
class Measure:
    """`n`: how many things were looked at; `value` is None where there were none. A share runs from 0 to 1."""

    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Probe:
    """A text that is looked for in a window, and where it comes from: the person who asks, or the session itself."""

    text: str
    source: ProbeSource
