"""`pipeline`: any of the others one after the other, until the target is met."""

from typing import Final

from pydantic import Field, field_validator

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.fractions import MOST_TOKENS, in_tokens
from sessions_app.compression.progress import Progress, ensure_missed
from sessions_app.compression.steps import Step, run
from sessions_app.engine import Compressed, Fault, Toolbox, Window

MOST_STEPS: Final = 10
PASSES: Final = 10
"""How often the steps are gone through at most. What one step did may give another something to do, but not for long:
each leaves its own output alone."""


class Pipeline(Strategy):
    """Run several strategies one after the other, until the target is met.

    One that gains nothing is passed over. A later step may give an earlier one something to do, so the steps are gone
    through again until nothing changes.
    """

    name = "pipeline"
    stands_in = True

    class Params(Parameters):
        steps: tuple[Step, ...] = Field(
            default=Step.of("dedupe_reads", "clear_tool_results", "drop_reasoning", "digest"),
            description='The strategies in their order, each a name or {"strategy": name, "params": {…}}.',
            json_schema_extra={"minItems": 1, "maxItems": MOST_STEPS},
        )
        target: float = Field(
            default=0.6, gt=0, le=MOST_TOKENS, description="Up to 1 a fraction of the limit, above 1 tokens."
        )

        @field_validator("steps")
        @classmethod
        def _some(cls, steps: tuple[Step, ...]) -> tuple[Step, ...]:
            # No bound on the field: pydantic counts only the good ones, and would call a list with a bad one empty.
            if not 1 <= len(steps) <= MOST_STEPS:
                raise ValueError(f"must hold 1 to {MOST_STEPS} strategies, not {len(steps)}")
            return steps

    def faults(self, params: Params) -> list[Fault]:
        return [
            Fault(f"/steps/{number}{fault.pointer}", fault.detail)
            for number, step in enumerate(params.steps)
            for fault in step.faults(self.name)
        ]

    def asks_model(self, params: Params) -> bool:
        return any(strategy.asks_model(own) for strategy, own in (step.parsed() for step in params.steps))

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Compressed:
        progress = Progress(window, in_tokens(params.target, tools.limit_tokens))
        ensure_missed(window, progress.target)
        for _ in range(PASSES):
            before = progress.window
            _go_through(params.steps, progress, tools)
            if progress.is_met or progress.window is before:
                break
        return progress.told()


def _go_through(steps: tuple[Step, ...], progress: Progress, tools: Toolbox) -> None:
    for step in steps:
        if progress.is_met:
            return
        strategy, params = step.parsed()
        made = run(strategy, progress.window, params=params, tools=tools)
        if made is not None:
            progress.take(strategy.name, made)
