"""The panel of a session's compression policy: what its form holds, and the policy that a form which was sent says."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from inspector.forms_strategy import Field, Option, errors_by_field, fields_of, params_from
from inspector.wording import in_words
from sessions_app import engine
from sessions_app.compression import registry
from sessions_app.compression.policy import AT, Policy, load_policy, shared_with

_PROPERTIES: Final[dict[str, Any]] = Policy.model_json_schema()["properties"]
_LIMITS: Final = ("limit_tokens", "trigger", "target")


@dataclass(frozen=True, slots=True)
class PolicyContent:
    """`limits` and `params`: fields of the policy, and of the strategy `drawn`."""

    limits: tuple[Field, ...]
    strategy: Field
    drawn: str
    params: tuple[Field, ...]
    auto: Field
    has_policy: bool


def policy_from(posted: QueryDict, current: str) -> dict[str, Any]:
    """What was filled in; what was left empty is the default. Parameters that were drawn for another strategy are none
    of the chosen one's.
    """
    values = params_from(_part(*_LIMITS, "strategy", "auto"), posted, prefix="")
    name = values.get("strategy", "")
    params = params_from(_params_schema(name, current), posted) if posted.get("drawn_strategy") == name else {}
    return {**Policy().model_dump(), **values, "params": params}


def policy_content(current: str, posted: QueryDict | None, error: Exception | None) -> PolicyContent:
    """`posted`: the form as it came back, None where it was not sent yet."""
    stored = load_policy(current)
    values = (stored or Policy()).model_dump() if posted is None else policy_from(posted, current)
    # A form may name one that there is not. That of the policy is shown, though a custom one may have gone.
    names = [strategy.name for strategy in registry.strategies()]
    if values["strategy"] not in names and not (stored and stored.strategy == values["strategy"]):
        values["strategy"] = names[0]
    chosen = values["strategy"]
    if posted is not None and posted.get("drawn_strategy") != chosen:
        values["params"] = stored.params if stored and stored.strategy == chosen else {}
    faults, params_faults = _faults(error)
    numbers = {name: _short(values[name]) for name in _LIMITS}
    limits = fields_of(_part(*_LIMITS), values=numbers, errors=faults, prefix="")
    (auto,) = fields_of(_part("auto"), values=values, errors=faults, prefix="")
    return PolicyContent(
        limits=tuple(
            replace(field, label=label, help=told) for field, (label, told) in zip(limits, _told(), strict=True)
        ),
        strategy=_strategy_field(chosen, names, faults.get("strategy", "")),
        drawn=chosen,
        params=fields_of(_params_schema(chosen, current), values=values["params"], errors=params_faults),
        auto=replace(
            auto,
            label=_("Compress by itself"),
            help=_("Right after an append, where the window is due; only by a strategy that then asks no model."),
        ),
        has_policy=stored is not None,
    )


def _short(value: Any) -> Any:
    """3,000 tokens are stored as 3000.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _told() -> tuple[tuple[str, str], ...]:
    """The label of each of _LIMITS, and what it means."""
    return (
        (_("Limit"), _("Tokens that the model takes.")),
        (_("Trigger"), _("From where on the window is due: up to 1 a part of the limit, above 1 tokens.")),
        (_("Target"), _("Down to where it is compressed, by a strategy that has a target: said like the trigger.")),
    )


def _strategy_field(chosen: str, names: list[str], error: str) -> Field:
    known = {strategy.name: strategy.summary for strategy in registry.strategies()}
    return Field(
        name="strategy",
        label=_("Strategy"),
        kind="select",
        value=chosen,
        help=in_words(known[chosen]) if chosen in known else _("There is no strategy of this name here."),
        options=tuple(Option(n, n == chosen) for n in (names if chosen in names else [*names, chosen])),
        error=in_words(error),
    )


def _part(*names: str) -> dict[str, Any]:
    return {"properties": {name: _PROPERTIES[name] for name in names}}


def _params_schema(name: str, current: str) -> Mapping[str, Any]:
    """Without those that the policy itself says, unless it says them twice."""
    strategy = next((s for s in registry.strategies() if s.name == name), None)
    if strategy is None:
        return {}
    stored = load_policy(current)
    said_twice = stored.params if stored and stored.strategy == name else {}
    schema = registry.describe(strategy)["params_schema"]
    left_out = set(shared_with(strategy)) - set(said_twice)
    return {**schema, "properties": {n: m for n, m in schema.get("properties", {}).items() if n not in left_out}}


def _faults(error: Exception | None) -> tuple[dict[str, str], dict[str, str]]:
    """By the policy's own members, and by the strategy's parameters."""
    if not isinstance(error, engine.InvalidInput):
        return {}, {}
    inner = [engine.Fault(f.pointer.removeprefix(AT), f.detail) for f in error.faults]
    own = {f.pointer.removeprefix("/"): in_words(f.detail) for f in inner}
    return own, errors_by_field(engine.InvalidInput(inner))
