"""`truncate_tool_results`: of a long output the two ends tell the most."""

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.cutting import FEWEST, with_texts_cut
from sessions_app.compression.digesting.results import is_interruption
from sessions_app.compression.kept import old_stop, smaller
from sessions_app.engine import ContextItem, Toolbox, Window


class TruncateToolResults(Strategy):
    """Keep head and tail of long old tool results; a line between them says how much was left out.

    Each text part of a result is cut by itself; pictures and other parts stay.
    """

    name = "truncate_tool_results"

    class Params(Parameters):
        max_tokens: int = Field(default=400, ge=FEWEST, le=100_000, description="How long an old result may be.")
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        stop = old_stop(window, params.protect_rounds)

        def cut(item: ContextItem) -> ContextItem:
            if item.role != "tool" or is_interruption(item.message.body):
                return item
            return with_texts_cut(item, params.max_tokens, tools.count_text)

        return smaller(window, (*map(cut, window.items[:stop]), *window.items[stop:]))
