"""JSON as it is stored: compact, members in the order received, what a database cannot hold escaped.

PostgreSQL's text refuses NUL and both databases refuse lone surrogates; JSON's own escapes hold both. Everything else
stays as it is, so that what is stored can be read and searched. Reading is strict (contract, section 4): what
Python's `json` would let through and another reader would not is refused.
"""

import json
import math
import re
from typing import Any

MAX_DEPTH = 128
"""How many levels of objects and lists a message may have, itself included."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class MalformedJSON(ValueError):
    """The text is no JSON that every reader would read alike. The message says what is wrong and where."""


def dumps(value: Any) -> str:
    """The stored form. Any text without NUL and surrogates: fit for a text column of either database."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def escape(text: str) -> str:
    """One string as it stands between the quotes of its JSON form; `unescape` undoes it."""
    return dumps(text)[1:-1]


def unescape(text: str) -> str:
    return text if "\\" not in text else str(json.loads(f'"{text}"'))


def escape_lines(values: list[str] | tuple[str, ...]) -> str:
    """Several strings in one column: a JSON string a line, a line break at both ends, so that one is found whole."""
    return "".join(f"\n{dumps(v)}" for v in values) + "\n" if values else ""


def unescape_lines(text: str) -> tuple[str, ...]:
    return tuple(json.loads(line) for line in text.split("\n") if line)


def line(value: str) -> str:
    """What `escape_lines` holds where `value` is among its strings, and nowhere else."""
    return f"\n{dumps(value)}\n"


def printable(text: str) -> str:
    """The text for a column that people read: what the database cannot hold becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text).replace("\0", "\ufffd")


def loads(text: str, *, max_depth: int = MAX_DEPTH) -> Any:
    """Parse strictly.

    Raises MalformedJSON for bad syntax, NaN and Infinity, floats outside IEEE double, integers over 4,300 digits, an
    object that names a member twice, and nesting over `max_depth` levels.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            object_pairs_hook=_unique_members,
        )
    except MalformedJSON:
        raise
    except RecursionError as e:
        raise MalformedJSON(_too_deep(max_depth)) from e
    except json.JSONDecodeError as e:
        raise MalformedJSON(f"{e.msg}: line {e.lineno} column {e.colno}") from e
    except ValueError as e:  # int() of more digits than Python reads
        raise MalformedJSON("an integer has over 4,300 digits") from e
    if is_deeper_than(value, max_depth):
        raise MalformedJSON(_too_deep(max_depth))
    return value


def is_deeper_than(value: Any, levels: int) -> bool:
    """Whether objects and lists nest more than `levels` deep. Walks level by level: no recursion of our own."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        if not level:
            return False
        below: list[Any] = []
        for container in level:
            members = container.values() if isinstance(container, dict) else container
            below.extend(m for m in members if isinstance(m, dict | list))
        level = below
    return bool(level)


def _too_deep(levels: int) -> str:
    return f"objects and lists are nested over {levels} levels deep"


def _refuse_constant(name: str) -> Any:
    raise MalformedJSON(f"{name} is no JSON")


def _finite_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise MalformedJSON(f"the number {text[:40]} is outside IEEE double")
    return value


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise MalformedJSON(f"the member {json.dumps(name)[:80]} stands twice in one object")
            seen.add(name)
    return members


def loads_stored(text: str) -> Any:
    """Parse what `dumps` wrote. A row that was damaged by other hands raises `json.JSONDecodeError`."""
    return json.loads(text)
