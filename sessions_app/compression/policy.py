"""When a session's window should be compressed, and how: its policy, stored as compact JSON text, "" for none."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from sessions_app.compression.base import Strategy
from sessions_app.compression.fractions import MOST_TOKENS as MOST_TOKENS
from sessions_app.compression.fractions import in_tokens as in_tokens
from sessions_app.compression.parameters import parse_params, validate
from sessions_app.compression.registry import find, policy_names
from sessions_app.compression.stopping import started_again, with_guard, without_guard
from sessions_app.engine import Fault, InvalidInput

AT: Final = "/compression_policy"
DEFAULT_LIMIT: Final = 128_000


class Policy(BaseModel):
    """`trigger` and `target`: up to 1 a fraction of the limit, above 1 tokens."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    limit_tokens: int = Field(default=DEFAULT_LIMIT, ge=1, le=MOST_TOKENS)
    trigger: float = Field(default=0.8, gt=0, le=MOST_TOKENS)
    target: float = Field(default=0.6, gt=0, le=MOST_TOKENS)
    strategy: str = "cascade"
    params: dict[str, Any] = Field(default_factory=dict)
    auto: bool = False

    @property
    def trigger_tokens(self) -> float:
        return in_tokens(self.trigger, self.limit_tokens)

    @property
    def target_tokens(self) -> float:
        return in_tokens(self.target, self.limit_tokens)

    def params_for(self, strategy: Strategy) -> dict[str, Any]:
        """Its trigger and target are those of a strategy that has such parameters, unless `params` says otherwise."""
        return self.shared(strategy) | self.params

    def shared(self, strategy: Strategy) -> dict[str, Any]:
        """What it says of parameters of the strategy: its trigger and target.

        A trigger that was set below the target, which had its default then, is the target as well.
        """
        own = {"trigger": self.trigger, "target": min(self.target, self.trigger, key=self._tokens)}
        return {name: own[name] for name in shared_with(strategy)}

    def _tokens(self, value: float) -> float:
        return in_tokens(value, self.limit_tokens)


def shared_with(strategy: Strategy) -> tuple[str, ...]:
    """The members of a policy that are parameters of the strategy too."""
    fields = strategy.Params.model_fields
    return tuple(n for n in ("trigger", "target") if n in fields and fields[n].annotation is float)


def parse_policy(raw: Any, current: str) -> str:
    """The stored form of a policy as a caller sends it: None clears it, members left out keep what `current` says.
    Automatic compression that had stopped starts again.

    Raises InvalidInput.
    """
    if raw is None:
        return ""
    if not isinstance(raw, Mapping):
        raise InvalidInput([Fault(AT, "must be an object or null")])
    policy = validate(Policy, {**without_guard(current), **raw}, at=AT, owner="a compression policy")
    faults = [*(_order_faults(policy) if "target" in raw else ()), *_strategy_faults(policy)]
    if faults:
        raise InvalidInput(faults)
    text = json.dumps(policy.model_dump(mode="json"), separators=(",", ":"))
    return with_guard(text, started_again(current))


def _order_faults(policy: Policy) -> list[Fault]:
    if policy.target_tokens <= policy.trigger_tokens:
        return []
    said = f"must not be above the trigger: {policy.target_tokens:.0f} and {policy.trigger_tokens:.0f} tokens"
    return [Fault(f"{AT}/target", said)]


def _strategy_faults(policy: Policy) -> list[Fault]:
    names = policy_names()
    if policy.strategy not in names:
        return [Fault(f"{AT}/strategy", f"must be one of {', '.join(names)}")]
    strategy = find(policy.strategy)
    try:
        params = parse_params(strategy, policy.params_for(strategy))
    except InvalidInput as e:
        return [Fault(AT + fault.pointer, fault.detail) for fault in e.faults]
    if policy.auto and strategy.asks_model(params):
        said = f"cannot be true with the strategy {strategy.name}, which asks a model under these parameters; right "
        return [Fault(f"{AT}/auto", said + "after an append none is asked: use cascade or digest")]
    return []


def load_policy(text: str) -> Policy | None:
    """What `parse_policy` gave, read back without checking it again."""
    return Policy.model_construct(**without_guard(text)) if text else None


def is_due(*, policy_text: str, context_tokens: int) -> bool:
    """Whether the window has reached the trigger. Asked for every answer: nothing is validated here."""
    if not policy_text:
        return False
    policy = load_policy(policy_text)
    return policy is not None and bool(context_tokens >= policy.trigger_tokens)


def limit_of(policy_text: str) -> int:
    """The model's limit in tokens."""
    policy = load_policy(policy_text)
    return DEFAULT_LIMIT if policy is None else policy.limit_tokens
