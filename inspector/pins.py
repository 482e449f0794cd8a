"""What a person has pinned on a session's page: a frame, a run of frames, or a context message."""

import re
from dataclasses import dataclass
from typing import Self

from django.core.exceptions import BadRequest
from django.utils.translation import gettext as _

_FORM = re.compile(r"(?:f([1-9]\d{0,17})(?:-([1-9]\d{0,17}))?|c([1-9]\d{0,17}))", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pin:
    """Written `f12`, `f3-9` or `c3`. `position` is 0 for frames, `first` and `last` are 0 for a context message."""

    first: int = 0
    last: int = 0
    position: int = 0

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """None for the empty text. Raises BadRequest."""
        if not text:
            return None
        found = _FORM.fullmatch(text)
        if found is None:
            raise BadRequest(_("pin must look like f12, f3-9 or c3."))
        if found[3]:
            return cls(position=int(found[3]))
        first, last = int(found[1]), int(found[2] or found[1])
        return cls(min(first, last), max(first, last))

    @classmethod
    def frame(cls, seq: int) -> Self:
        return cls(seq, seq)

    @classmethod
    def message(cls, position: int) -> Self:
        return cls(position=position)

    def __str__(self) -> str:
        if self.position:
            return f"c{self.position}"
        return f"f{self.first}" + (f"-{self.last}" if self.last > self.first else "")

    @property
    def fragment(self) -> str:
        return f"#c-{self.position}" if self.position else f"#f-{self.first}"
