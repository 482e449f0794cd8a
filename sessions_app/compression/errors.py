"""What compression refuses beyond the engine's own refusals. Nothing was written."""

from sessions_app.engine import EngineError


class Busy(EngineError):
    """As many of these are running in this process as may. Try again in a moment."""


class SummariserFailed(EngineError):
    """The model gave no usable summary, and the caller wants no other in its place."""


class TooManyFrames(EngineError):
    """The session is too long to be measured frame by frame within one request."""

    def __init__(self, *, frames: int, limit: int) -> None:
        self.frames, self.limit = frames, limit
        super().__init__(f"The session has {frames:,} frames; at most {limit:,} can be measured in one request.")


class StrategyUnavailable(EngineError):
    """The strategy cannot be used here and now; the text says why."""
