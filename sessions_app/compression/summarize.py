"""`summarize`: old history as one summary that a model writes (compression page, section 4)."""

from typing import Any, Literal

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.covering import Covering, take_apart
from sessions_app.compression.digest import Digest
from sessions_app.compression.digesting.budget import fit
from sessions_app.compression.digesting.facts import Facts
from sessions_app.compression.errors import SummariserFailed
from sessions_app.compression.summaries import Endpoint, NoSummary, Source, Usage, why_not_configured, write
from sessions_app.engine import CannotCompress, Compressed, Toolbox, Window

_REQUESTS = 0.3
"""The part of the room that the user's requests may take: they stand word for word, and are not left to the model."""
_LEAST = 80
"""Tokens below which a model is not asked: nothing that is worth its price can be said in them."""


class Summarize(Strategy):
    """Replace old history by one summary that a model writes; the user's requests stay word for word in it.

    What it covers and where it stands is as with a digest. An earlier summary is given to the model to be updated.
    """

    name = "summarize"
    needs_model = True
    stands_in = True

    class Params(Parameters):
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")
        max_tokens: int = Field(
            default=2_000,
            ge=200,
            le=100_000,
            description="How long the summary may be. The quote of a long first request stands even if it is longer.",
        )
        instructions: str = Field(default="", max_length=4_000, description="What the model is told besides.")
        fallback: Literal["digest", "none"] = Field(
            default="digest", description="What is done where the model gives no usable summary."
        )

    @property
    def why(self) -> str:
        return why_not_configured()

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window | Compressed:
        covering = take_apart(window, params.protect_rounds)
        if covering.holds_nothing_new:
            return window
        if not tools.may_ask_model:
            return _stand_in(covering, params, tools)
        try:
            return _by_model(covering, params, tools)
        except NoSummary as e:
            if params.fallback == "none":
                raise SummariserFailed(e.why) from e
            return _instead(window, params, tools, why=e.why, usage=e.usage.as_json())
        except CannotCompress as e:
            if params.fallback == "none":
                raise
            return _instead(window, params, tools, why=str(e), usage={})


def _by_model(covering: Covering, params: Summarize.Params, tools: Toolbox) -> Compressed:
    """Raises NoSummary, Busy, and CannotCompress before anything is asked where it would be asked for nothing."""
    around = covering.summary("", by_model=True)
    room = min(covering.room(params.max_tokens, by_model=True), covering.tokens - around.tokens - 1)
    if room < _LEAST:
        raise CannotCompress("There is too little old history for a summary by a model to be shorter.")
    requests = _requests(covering, int(room * _REQUESTS), tools)
    covering.replaced_by(around)  # an imported window may be one that cannot be compressed
    endpoint = Endpoint.configured()
    if endpoint is None:
        raise NoSummary(why_not_configured(), Usage(model=""))
    room -= tools.count_text(requests)
    source = Source(covering.items, room, tools.limit_tokens, params.instructions, tools.count_text)
    summary = write(source, endpoint)
    made = covering.summary(requests + summary.lines, by_model=True)
    try:
        return Compressed(covering.replaced_by(made), usage=summary.usage.as_json())
    except CannotCompress as e:  # it was paid for
        raise NoSummary(str(e), summary.usage) from e


def _requests(covering: Covering, budget: int, tools: Toolbox) -> str:
    """What the user asked for, also what an earlier summary kept of it, in the form of a digest."""
    facts = Facts(covering.quote)
    facts.take(covering.items)
    return fit([facts.requests], budget, tools.count_text)


def _stand_in(covering: Covering, params: Summarize.Params, tools: Toolbox) -> Compressed:
    window = covering.window
    after = _digest(window, params, tools)
    usage: dict[str, Any] = {
        "estimated": True,
        "input_tokens": covering.tokens,
        "output_tokens": covering.tokens - (window.tokens - after.tokens),
    }
    why = "No model is asked here: a digest stands in for its summary."
    return Compressed(after, used=Digest.name, why=why, usage=usage)


def _instead(
    window: Window, params: Summarize.Params, tools: Toolbox, *, why: str, usage: dict[str, Any]
) -> Compressed:
    """Raises CannotCompress where a digest gains nothing either."""
    after = _digest(window, params, tools)
    return Compressed(after, used=Digest.name, why=f"{why} A digest stands in for its summary.", usage=usage)


def _digest(window: Window, params: Summarize.Params, tools: Toolbox) -> Window:
    digest = Digest.Params(protect_rounds=params.protect_rounds, max_tokens=params.max_tokens)
    return Digest().compress(window, params=digest, tools=tools)
