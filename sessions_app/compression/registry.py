"""Which strategies there are: the built-in ones, and those of the modules that a setting names."""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel

from sessions_app.compression.base import Strategy
from sessions_app.compression.cascade import Cascade
from sessions_app.compression.clear_tool_results import ClearToolResults
from sessions_app.compression.dedupe_reads import DedupeReads
from sessions_app.compression.digest import Digest
from sessions_app.compression.drop_reasoning import DropReasoning
from sessions_app.compression.lookup import UnknownStrategy as UnknownStrategy
from sessions_app.compression.mask_observations import MaskObservations
from sessions_app.compression.pipeline import Pipeline
from sessions_app.compression.sliding_window import SlidingWindow
from sessions_app.compression.summarize import Summarize
from sessions_app.compression.trim_to_target import TrimToTarget
from sessions_app.compression.truncate_tool_results import TruncateToolResults
from sessions_app.engine import RESTORE, Fault, InvalidInput

BUILT_IN: Final[tuple[type[Strategy], ...]] = (
    SlidingWindow,
    TrimToTarget,
    ClearToolResults,
    MaskObservations,
    TruncateToolResults,
    DedupeReads,
    DropReasoning,
    Digest,
    Summarize,
    Cascade,
    Pipeline,
)

_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}\Z")


def strategies() -> tuple[Strategy, ...]:
    """The built-in strategies and then the custom ones, each in a fixed order.

    Raises ImproperlyConfigured where a module of STRATEGY_MODULES cannot be used.
    """
    return strategies_of(tuple(settings.STRATEGY_MODULES))


def find(name: str) -> Strategy:
    for strategy in strategies():
        if strategy.name == name:
            return strategy
    raise UnknownStrategy(name, tuple(s.name for s in strategies()))


def usable(name: str) -> Strategy:
    """The strategy of that name, to be used now. Raises InvalidInput, also where it cannot be used here."""
    strategy = find(name)
    if not strategy.available:
        raise InvalidInput([Fault("/strategy", f"cannot be used here: {strategy.why}")])
    return strategy


def policy_names() -> tuple[str, ...]:
    """The strategies that a policy may name."""
    return tuple(s.name for s in strategies())


def describe(strategy: Strategy) -> dict[str, Any]:
    """What a form, the API's schema and a page say of a strategy."""
    return {
        "name": strategy.name,
        "summary": strategy.summary,
        "params_schema": strategy.Params.model_json_schema(),
        "needs_model": strategy.needs_model,
        "available": strategy.available,
        "why": strategy.why,
    }


@lru_cache(maxsize=8)
def strategies_of(modules: tuple[str, ...]) -> tuple[Strategy, ...]:
    found = [kind() for kind in BUILT_IN]
    taken = {strategy.name: "a built-in strategy" for strategy in found}
    taken[RESTORE] = "a built-in strategy"
    for module in modules:
        for kind in _defined_in(module):
            if kind.name in taken:
                raise ImproperlyConfigured(
                    f"STRATEGY_MODULES: {module}.{kind.__name__} is called {kind.name!r}, as is {taken[kind.name]}."
                )
            taken[kind.name] = f"{module}.{kind.__name__}"
            found.append(_made(kind))
    return tuple(found)


def _defined_in(module: str) -> Iterator[type[Strategy]]:
    """The module's own strategies, in the order in which they stand there. One without a name is a base of others."""
    try:
        members = vars(import_module(module))
    except Exception as e:  # whatever the module does when it is run
        said = str(e) if isinstance(e, ImportError) else f"{type(e).__name__}: {e}"
        raise ImproperlyConfigured(f"STRATEGY_MODULES: {module!r} cannot be imported: {said}.") from e
    for member in members.values():
        if isinstance(member, type) and issubclass(member, Strategy) and member.__module__ == module and member.name:
            _ensure_declared(member)
            yield member


def _made(kind: type[Strategy]) -> Strategy:
    """One that describes itself: a list of the strategies must not fail for one of them."""
    try:
        strategy = kind()
        describe(strategy)
    except Exception as e:
        where = f"STRATEGY_MODULES: {kind.__module__}.{kind.__name__}"
        raise ImproperlyConfigured(f"{where} does not describe itself: {type(e).__name__}: {e}.") from e
    return strategy


def _ensure_declared(kind: type[Strategy]) -> None:
    where = f"STRATEGY_MODULES: {kind.__module__}.{kind.__name__}"
    if not isinstance(kind.name, str) or not _NAME.match(kind.name):
        raise ImproperlyConfigured(f"{where}: a name is lower-case letters, digits and _, not {kind.name!r}.")
    if not (isinstance(kind.Params, type) and issubclass(kind.Params, BaseModel)):
        raise ImproperlyConfigured(f"{where}: Params must be a pydantic model.")
    if kind.compress is Strategy.compress:
        raise ImproperlyConfigured(f"{where} has no compress().")
