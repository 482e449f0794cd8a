"""What a replay is asked for on the command line: strategies, limit, trigger, prices."""

import json
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from sessions_app.compression import Policy
from sessions_app.compression.choices import Choice, parse_choices
from sessions_app.compression.registry import strategies
from sessions_app.compression.replay import Prices
from sessions_app.engine import Fault, InvalidInput

DEFAULT: Final = (
    "sliding_window",
    "clear_tool_results",
    "mask_observations",
    "trim_to_target",
    "digest",
    "cascade",
)

Raw = dict[str, Any]
"""A strategy as a request names it: `{"strategy", "params"?}`."""

_FEW_TOKENS: Final = 100
"""Fewer are no model's limit."""

_STRATEGY: Final = re.compile(r"([^=:]+)(?:=(?P<json>.*)|:(?P<members>.*))?\Z", re.DOTALL)
_BETWEEN: Final = re.compile(r",(?=\s*\w+=)")
"""A comma before the next name: one inside a value parts nothing."""


@dataclass(frozen=True, slots=True)
class Limit:
    """So many tokens, or a share of the largest input of each recording."""

    tokens: int | None = None
    share: float = 1.0

    @property
    def doubt(self) -> str:
        """What else may have been meant."""
        if self.tokens is None or self.tokens >= _FEW_TOKENS:
            return ""
        return f"--limit {self.tokens} is {self.tokens} tokens: did you mean {self.tokens}%?"

    def of(self, peak: Callable[[], int]) -> int:
        return self.tokens if self.tokens is not None else max(1, round(peak() * self.share))


def strategy(text: str) -> Raw:
    """`NAME`, `NAME={"member": value}` or `NAME:member=value,member=value`."""
    asked = _STRATEGY.match(text)
    if asked is None:
        raise ArgumentTypeError(f"{text!r} names no strategy")
    params = _from_json(asked["json"]) if asked["json"] is not None else _from_members(asked["members"])
    raw = {"strategy": asked[1].strip(), "params": params}
    try:
        parse_choices([raw])
    except InvalidInput as e:
        raise ArgumentTypeError("; ".join(map(_said, e.faults))) from e
    return raw


def _said(fault: Fault) -> str:
    detail = fault.detail
    if "valid array" in detail or "valid tuple" in detail:
        detail = 'must be a JSON list such as ["shell"]'
    return f"{fault.pointer.removeprefix('/strategies/0')} {detail}"


def chosen(named: list[Raw], *, all_of_them: bool) -> list[Raw]:
    """Those that were named, and all others with their defaults where all are asked for; six where none is."""
    if not named and not all_of_them:
        return [{"strategy": name} for name in DEFAULT]
    return [*named, *({"strategy": one.name} for one in strategies() if all_of_them)]


def choices_under(policy: Policy, raw: list[Raw]) -> list[Choice]:
    """One by one: on the command line there may be more of them than in a request."""
    return [choice for one in raw for choice in parse_choices([one], policy)]


def limit(text: str) -> Limit:
    if text.endswith("%"):
        share = _number(text[:-1]) / 100
        if not 0 < share <= 1:
            raise ArgumentTypeError(f"{text!r} is not between 0% and 100%")
        return Limit(share=share)
    try:
        return Limit(tokens=whole(text, at_least=1))
    except ArgumentTypeError as e:
        raise ArgumentTypeError(f"{e}, or a share such as 50%") from None


def tokens(text: str) -> int:
    return whole(text, at_least=0)


def calls(text: str) -> int:
    return whole(text, at_least=1)


def whole(text: str, *, at_least: int) -> int:
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None
    if not at_least <= number <= 1_000_000_000:
        raise ArgumentTypeError(f"{text!r} is not between {at_least} and 1,000,000,000")
    return number


def trigger(text: str) -> float:
    number = _number(text)
    if not 0 < number <= 1_000_000_000:
        raise ArgumentTypeError(f"{text!r} is neither a share of the limit, up to 1, nor a number of tokens")
    return number


def seconds(text: str) -> float:
    number = _number(text)
    if number < 0:
        raise ArgumentTypeError(f"{text!r} is less than nothing")
    return number


def prices(text: str) -> Prices:
    parts = text.split(",")
    if len(parts) != 3:
        raise ArgumentTypeError(f"{text!r} is not read,write,output: three numbers with commas between them")
    read, write, output = map(_number, parts)
    if min(read, write, output) < 0:
        raise ArgumentTypeError(f"{text!r} holds a price below nothing")
    return Prices(read, write, output)


def _from_json(text: str) -> dict[str, Any]:
    try:
        params = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise ArgumentTypeError(f"{text!r} is no JSON: {e}") from e
    if not isinstance(params, dict):
        raise ArgumentTypeError(f"{text!r} is no JSON object of parameters")
    return params


def _from_members(text: str | None) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for member in _BETWEEN.split(text) if text else ():
        name, sign, value = member.partition("=")
        if not sign:
            raise ArgumentTypeError(f"{member!r} is not NAME=VALUE")
        params[name.strip()] = _value(value)
    return params


def _value(text: str) -> Any:
    """A number, true, a list … as JSON; any other word as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number") from None
    if not isfinite(number):
        raise ArgumentTypeError(f"{text!r} is no number to reckon with")
    return number
