"""Long old answers cut to head and tail: a stage of `cascade`."""

from collections.abc import Callable
from typing import Final

from sessions_app.compression.cutting import with_texts_cut
from sessions_app.compression.kept import old_stop, smaller
from sessions_app.engine import ContextItem, Window, has_reasoning

MOST: Final = 400
"""Tokens of an old answer's text."""


def with_long_answers_cut(window: Window, protect_rounds: int, count_text: Callable[[str], int]) -> Window:
    """What the assistant said, beside calls too; the calls stay as they are. Raises CannotCompress."""
    stop = old_stop(window, protect_rounds)

    def cut(item: ContextItem) -> ContextItem:
        # Reasoning may be signed over the answer that it led to.
        if item.role != "assistant" or has_reasoning(item):
            return item
        return with_texts_cut(item, MOST, count_text)

    return smaller(window, (*map(cut, window.items[:stop]), *window.items[stop:]))
