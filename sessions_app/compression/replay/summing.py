"""Several recordings replayed under the same strategies, taken together: one run a strategy."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sessions_app.compression.replay.front import with_front
from sessions_app.compression.replay.values import Replay, Run, Totals


def summed(replays: Sequence[Replay]) -> Replay:
    """Counts, tokens and costs are added up and shares taken of the sums, so that a long recording counts for more
    than a short one. The peak is the highest; terms are those of the first. There must be one at least.
    """
    baseline = _summed([r.baseline for r in replays], None)
    return Replay(
        terms=replays[0].terms,
        frames=sum(r.frames for r in replays),
        calls=sum(r.calls for r in replays),
        baseline=baseline,
        runs=with_front([_summed(runs, baseline) for runs in zip(*(r.runs for r in replays), strict=True)]),
    )


def _summed(runs: Sequence[Run], baseline: Run | None) -> Run:
    totals = [run.totals for run in runs]
    cost = sum(t.cost for t in totals)
    cost_without = cost if baseline is None else baseline.totals.cost
    return replace(
        runs[0],
        totals=Totals(
            **{name: sum(getattr(t, name) for t in totals) for name in _ADDED},
            peak=max(t.peak for t in totals),
            cache_hit=_mean((t.cache_hit, t.input_tokens) for t in totals),
            cost=cost,
            relative_cost=cost / cost_without if cost_without else None,
            need_kept=_mean((t.need_kept, t.need) for t in totals),
            far_need_kept=_mean((t.far_need_kept, t.far_need) for t in totals),
            # Between n compressions there are n - 1 runways.
            runway=_mean((t.runway, t.compressions - 1) for t in totals),
        ),
        series=(),
        compressions=(),
        stand_in=_first(runs, lambda run: run.stand_in),
        why=_first(runs, lambda run: run.why),
        unavailable=_first(runs, lambda run: run.unavailable),
        is_pareto=False,
    )


_ADDED = (
    "calls",
    "input_tokens",
    "over_limit",
    "cached_tokens",
    "output_tokens",
    "summary_tokens",
    "need",
    "far_need",
    "regret_tokens",
    "compressions",
    "passed_over",
    "broken",
)


def _mean(weighed: Iterable[tuple[float | None, int]]) -> float | None:
    """Each value as often as it weighs; None where there is none."""
    known = [(value, weight) for value, weight in weighed if value is not None]
    weights = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / weights if weights else None


def _first(runs: Sequence[Run], said: Callable[[Run], str]) -> str:
    return next(filter(None, map(said, runs)), "")
