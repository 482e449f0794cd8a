"""`trim_to_target`: a window that slides only as far as it must."""

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.fractions import MOST_TOKENS, in_tokens
from sessions_app.compression.kept import old_stop, pinned, smaller
from sessions_app.engine import CannotCompress, Toolbox, Window


class TrimToTarget(Strategy):
    """Drop the oldest rounds, each as a whole, until the window meets the target.

    The first and the last request, what system and developer say, and summaries stay. Where all that is old is not
    enough, all of it goes.
    """

    name = "trim_to_target"

    class Params(Parameters):
        target: float = Field(
            default=0.6, gt=0, le=MOST_TOKENS, description="Up to 1 a fraction of the limit, above 1 tokens."
        )
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        target = in_tokens(params.target, tools.limit_tokens)
        if window.tokens <= target:
            raise CannotCompress(f"The window has {window.tokens} tokens and meets the target of {target:.0f}.")
        dropped = _dropped(window, old_stop(window, params.protect_rounds), target)
        return smaller(window, (item for i, item in enumerate(window) if i not in dropped))


def _dropped(window: Window, stop: int, target: float) -> frozenset[int]:
    """Positions of the oldest rounds whose going meets the target; of all old ones where that is not enough."""
    pins = pinned(window)
    dropped: set[int] = set()
    tokens = window.tokens
    for span in window.complete_rounds:
        if span.start >= stop or tokens <= target:
            break
        goes = [i for i in range(span.start, span.stop) if i not in pins and window[i].kind != "summary"]
        dropped.update(goes)
        tokens -= sum(window[i].tokens for i in goes)
    return frozenset(dropped)
