"""Which runs are worth a look: no other costs less and keeps more."""

from collections.abc import Sequence
from dataclasses import replace

from sessions_app.compression.replay.values import Run


def with_front(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs with `is_pareto` told: of cost and far need kept, or of all need where none was far.

    A run whose strategy could not be used, or made a window that breaks a rule, is on no front; one with calls over the
    limit only where every run has some: a provider would have refused them, so what they cost is not real.
    """
    usable = [run for run in runs if not run.unavailable and not run.totals.broken]
    eligible = [run for run in usable if not run.totals.over_limit] or usable
    by_far = any(run.totals.far_need for run in eligible)
    points = [(run.totals.cost, _kept(run, by_far=by_far)) for run in eligible]
    front = {
        id(run)
        for run, (cost, kept) in zip(eligible, points, strict=True)
        if not any(c <= cost and k >= kept and (c, k) != (cost, kept) for c, k in points)
    }
    return tuple(replace(run, is_pareto=id(run) in front) for run in runs)


def _kept(run: Run, *, by_far: bool) -> float:
    kept = run.totals.far_need_kept if by_far else run.totals.need_kept
    return 1.0 if kept is None else kept
