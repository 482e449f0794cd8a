"""`cascade`: the cheap and harmless first, a summary only where that is not enough."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.clear_tool_results import ClearToolResults
from sessions_app.compression.digest import Digest
from sessions_app.compression.drop_reasoning import DropReasoning
from sessions_app.compression.fractions import MOST_TOKENS, in_tokens
from sessions_app.compression.long_answers import with_long_answers_cut
from sessions_app.compression.lookup import find
from sessions_app.compression.parameters import parse_params
from sessions_app.compression.progress import Progress, ensure_missed
from sessions_app.engine import CannotCompress, Compressed, Toolbox, Window, made_by

SUMMARISER: Final = "summarize"

_Stage = Callable[[Window], Compressed]


class Cascade(Strategy):
    """From the trigger down to the target: clear old tool results, drop old reasoning, cut long old answers, summarise.

    It stops at the first stage that meets the target, and passes over one that gains nothing. The summary is a model's
    where one may be asked; else it is a digest.
    """

    name = "cascade"
    stands_in = True

    class Params(Parameters):
        trigger: float = Field(
            default=0.8,
            gt=0,
            le=MOST_TOKENS,
            description="From how many tokens on it does anything: up to 1 a fraction of the limit, above 1 tokens.",
        )
        target: float = Field(
            default=0.6, gt=0, le=MOST_TOKENS, description="Up to 1 a fraction of the limit, above 1 tokens."
        )
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Compressed:
        trigger = in_tokens(params.trigger, tools.limit_tokens)
        if window.tokens < trigger:
            raise CannotCompress(f"The window has {window.tokens} tokens, below the trigger of {trigger:.0f}.")
        # Both can be set apart: a target above the trigger would be met by a window that is due.
        progress = Progress(window, min(in_tokens(params.target, tools.limit_tokens), trigger))
        ensure_missed(window, progress.target)
        for said, stage in _stages(params.protect_rounds, tools):
            if progress.is_met:
                break
            try:
                progress.take(said, stage(progress.window))
            except CannotCompress:
                continue
        return progress.told()


def _stages(protect_rounds: int, tools: Toolbox) -> Iterator[tuple[str, _Stage]]:
    cleared, dropped = ClearToolResults(), DropReasoning()
    clearing = ClearToolResults.Params(protect_rounds=protect_rounds)
    dropping = DropReasoning.Params(protect_rounds=protect_rounds)
    yield "cleared old tool results", lambda window: made_by(cleared, window, params=clearing, tools=tools)
    yield "dropped old reasoning", lambda window: made_by(dropped, window, params=dropping, tools=tools)
    yield "cut long old answers", lambda window: _answers_cut(window, protect_rounds, tools)
    yield "summarised the rest", lambda window: _summarised(window, protect_rounds, tools)


def _answers_cut(window: Window, protect_rounds: int, tools: Toolbox) -> Compressed:
    after = with_long_answers_cut(window, protect_rounds, tools.count_text)
    if after is window:
        raise CannotCompress("No old answer is long.")
    return Compressed(after)


def _summarised(window: Window, protect_rounds: int, tools: Toolbox) -> Compressed:
    """The summariser stands in for its model by itself where none may be asked; where there is none, nobody does."""
    summariser = find(SUMMARISER)
    if summariser.available:
        params = parse_params(summariser, {"protect_rounds": protect_rounds})
        return made_by(summariser, window, params=params, tools=tools)
    digest = Digest.Params(protect_rounds=protect_rounds)
    made = made_by(Digest(), window, params=digest, tools=tools)
    return replace(made, used=Digest.name, why="No model is set up: the summary is a digest.")
