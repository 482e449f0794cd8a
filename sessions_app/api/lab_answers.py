"""The shapes of what comparisons and replays answer, for the schema."""

from typing import Any, Literal

from pydantic import Field

from sessions_app.api.answers import Answer, ContextItem, FateName, Head, SizeAnswer


class SplitAnswer(Answer):
    ratio: float | None = Field(description="tokens ÷ those of the window now")
    by_role: dict[str, int] = Field(description="tokens of the messages of each role")
    by_kind: dict[Literal["verbatim", "edited", "summary"], int] = Field(
        description="tokens of what stands as it was sent, of placeholders and cut messages, and of summaries"
    )


class BaseAnswer(SizeAnswer):
    size: SplitAnswer


class MeasureAnswer(Answer):
    value: float | None = Field(description="null where there was nothing to measure")
    n: int


class Breach(Answer):
    position: int | None = Field(description="of the message in the candidate, from 1")
    detail: str


class GateAnswer(Answer):
    rule: int
    held: bool
    where: list[Breach]


class ProbeAnswer(Answer):
    text: str
    origin: Literal["given", "constraint", "edited_path", "last_error", "last_check", "last_decision"]
    found: bool


class ComparisonResult(Answer):
    strategy: str
    params: dict[str, Any]
    outcome: Literal["ok", "nothing-to-compress", "rule-broken", "unavailable"]
    why: str | None
    stand_in: str | None = Field(description="the strategy that stood in for this one, because no model is asked here")
    after: SizeAnswer | None
    size: SplitAnswer | None
    fates: list[tuple[int, int, FateName]] = Field(description="runs of frames: first, last, what becomes of them")
    measures: dict[str, MeasureAnswer]
    gates: list[GateAnswer]
    probes: list[ProbeAnswer]
    window: list[ContextItem] | None = Field(default=None, description="only with `include=window`")


class Compared(Head):
    base: BaseAnswer
    results: list[ComparisonResult]


class PricesAnswer(Answer):
    read: float
    write: float
    output: float


class TermsAnswer(Answer):
    limit_tokens: int
    trigger: float
    trigger_tokens: float
    prices: PricesAnswer
    cache_ttl_s: float
    cache_min_tokens: int


class TotalsAnswer(Answer):
    calls: int
    input_tokens: int
    peak: int
    over_limit: int = Field(description="calls whose input was over the limit")
    cached_tokens: int
    cache_hit: float | None
    output_tokens: int
    summary_tokens: int = Field(description="what a model would have read and written to summarise")
    cost: float = Field(description="in tokens of plain input")
    relative_cost: float | None = Field(description="÷ the cost without compression")
    need_kept: float | None
    need: int = Field(description="n: what the recorded agent used of what had been said before")
    far_need_kept: float | None
    far_need: int = Field(description="n: that part of it which was last seen more than 10 rounds before")
    regret_tokens: int = Field(description="of the frames that would have had to be fetched again")
    compressions: int
    runway: float | None = Field(description="calls between two compressions, on average")
    broken: int = Field(description="candidates that broke a rule and were not used")
    passed_over: int = Field(description="calls at which a strategy that never gets below the trigger was not run")


class ReplayEvent(Answer):
    seq: int = Field(description="the frame of the call that it came right before")
    before: int
    after: int
    broken: list[int] = Field(description="rules that the candidate broke; it was not used then")


class ReplayRun(Answer):
    strategy: str
    params: dict[str, Any]
    outcome: Literal["ok", "unavailable"]
    why: str | None = Field(description="why it was not run, or why another stood in for it")
    stand_in: str | None = Field(description="the strategy that stood in for this one, because no model is asked here")
    totals: TotalsAnswer
    series: list[tuple[int, int]] = Field(description="for each call its frame and the tokens of its input")
    compressions: list[ReplayEvent]
    pareto: bool = Field(description="no other run that stays under the limit costs less and keeps more far need")


class Baseline(Answer):
    totals: TotalsAnswer
    series: list[tuple[int, int]]


class Replayed(Answer):
    frames: int
    calls: int
    terms: TermsAnswer
    baseline: Baseline = Field(description="without any compression")
    runs: list[ReplayRun]
