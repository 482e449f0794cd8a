"""Parameters where the session has a policy: what the caller leaves out, the policy may say."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from sessions_app.compression.base import Strategy
from sessions_app.compression.parameters import parse_params
from sessions_app.compression.policy import Policy


def params_under(policy: Policy | None, strategy: Strategy, raw: Mapping[str, Any]) -> BaseModel:
    """`raw` checked, with the policy's trigger and target for those that the strategy goes by and `raw` leaves out.

    Without this a window that is due by its policy might be no case for the very strategy that the policy names. Raises
    InvalidInput.
    """
    if policy is None or not isinstance(raw, Mapping):
        return parse_params(strategy, raw)
    return parse_params(strategy, {**policy.shared(strategy), **raw})
