"""What a window's tokens are made of."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from sessions_app.engine import ROLES, Window

KINDS: Final = {"original": "verbatim", "edited": "edited", "summary": "summary"}


@dataclass(frozen=True, slots=True)
class SizeSplit:
    """Tokens of a window by role, and by what its messages are: `verbatim`, `edited` (placeholders and cut ones),
    `summary`. Every name is there, with 0 where there is none. Source: compression page, section 6, "size".
    """

    by_role: dict[str, int]
    by_kind: dict[str, int]


def split_of(window: Window) -> SizeSplit:
    roles: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for item in window:
        roles[item.role] += item.tokens
        kinds[KINDS[item.kind]] += item.tokens
    return SizeSplit({role: roles[role] for role in ROLES}, {kind: kinds[kind] for kind in KINDS.values()})
