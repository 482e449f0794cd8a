"""Strategies with their parameters, as a comparison or a replay is asked for: one to six of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from sessions_app.compression.base import Strategy
from sessions_app.compression.policy import Policy
from sessions_app.compression.registry import find
from sessions_app.compression.under_policy import params_under
from sessions_app.engine import Fault, InvalidInput

MOST: Final = 6
_AT: Final = "/strategies"


@dataclass(frozen=True, slots=True)
class Choice:
    strategy: Strategy
    params: BaseModel

    @property
    def name(self) -> str:
        return self.strategy.name

    @property
    def params_json(self) -> dict[str, Any]:
        return self.params.model_dump(mode="json")


def parse_choices(raw: Any, policy: Policy | None = None) -> tuple[Choice, ...]:
    """`[{"strategy", "params"?}]`, under the session's policy.

    Raises InvalidInput, with a pointer for each fault: `/strategies/1/params/target`.
    """
    if not isinstance(raw, list):
        raise InvalidInput([Fault(_AT, "must be a list")])
    if not 1 <= len(raw) <= MOST:
        raise InvalidInput([Fault(_AT, f"must hold 1 to {MOST} strategies, not {len(raw)}")])
    choices: list[Choice] = []
    faults: list[Fault] = []
    for number, one in enumerate(raw):
        try:
            choices.append(_choice(one, policy))
        except InvalidInput as e:
            faults += [Fault(f"{_AT}/{number}{fault.pointer}", fault.detail) for fault in e.faults]
    if faults:
        raise InvalidInput(faults)
    return tuple(choices)


def _choice(raw: Any, policy: Policy | None) -> Choice:
    if not isinstance(raw, Mapping):
        raise InvalidInput([Fault("", 'must be an object such as {"strategy": "digest"}')])
    faults = [Fault(f"/{name}", "is not known here") for name in raw if name not in ("strategy", "params")]
    if not isinstance(raw.get("strategy"), str):
        faults.append(Fault("/strategy", "must be a string" if "strategy" in raw else "is missing"))
    if faults:
        raise InvalidInput(faults)
    strategy = find(raw["strategy"])
    return Choice(strategy, params_under(policy, strategy, raw.get("params", {})))
