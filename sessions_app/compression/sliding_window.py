"""`sliding_window`: the plainest strategy. What lies before the newest rounds goes."""

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.kept import old_stop, pinned, smaller
from sessions_app.engine import Toolbox, Window


class SlidingWindow(Strategy):
    """Keep the system message, the first request and the newest rounds; drop what lies between.

    The last request, later system messages and earlier summaries stay as well.
    """

    name = "sliding_window"

    class Params(Parameters):
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        stop = old_stop(window, params.protect_rounds)
        pins = pinned(window)
        return smaller(
            window,
            (item for i, item in enumerate(window) if i >= stop or i in pins or item.kind == "summary"),
        )
