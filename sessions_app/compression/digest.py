"""`digest`: old history as one structured summary, made without a model (compression page, section 3)."""

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.covering import Covering, take_apart
from sessions_app.compression.digesting.budget import fit
from sessions_app.compression.digesting.facts import Facts
from sessions_app.engine import CannotCompress, Toolbox, Window


class Digest(Strategy):
    """Replace old history by one structured summary: requests, constraints, files, errors, decisions, plan. No model.

    A later digest takes the earlier one in by key. A first request of up to 500 tokens stays where it stands; a longer
    one is covered and its beginning quoted, as rule 3 wants it.
    """

    name = "digest"

    class Params(Parameters):
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")
        max_tokens: int = Field(
            default=2_000,
            ge=200,
            le=100_000,
            description="How long the digest may be. The quote of a long first request stands even if it is longer.",
        )

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        covering = take_apart(window, params.protect_rounds)
        if covering.holds_nothing_new:
            return window
        summary = covering.summary(_body(covering, params.max_tokens, tools))
        if summary.tokens >= covering.tokens:
            raise CannotCompress("A digest of the old messages would not be shorter than they are.")
        return covering.replaced_by(summary)


def _body(covering: Covering, max_tokens: int, tools: Toolbox) -> str:
    facts = Facts(covering.quote)
    facts.take(covering.items)
    body = fit(facts.sections, covering.room(max_tokens), tools.count_text)
    if not body and any(section.lines() for section in facts.sections):
        raise CannotCompress("There is too little old history for a digest to be shorter.")
    return body
