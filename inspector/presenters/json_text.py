"""JSON to read: laid out, with the encodings in it that nobody reads cut short."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

LONG: Final = 400
KEPT: Final = 60
LONGEST: Final = 200_000
"""Characters of JSON that a page shows."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# An image, a signature, something encrypted: one unbroken run of base64.
_ENCODED: Final = re.compile(r"(?:data:[^,\s]{1,200},)?[A-Za-z0-9+/_-]+={0,2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CutJSON:
    """`encodings`: how many of them are cut short. `is_cut`: whether the text ends before its end."""

    text: str
    encodings: int = 0
    is_cut: bool = False


def pretty(value: Any) -> str:
    """What UTF-8 cannot carry stays escaped, so that a copy of it is exact."""
    written = json.dumps(value, indent=2, ensure_ascii=False)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", written)


def cut_json(value: Any) -> CutJSON:
    short, count = _shortened(value)
    written = pretty(short)
    return CutJSON(written[:LONGEST], count, len(written) > LONGEST)


def _shortened(value: Any) -> tuple[Any, int]:
    match value:
        case str():
            if len(value) > LONG and _ENCODED.fullmatch(value):
                return f"{value[:KEPT]}… ({len(value):,} characters)", 1
            return value[: LONGEST + 1], 0  # what comes later is beyond the end of the text in any case
        case list():
            items = [_shortened(item) for item in value]
            return [item for item, _ in items], sum(count for _, count in items)
        case dict():
            members = {name: _shortened(member) for name, member in value.items()}
            return {name: m for name, (m, _) in members.items()}, sum(count for _, count in members.values())
    return value, 0
