"""Previews: what a strategy would do, shown without doing it, and without a model."""

from pydantic import BaseModel

from sessions_app.compression.base import Strategy
from sessions_app.compression.policy import limit_of
from sessions_app.engine import Fault, InvalidInput, Toolbox


def tools_for(strategy: Strategy, params: BaseModel, *, policy_text: str, dry_run: bool) -> Toolbox:
    """What the strategy may use in a compression that somebody asked for.

    Raises InvalidInput for a dry run of one that cannot do without a model: it would have to be paid for twice, and the
    second summary would be another one.
    """
    if dry_run and strategy.asks_model(params):
        raise InvalidInput(
            [Fault("/dry_run", "a summary by a model is not previewed: apply it, and restore undoes it")]
        )
    return Toolbox(limit_tokens=limit_of(policy_text), may_ask_model=not dry_run)
