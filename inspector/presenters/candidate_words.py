"""What the row of a candidate says of it in words: its parameters, why it is none, what was done in its stead."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from inspector.presenters.shown import short_number, text
from inspector.wording import in_words
from sessions_app.compression.comparison import Result

LONGEST: Final = 600

_LARGE: Final = re.compile(r"\b\d{4,15}\b")
_DONE: Final = re.compile(r"(Done: .*?the target was (?:not )?met\.)(?: (.*))?", re.DOTALL)
"""What a strategy of several stages tells: what it did, then why another one stood in."""


def params_line(params: Mapping[str, Any]) -> str:
    """Parameters as one line: `protect_rounds 3 · max_tokens 2000`. What is empty is not told."""
    return text(" · ".join(f"{name} {_value(v)}" for name, v in params.items() if v not in (None, "", [], {})))


def short_numbers(said: str) -> str:
    """A sentence with its large numbers as a page shows them elsewhere."""
    return _LARGE.sub(lambda found: short_number(int(found.group())), said)


def done_and_why(result: Result) -> tuple[str, str]:
    """What was done, and the reason of what the row says otherwise: each a sentence, or empty."""
    if found := _DONE.fullmatch(result.why):
        return _told(found.group(1)), _told(found.group(2) or "")
    return "", _told(result.why)


def _told(said: str) -> str:
    return text(in_words(said), limit=LONGEST)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping):
        return _step(value)
    if isinstance(value, list):
        return _listed(_value(one) for one in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _step(step: Mapping[str, Any]) -> str:
    """A strategy with its parameters, as a step of another one has it; any other object member by member."""
    if set(step) == {"strategy", "params"} and isinstance(step["params"], Mapping):
        return f"{step['strategy']} ({_members(step['params'])})"
    return _members(step)


def _members(members: Mapping[str, Any]) -> str:
    return _listed(f"{name} {_value(value)}" for name, value in members.items())


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)
