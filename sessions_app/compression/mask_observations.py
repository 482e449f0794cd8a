"""`mask_observations`: old results go by their age, many at once, so that the prompt cache survives in between."""

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.kept import smaller
from sessions_app.compression.tool_results import cleared, tool_of, with_calls
from sessions_app.engine import Toolbox, Window


class MaskObservations(Strategy):
    """Replace tool results by a placeholder once they are old enough, many rounds at a time.

    The boundary moves by whole batches, counted from the window's start: between two moves the beginning of the window
    stays the same, byte for byte, and a provider's prompt cache goes on serving it.
    """

    name = "mask_observations"

    class Params(Parameters):
        protect_rounds: int = Field(default=10, ge=1, description="How many of the newest complete rounds stay.")
        batch: int = Field(default=10, ge=1, description="By how many rounds the boundary moves at once.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        stop = _boundary(window, params.protect_rounds, params.batch)
        masked = (
            cleared(item, tool_of(item, call)) if item.role == "tool" else item
            for item, call in with_calls(window.items[:stop])
        )
        return smaller(window, (*masked, *window.items[stop:]))


def _boundary(window: Window, protect_rounds: int, batch: int) -> int:
    rounds = window.complete_rounds
    masked = max(len(rounds) - protect_rounds, 0) // batch * batch
    return rounds[masked].start if masked else window.system_stop
