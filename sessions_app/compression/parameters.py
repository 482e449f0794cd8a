"""What a caller sent as parameters, checked against a declared model; what is wrong comes back by JSON pointer."""

import json
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from sessions_app.compression.base import Strategy
from sessions_app.engine import Fault, InvalidInput

_AT: Final = "/params"
_Model = TypeVar("_Model", bound=BaseModel)


def parse_params(strategy: Strategy, raw: Mapping[str, Any]) -> BaseModel:
    """The parameters of a strategy. Raises InvalidInput: members it does not have are refused, no type is converted."""
    params = validate(strategy.Params, raw, at=_AT, owner=f"the strategy {strategy.name!r}")
    if faults := strategy.faults(params):
        raise InvalidInput([Fault(_AT + fault.pointer, fault.detail) for fault in faults])
    return params


def validate(model: type[_Model], raw: Any, *, at: str, owner: str) -> _Model:
    """`raw` as a `model`, strictly. `at`: the pointer under which the faults stand; `owner`: whose members they are."""
    if not isinstance(raw, Mapping):
        raise InvalidInput([Fault(at, "must be an object")])
    try:
        # Through JSON: a list will do for a tuple, NaN is no number, and what is no JSON cannot get into the ledger.
        text = json.dumps(dict(raw), allow_nan=False)
    except (ValueError, TypeError, RecursionError) as e:
        raise InvalidInput([Fault(at, "is not JSON: NaN, Infinity, or a value of another kind")]) from e
    try:
        return model.model_validate_json(text, strict=True, extra="forbid")
    except ValidationError as e:
        raise InvalidInput(
            [_fault(error["type"], error["loc"], error["msg"], at, owner) for error in e.errors()]
        ) from e


def _fault(kind: str, location: tuple[int | str, ...], said: str, at: str, owner: str) -> Fault:
    pointer = at + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)
    if kind == "extra_forbidden":
        return Fault(pointer, f"is no member of {owner}")
    if kind == "missing":
        return Fault(pointer, "is missing")
    detail = said.removeprefix("Input ").removeprefix("Value error, ")
    return Fault(pointer, detail[:1].lower() + detail[1:])
