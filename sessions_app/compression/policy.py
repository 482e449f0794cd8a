"""When a session's window should be compressed, and how: its policy, stored as compact JSON text, "" for none."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from sessions_app.compression.parameters import parse_params, validate
from sessions_app.compression.registry import find, policy_names, strategies
from sessions_app.engine import Fault, InvalidInput

AT: Final = "/compression_policy"
DEFAULT_LIMIT: Final = 128_000
_MOST_TOKENS: Final = 1_000_000_000
"""A bound, so that arithmetic with a float cannot overflow."""


class Policy(BaseModel):
    """`trigger` and `target`: up to 1 a fraction of the limit, above 1 tokens."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    limit_tokens: int = Field(default=DEFAULT_LIMIT, ge=1, le=_MOST_TOKENS)
    trigger: float = Field(default=0.8, gt=0, le=_MOST_TOKENS)
    target: float = Field(default=0.6, gt=0, le=_MOST_TOKENS)
    strategy: str = "cascade"
    params: dict[str, Any] = Field(default_factory=dict)
    auto: bool = False

    @property
    def trigger_tokens(self) -> float:
        return in_tokens(self.trigger, self.limit_tokens)

    @property
    def target_tokens(self) -> float:
        return in_tokens(self.target, self.limit_tokens)


def in_tokens(value: float, limit: int) -> float:
    return value * limit if value <= 1 else value


def parse_policy(raw: Any, current: str) -> str:
    """The stored form of a policy as a caller sends it: None clears it, members left out keep what `current` says.

    Raises InvalidInput.
    """
    if raw is None:
        return ""
    if not isinstance(raw, Mapping):
        raise InvalidInput([Fault(AT, "must be an object or null")])
    kept = json.loads(current) if current else {}
    policy = validate(Policy, {**kept, **raw}, at=AT, owner="a compression policy")
    faults = [*_order_faults(policy), *_strategy_faults(policy), *_auto_faults(policy)]
    if faults:
        raise InvalidInput(faults)
    return json.dumps(policy.model_dump(mode="json"), separators=(",", ":"))


def _order_faults(policy: Policy) -> list[Fault]:
    if policy.target_tokens <= policy.trigger_tokens:
        return []
    said = f"must not be above the trigger: {policy.target_tokens:.0f} and {policy.trigger_tokens:.0f} tokens"
    return [Fault(f"{AT}/target", said)]


def _strategy_faults(policy: Policy) -> list[Fault]:
    names = policy_names()
    if policy.strategy not in names:
        return [Fault(f"{AT}/strategy", f"must be one of {', '.join(names)}")]
    # The parameters of one that is still to come are kept as they are: it will check them.
    if policy.strategy not in {s.name for s in strategies()}:
        return []
    try:
        parse_params(find(policy.strategy), policy.params)
    except InvalidInput as e:
        return [Fault(AT + fault.pointer, fault.detail) for fault in e.faults]
    return []


def _auto_faults(policy: Policy) -> list[Fault]:
    if not policy.auto:
        return []
    return [
        Fault(f"{AT}/auto", "cannot be true yet: automatic compression is not available; compress on `compression_due`")
    ]


def load_policy(text: str) -> Policy | None:
    """What `parse_policy` gave, read back without checking it again."""
    return Policy.model_construct(**json.loads(text)) if text else None


def is_due(*, policy_text: str, context_tokens: int) -> bool:
    """Whether the window has reached the trigger. Asked for every answer: nothing is validated here."""
    if not policy_text:
        return False
    policy = json.loads(policy_text)
    return bool(context_tokens >= in_tokens(policy["trigger"], policy["limit_tokens"]))


def limit_of(policy_text: str) -> int:
    """The model's limit in tokens."""
    return int(json.loads(policy_text)["limit_tokens"]) if policy_text else DEFAULT_LIMIT
