"""Strategies that run others find them here: the registry imports them, so they cannot import it."""

from importlib import import_module

from sessions_app.compression.base import Strategy
from sessions_app.engine import Fault, InvalidInput


class UnknownStrategy(InvalidInput):
    """There is no strategy of that name. `known`: those there are."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        self.name, self.known = name, known
        super().__init__([Fault("/strategy", f"must be one of {', '.join(known)}; there is no {name[:60]!r}")])


def find(name: str) -> Strategy:
    """Asked when it is needed, so that custom strategies are found too. Raises UnknownStrategy."""
    registry = import_module("sessions_app.compression.registry")
    found: Strategy = registry.find(name)
    return found
