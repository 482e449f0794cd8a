"""A replay as values: on which terms it is made, and what comes out (compression page, section 7)."""

from dataclasses import dataclass, field
from typing import Final

from sessions_app.compression.choices import Choice
from sessions_app.compression.policy import in_tokens

MOST_FRAMES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a token, relative to one of plain input: read from the cache, written to it, and put out by the model."""

    read: float = 0.1
    write: float = 1.25
    output: float = 5.0


@dataclass(frozen=True, slots=True)
class Terms:
    """`trigger`: up to 1 a fraction of the limit, above 1 tokens. `cache_ttl_s`: how long a cache lives unread;
    `cache_min_tokens`: the shortest prefix that is cached.
    """

    limit_tokens: int = 128_000
    trigger: float = 0.8
    prices: Prices = Prices()
    cache_ttl_s: float = 300
    cache_min_tokens: int = 1_024

    @property
    def trigger_tokens(self) -> float:
        return in_tokens(self.trigger, self.limit_tokens)


@dataclass(frozen=True, slots=True)
class Event:
    """A compression of a run, right before the call of frame `seq`: tokens of the window before and after.

    `broken`: the numbers of the rules that the window broke; such a one is not used, and the run goes on without.
    """

    seq: int
    before: int
    after: int
    broken: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all calls of a run. Tokens, unless it says otherwise; None where there was nothing to measure."""

    calls: int
    input_tokens: int
    peak: int
    over_limit: int
    """Calls whose input was over the limit."""
    cached_tokens: int
    cache_hit: float | None
    """Cached ÷ input."""
    output_tokens: int
    summary_tokens: int
    """What a model would have read and written to summarise."""
    cost: float
    """In tokens of plain input: read · cached + write · (input - cached) + output + summaries."""
    relative_cost: float | None
    """÷ the cost without compression."""
    need_kept: float | None
    need: int
    """n: what the recorded agent used of what had been said before."""
    far_need_kept: float | None
    far_need: int
    """n: that part of it which was last seen more than 10 rounds before."""
    regret_tokens: int
    """Tokens of the frames that would have had to be fetched again."""
    compressions: int
    runway: float | None
    """Calls between two compressions, on average."""
    broken: int
    """Candidates that broke a rule."""
    passed_over: int = 0
    """Calls at which the trigger was met and the strategy was not run: it had not got below it so often before that
    running it at each of them would cost the square of the recording."""


@dataclass(frozen=True, slots=True)
class Run:
    """One strategy over the whole recording. `series`: the frame of each call and the tokens of its input.

    `stand_in`: the strategy that stood in for it, empty where none did, and `why` then says the reason. `choice` is
    None for no compression.
    """

    choice: Choice | None
    totals: Totals
    series: tuple[tuple[int, int], ...]
    compressions: tuple[Event, ...]
    stand_in: str = ""
    why: str = ""
    unavailable: str = ""
    """Why the strategy could not be run; the run is then one without compression."""
    is_pareto: bool = field(default=False)
    """No other run that stays under the limit costs less and keeps more far need."""

    @property
    def name(self) -> str:
        return "none" if self.choice is None else self.choice.name


@dataclass(frozen=True, slots=True)
class Replay:
    """`baseline`: the recording as it would have been without any compression."""

    terms: Terms
    frames: int
    calls: int
    baseline: Run
    runs: tuple[Run, ...]
