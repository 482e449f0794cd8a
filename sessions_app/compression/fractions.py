"""Sizes that may be said as a part of the model's limit."""

from typing import Final

MOST_TOKENS: Final = 1_000_000_000
"""A bound, so that arithmetic with a float cannot overflow."""


def in_tokens(value: float, limit: int) -> float:
    """Up to 1 a fraction of the limit, above 1 tokens."""
    return value * limit if value <= 1 else value
