"""The replay of a recording (compression page, section 7)."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import pytest
from pydantic import BaseModel

from sessions_app.compression import Strategy, strategies
from sessions_app.compression.choices import Choice, parse_choices
from sessions_app.compression.replay import Prices, Replay, Run, Terms, replay
from sessions_app.engine import CannotCompress, Toolbox, Window
from tests.builders import calls, reply, says, system, user
from tests.compression.recordings import made_up, recording
from tests.compression.slow_replay import told

TERMS = Terms(limit_tokens=6_000, trigger=0.5)
ALL = [s.name for s in strategies()]


def chosen(*names: str, **params: Any) -> tuple[Choice, ...]:
    return parse_choices([{"strategy": name, "params": params} for name in names])


def one(messages: list[dict[str, Any]], name: str, terms: Terms = TERMS, **params: Any) -> tuple[Run, Run]:
    """The run of the strategy, and that without compression."""
    done = replay(frames=recording(messages), choices=chosen(name, **params), terms=terms)
    return done.runs[0], done.baseline


@pytest.mark.parametrize("seed", range(50))
def test_totals_are_those_of_the_slow_replay(seed: int) -> None:
    frames = made_up(seed, rounds=20 + seed % 30)
    name = ALL[seed % len(ALL)]
    terms = replace(TERMS, trigger=(0.2, 0.5, 0.9, 1_500)[seed % 4], cache_min_tokens=(1_024, 0)[seed % 2])
    done = replay(frames=frames, choices=chosen(name), terms=terms)
    for run, choice in ((done.baseline, None), (done.runs[0], done.runs[0].choice)):
        slow = told(frames, choice, terms)
        totals = asdict(run.totals)
        assert {n: totals[n] for n in slow.totals} == pytest.approx(slow.totals)
        assert list(run.series) == slow.series
        assert [(e.seq, e.before, e.after) for e in run.compressions] == slow.compressions


def test_each_assistant_frame_is_a_call_whose_input_is_all_before_it() -> None:
    frames = recording([system("S"), user("U"), calls("a"), reply("a", "out"), says("done")])
    done = replay(frames=frames, choices=chosen("digest"))
    tokens = [f.tokens for f in frames]
    assert done.calls == 2
    assert done.baseline.series == ((3, sum(tokens[:2])), (5, sum(tokens[:4])))
    assert done.baseline.totals.input_tokens == sum(tokens[:2]) + sum(tokens[:4])
    assert done.baseline.totals.output_tokens == tokens[2] + tokens[4]


def test_a_recording_without_a_model_call_has_nothing_to_tell() -> None:
    run, baseline = one([user("U")], "digest")
    totals = asdict(run.totals)
    assert {name for name, value in totals.items() if value is None} == {
        "cache_hit", "relative_cost", "need_kept", "far_need_kept", "runway"
    }  # fmt: skip
    assert {value for value in totals.values() if value is not None} == {0}
    assert (run.series, baseline.series) == ((), ())


def test_the_call_before_is_read_from_the_cache_and_the_rest_is_written_to_it() -> None:
    frames = recording([user("u " * 1_200), says("a"), user("v"), says("b")])
    first, _, _, _ = (f.tokens for f in frames)
    before_b = sum(f.tokens for f in frames[:3])
    output = frames[1].tokens + frames[3].tokens
    totals = replay(frames=frames, choices=chosen("digest")).baseline.totals
    assert totals.cached_tokens == first
    assert totals.cache_hit == first / (first + before_b)
    assert totals.cost == pytest.approx(0.1 * first + 1.25 * (first + before_b - first) + 5 * output)


def test_a_short_prefix_is_not_cached() -> None:
    frames = recording([user("u"), says("a"), user("v"), says("b")])
    assert replay(frames=frames, choices=chosen("digest")).baseline.totals.cached_tokens == 0
    least = Terms(cache_min_tokens=1)
    assert replay(frames=frames, choices=chosen("digest"), terms=least).baseline.totals.cached_tokens > 0


@pytest.mark.parametrize(("gap", "is_cached"), [(299, True), (300, True), (301, False)])
def test_a_cache_dies_in_an_idle_gap_longer_than_it_lives(gap: float, is_cached: bool) -> None:
    messages = [user("u " * 2_000), says("a"), user("v"), says("b")]
    frames = recording(messages, seconds=[0, 1, 1 + gap, 1 + gap])
    assert bool(replay(frames=frames, choices=chosen("digest")).baseline.totals.cached_tokens) is is_cached


def test_prices_are_the_callers() -> None:
    frames = recording([user("u " * 2_000), says("a"), user("v"), says("b")])
    terms = Terms(prices=Prices(read=0, write=1, output=0))
    totals = replay(frames=frames, choices=chosen("digest"), terms=terms).baseline.totals
    assert totals.cost == totals.input_tokens - totals.cached_tokens


def run_of_reads(count: int, *, again: str = "") -> list[dict[str, Any]]:
    """One task: each round reads another file of about a thousand tokens; at the end a path is named again."""
    messages: list[dict[str, Any]] = [system("S"), user("Read the files.")]
    for n in range(count):
        messages += [calls(f"c{n}", name="read_file"), reply(f"c{n}", f"src/found_{n}.py " + f"word{n} " * 500)]
    return [*messages, says(again or "That was all.")]


def test_a_window_is_compressed_where_it_has_reached_the_trigger() -> None:
    terms = Terms(limit_tokens=12_000, trigger=0.5)
    run, baseline = one(run_of_reads(30), "clear_tool_results", terms)
    assert len(run.compressions) > 1
    assert all(e.before >= 6_000 > e.after for e in run.compressions)
    assert run.totals.peak < baseline.totals.peak
    assert run.totals.compressions == len(run.compressions)


def test_each_compression_names_the_call_that_it_came_right_before() -> None:
    run, _ = one(run_of_reads(12), "clear_tool_results")
    sizes = dict(run.series)
    assert all(sizes[event.seq] == event.after for event in run.compressions)


def test_calls_over_the_limit_are_counted() -> None:
    _, baseline = one(run_of_reads(12), "digest", Terms(limit_tokens=3_000))
    assert baseline.totals.over_limit == sum(tokens > 3_000 for _, tokens in baseline.series) > 0


def test_what_the_agent_used_again_and_the_window_has_not_is_need_that_is_lost() -> None:
    messages = run_of_reads(14, again="Back to src/found_0.py now.")
    run, baseline = one(messages, "sliding_window")
    assert baseline.totals.need_kept == 1
    assert baseline.totals.far_need == 1
    assert run.totals.far_need_kept == 0
    frames = recording(messages)
    assert run.totals.regret_tokens == frames[3].tokens  # the reply that told the path


def test_what_was_last_seen_ten_rounds_before_is_not_far() -> None:
    def far(count: int) -> int:
        return one(run_of_reads(count, again="Back to src/found_0.py now."), "digest")[1].totals.far_need

    assert [far(11), far(12)] == [0, 1]


def test_a_strategy_that_keeps_what_is_needed_loses_nothing() -> None:
    messages = run_of_reads(14, again="Back to src/found_0.py now.")
    run, _ = one(messages, "truncate_tool_results", max_tokens=50)
    assert run.compressions
    assert run.totals.far_need_kept == 1
    assert run.totals.regret_tokens == 0


class Stubborn(Strategy):
    """Takes a little of one message at a time, and never enough."""

    name = "stubborn"
    tries = 0
    handed = 0

    def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Window:
        type(self).tries += 1
        type(self).handed += len(window)
        raise CannotCompress("No.")


def test_a_strategy_is_run_at_every_call_whose_window_has_reached_the_trigger() -> None:
    Stubborn.tries = Stubborn.handed = 0
    choice = Choice(Stubborn(), Stubborn.Params())
    done = replay(frames=recording(run_of_reads(60)), choices=[choice], terms=TERMS)
    assert Stubborn.tries == sum(tokens >= TERMS.trigger_tokens for _, tokens in done.baseline.series)
    assert done.runs[0].totals.passed_over == 0


def test_one_that_never_gets_below_it_is_passed_over_where_it_would_cost_the_square_of_the_recording() -> None:
    Stubborn.tries = Stubborn.handed = 0
    choice = Choice(Stubborn(), Stubborn.Params())
    done = replay(frames=recording(run_of_reads(300)), choices=[choice], terms=TERMS)
    due = sum(tokens >= TERMS.trigger_tokens for _, tokens in done.baseline.series)
    assert 0 < done.runs[0].totals.passed_over == due - Stubborn.tries
    assert Stubborn.handed <= 20_000 + 10 * done.frames


class Breaking(Strategy):
    """Breaks rule 1."""

    name = "breaking"

    def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Window:
        return Window(window.items[1:])


class Failing(Strategy):
    """Has a defect."""

    name = "failing"

    def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Window:
        raise ZeroDivisionError


def test_a_window_that_breaks_a_rule_is_told_and_not_used() -> None:
    choice = Choice(Breaking(), Breaking.Params())
    done = replay(frames=recording(run_of_reads(12)), choices=[choice], terms=TERMS)
    [run] = done.runs
    assert run.compressions and all(1 in event.broken for event in run.compressions)
    assert run.totals.broken == len(run.compressions)
    assert run.totals.compressions == 0
    assert run.series == done.baseline.series
    assert not run.is_pareto


def test_a_strategy_with_a_defect_is_told_and_the_others_run(caplog: pytest.LogCaptureFixture) -> None:
    choices = [Choice(Failing(), Failing.Params()), *chosen("digest")]
    done = replay(frames=recording(run_of_reads(12)), choices=choices, terms=TERMS)
    failing, digest = done.runs
    assert "ZeroDivisionError" in failing.unavailable
    assert "ZeroDivisionError" in caplog.text
    assert not failing.is_pareto
    assert digest.compressions


def front_of(*points: tuple[float, float], over_limit: Sequence[int] = ()) -> list[bool]:
    """`over_limit`: of each point, none where it is left out."""
    from sessions_app.compression.replay.front import with_front

    done = replay(frames=recording([user(), says()]), choices=chosen("digest"))
    [run] = done.runs
    runs = [
        replace(run, totals=replace(run.totals, cost=cost, far_need=1, far_need_kept=kept, over_limit=over))
        for (cost, kept), over in zip(points, over_limit or [0] * len(points), strict=True)
    ]
    return [r.is_pareto for r in with_front(runs)]


def test_the_front_holds_what_no_other_beats_in_both() -> None:
    assert front_of((1, 0.5), (2, 0.9), (3, 0.8), (2, 0.4), (1, 0.5)) == [True, True, False, False, True]


def test_a_run_with_calls_over_the_limit_is_on_no_front_where_another_has_none() -> None:
    assert front_of((1, 1), (2, 0.9), (3, 0.8), over_limit=(4, 0, 0)) == [False, True, False]


def test_where_every_run_has_calls_over_the_limit_the_front_is_told_among_them() -> None:
    assert front_of((1, 0.5), (2, 0.9), (3, 0.8), over_limit=(4, 1, 1)) == [True, True, False]


def test_costs_are_told_against_no_compression() -> None:
    done: Replay = replay(frames=made_up(3), choices=chosen("sliding_window"), terms=TERMS)
    [run] = done.runs
    assert done.baseline.totals.relative_cost == 1
    assert run.totals.relative_cost == run.totals.cost / done.baseline.totals.cost


def test_a_replay_writes_the_same_twice() -> None:
    frames = made_up(9)
    choices = chosen("digest", "sliding_window")
    again = made_up(9)
    assert replay(frames=frames, choices=choices, terms=TERMS) == replay(frames=again, choices=choices, terms=TERMS)
