"""The steps of a `pipeline`: as they are sent, and as they are run."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, Field, GetJsonSchemaHandler, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.kept import broken_rules
from sessions_app.compression.lookup import UnknownStrategy, find
from sessions_app.compression.parameters import parse_params
from sessions_app.engine import CannotCompress, Compressed, Fault, InvalidInput, Toolbox, Window, made_by


class Step(Parameters):
    """A strategy with its parameters; a bare name where those are the default ones."""

    strategy: str
    params: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _from_a_name(cls, raw: Any) -> Any:
        if isinstance(raw, str):
            return {"strategy": raw}
        if not isinstance(raw, Mapping):
            raise ValueError("must be the name of a strategy, or an object")
        return raw

    @model_serializer
    def _as_said(self) -> str | dict[str, Any]:
        return {"strategy": self.strategy, "params": self.params} if self.params else self.strategy

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler.resolve_ref_schema(handler(core))]}

    @classmethod
    def of(cls, *names: str) -> tuple[Self, ...]:
        return tuple(cls(strategy=name) for name in names)

    def faults(self, owner: str) -> list[Fault]:
        """What is wrong with it. `owner`: the name of the strategy whose step it is."""
        if self.strategy == owner:
            return [Fault("/strategy", "cannot be a step of itself")]
        try:
            self.parsed()
        except UnknownStrategy as e:
            return list(UnknownStrategy(e.name, tuple(name for name in e.known if name != owner)).faults)
        except InvalidInput as e:
            return list(e.faults)
        return []

    def parsed(self) -> tuple[Strategy, BaseModel]:
        strategy = find(self.strategy)
        return strategy, parse_params(strategy, self.params)


def run(strategy: Strategy, window: Window, *, params: BaseModel, tools: Toolbox) -> Compressed | None:
    """What the strategy makes of the window; None where it has nothing to gain, or cannot be used here.

    Raises CannotCompress where it breaks a rule: a custom strategy with a defect is not passed over in silence.
    """
    if not strategy.stands_in and (strategy.why or (strategy.asks_model(params) and not tools.may_ask_model)):
        return None
    try:
        made = made_by(strategy, window, params=params, tools=tools)
    except CannotCompress:
        return None
    if broken := broken_rules(window, made.window):
        raise CannotCompress(f"The step {strategy.name} would break rule {broken[0].rule}: {broken[0].why}.")
    return made
