"""Strategies that run others find them here: the registry imports them, so they cannot import it."""

from importlib import import_module

from sessions_app.compression.base import Strategy


def find(name: str) -> Strategy:
    """Asked when it is needed, so that custom strategies are found too. Raises UnknownStrategy."""
    registry = import_module("sessions_app.compression.registry")
    found: Strategy = registry.find(name)
    return found
