"""A candidate: what one strategy makes of a window when nothing is at stake. No model is asked, nothing is written."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sessions_app.compression.choices import Choice
from sessions_app.engine import (
    Broken,
    Candidate,
    CannotCompress,
    Compressed,
    FirstRequest,
    OpenCall,
    Toolbox,
    Window,
    check,
    made_by,
)

Outcome = Literal["ok", "nothing-to-compress", "rule-broken", "unavailable"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Of a session at the moment: what the rules ask for beside the window."""

    open_calls: tuple[OpenCall, ...]
    last_seq: int
    first_request: FirstRequest | None


@dataclass(frozen=True, slots=True)
class Made:
    """`window` is None where there is none; where it breaks a rule it is given all the same. `used`: the strategy that
    stood in for the one that was asked, empty where none did; `why`: the reason for that or for the outcome.
    """

    outcome: Outcome
    why: str = ""
    window: Window | None = None
    used: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    broken: Sequence[Broken] = ()


def make(choice: Choice, window: Window, circumstances: Circumstances, *, limit_tokens: int) -> Made:
    """Never raises: a custom strategy that does is told as unavailable, and logged."""
    strategy = choice.strategy
    tools = Toolbox(limit_tokens=limit_tokens, may_ask_model=False)
    try:
        if why := _why_not(choice):
            return Made("unavailable", why)
        return _judged(made_by(strategy, window, params=choice.params, tools=tools), window, circumstances)
    except CannotCompress as e:
        return Made("nothing-to-compress", str(e))
    except Exception as e:  # noqa: BLE001 - a defect of one strategy is no reason to keep quiet about the others
        _log.exception("The strategy %s failed", strategy.name)
        return Made("unavailable", f"It has a defect: {type(e).__name__}. The server's log tells more.")


def _judged(made: Compressed, before: Window, at: Circumstances) -> Made:
    broken = check(Candidate(before, made.window, at.open_calls, at.last_seq, at.first_request))
    outcome: Outcome = "rule-broken" if broken else "ok"
    return Made(outcome, made.why, made.window, made.used, made.usage, broken)


def _why_not(choice: Choice) -> str:
    strategy = choice.strategy
    if strategy.stands_in:
        return ""  # it works without its model here, whether or not there is one
    if strategy.asks_model(choice.params):
        return strategy.why or "It asks a model, and none is asked here."
    return strategy.why
