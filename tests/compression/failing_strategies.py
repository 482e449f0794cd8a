"""Strategies that no session should be made to pay for: named by STRATEGY_MODULES in the tests."""

from typing import Any

from pydantic import BaseModel

from sessions_app.compression import Strategy
from sessions_app.engine import CannotCompress, Toolbox, Window


class Raises(Strategy):
    """Has a defect."""

    name = "raises"

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window:
        raise ZeroDivisionError("a defect")


class BreaksRule(Strategy):
    """Takes the system message away."""

    name = "breaks_a_rule"

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window:
        return Window.of(window.items[1:])


class Declines(Strategy):
    """Never finds anything to do."""

    name = "declines"

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window:
        raise CannotCompress("There is nothing to do.")


class Writes(Strategy):
    """Asks a model, unless `fallback` does it."""

    name = "writes"
    needs_model = True

    class Params(BaseModel):
        fallback: str = "none"

    def asks_model(self, params: Any) -> bool:
        return bool(params.fallback == "none")

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window:
        assert not tools.may_ask_model
        return Window.of([*window.items[:2], *window.items[-2:]])


class Measured(Strategy):
    """Has a trigger and a target, as the policy has; says which it was given."""

    name = "measured"

    class Params(BaseModel):
        trigger: float = 0.5
        target: float = 0.5

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window:
        raise CannotCompress(f"{params.trigger:g} {params.target:g} of {tools.limit_tokens}")
