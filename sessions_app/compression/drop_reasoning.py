"""`drop_reasoning`: what a model thought once, it does not need again."""

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.kept import if_shorter, old_stop, smaller
from sessions_app.engine import ContextItem, Toolbox, Window, has_reasoning, is_blank, without_reasoning


class DropReasoning(Strategy):
    """Remove the reasoning of old messages, whole and never in part: a signature holds for every byte.

    A message that says nothing else stays as it is.
    """

    name = "drop_reasoning"

    class Params(Parameters):
        protect_rounds: int = Field(default=1, ge=1, description="How many of the newest complete rounds stay.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        stop = old_stop(window, params.protect_rounds)
        return smaller(window, (*map(_without_reasoning, window.items[:stop]), *window.items[stop:]))


def _without_reasoning(item: ContextItem) -> ContextItem:
    if item.role != "assistant" or not has_reasoning(item):
        return item
    left = without_reasoning(item.message.data)
    if is_blank(left.get("content")) and not item.message.calls:
        return item
    return if_shorter(item, left)
