"""The charts of a replay, as plain numbers: scales, thinned paths, labels, marks."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import hypot

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presenters import replay_points
from inspector.presenters.chart_labels import LINE, Box, placed, spread, width_of
from inspector.presenters.chart_paths import apart, path, thinned
from inspector.presenters.chart_scales import Scale, ticks
from inspector.presenters.replay_chart import NARROW, WIDE, Layout, WindowChart, window_chart
from inspector.presenters.replay_lines import Line, lines_of, share
from inspector.presenters.replay_points import CostChart, cost_chart
from inspector.presenters.replay_table import Table, replay_table
from sessions_app.compression.choices import parse_choices
from sessions_app.compression.replay import Event, Replay, Run, Terms, Totals

TERMS = Terms(limit_tokens=10_000, trigger=0.8)
NOTHING = Totals(
    calls=0,
    input_tokens=0,
    peak=0,
    over_limit=0,
    cached_tokens=0,
    cache_hit=None,
    output_tokens=0,
    summary_tokens=0,
    cost=0,
    relative_cost=None,
    need_kept=None,
    need=0,
    far_need_kept=None,
    far_need=0,
    regret_tokens=0,
    compressions=0,
    runway=None,
    broken=0,
)
NUMBER = r"-?\d+(?:\.\d+)?"

tokens = st.integers(0, 200_000)
courses = st.lists(tokens, min_size=1, max_size=300)
spots = st.tuples(st.floats(60, 330), st.floats(30, 290))
names = st.text("abcdefghij_0123456789", min_size=1, max_size=26)


def a_run(name: str, values: Sequence[int], *, events: Sequence[Event] = (), **totals: float | int | None) -> Run:
    """The call of each value is the frame after its number, doubled: 2, 4, 6 …"""
    choice = parse_choices([{"strategy": name}])[0] if name else None
    made = replace(NOTHING, calls=len(values), peak=max(values, default=0), compressions=len(events), **totals)  # type: ignore[arg-type]
    return Run(choice, made, tuple((2 * n, value) for n, value in enumerate(values, start=1)), tuple(events))


def a_replay(*runs: Run, none: Run) -> Replay:
    return Replay(TERMS, frames=100, calls=len(none.series), baseline=none, runs=runs)


def chart(*runs: Run, none: Run, terms: Terms = TERMS, layout: Layout = WIDE) -> WindowChart:
    return window_chart(lines_of(a_replay(*runs, none=none)), terms=terms, layout=layout, frame_url=lambda n: f"#f-{n}")


def table(*runs: Run) -> Table:
    return replay_table(lines_of(a_replay(*runs, none=a_run("", [1]))), frame_url=lambda n: f"#f-{n}")


def column(of: Table, title: str) -> list[tuple[str, bool]]:
    """The cells of a column, without that of the recording itself."""
    at = [c.title for c in of.columns].index(title)
    return [(row.cells[at].text, row.cells[at].is_best) for row in of.rows if row.number]


def numbers(d: str) -> list[float]:
    return [float(n) for n in re.findall(NUMBER, d)]


# Scales


def test_ticks_are_round_numbers_at_even_distances() -> None:
    assert ticks(0, 128_000, most=6) == (0, 50_000, 100_000)
    assert ticks(0, 100, most=6) == (0, 20, 40, 60, 80, 100)
    assert ticks(0.93, 1.08, most=5) == (0.95, 1.0, 1.05)


def test_ticks_of_whole_numbers_have_none_between_two() -> None:
    assert ticks(0, 2, most=9, whole=True) == (0, 1, 2)


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.integers(2, 12))
def test_there_are_never_more_ticks_than_asked_for(low: float, span: float, most: int) -> None:
    made = ticks(low, low + span, most=most)
    assert len(made) <= most
    assert all(low - 1e-8 * (low + span) - 1e-8 <= tick <= (low + span) * (1 + 1e-8) + 1e-8 for tick in made)


def test_a_value_outside_a_scale_stands_at_its_end() -> None:
    scale = Scale(0, 10, 300, 100)
    assert [scale.at(v) for v in (0, 5, 10, 99, -1)] == [300, 200, 100, 100, 300]


def test_a_scale_of_one_value_stands_in_the_middle() -> None:
    assert Scale(3, 3, 0, 10).at(3) == 5


# Paths


def test_a_short_line_is_drawn_point_by_point() -> None:
    assert path([(0, 5), (10, 2.25), (20, 4)]) == "M0 5L10 2.2L20 4"


def test_a_line_of_one_call_can_be_seen() -> None:
    assert path([(4, 5)]) == "M4 5h1"


def test_a_line_of_no_calls_is_no_path() -> None:
    assert path([]) == ""


@given(st.lists(tokens, min_size=1, max_size=2_000))
def test_a_thinned_line_keeps_the_extremes_of_every_column(values: list[int]) -> None:
    points = [(n / 20, float(value)) for n, value in enumerate(values)]
    left = list(thinned(points))
    for x in range(int(points[-1][0]) + 1):
        whole = [y for at, y in points if int(at) == x]
        shown = [y for at, y in left if int(at) == x]
        assert (min(shown), max(shown), shown[0], shown[-1]) == (min(whole), max(whole), whole[0], whole[-1])
        assert len(shown) <= 4


def test_twenty_thousand_calls_make_a_path_of_a_screen() -> None:
    run = a_run("", [n * 977 % 9_000 for n in range(20_000)])
    drawn = chart(run, none=run)
    assert all(len(series.path) < 50_000 for series in drawn.series)


@given(courses, courses)
def test_all_that_is_drawn_lies_in_the_picture(one: list[int], other: list[int]) -> None:
    other = (other * len(one))[: len(one)]
    drawn = chart(a_run("digest", one), none=a_run("", other))
    for series in drawn.series:
        pairs = numbers(series.path.removesuffix("h1"))
        assert all(WIDE.left <= x <= float(drawn.right) for x in pairs[::2])
        assert all(WIDE.top - 0.1 <= y <= float(drawn.bottom) for y in pairs[1::2])


# Labels


@given(st.lists(st.floats(0, 400), max_size=9), st.floats(0, 20), st.floats(300, 400))
def test_labels_of_a_column_keep_their_distance_and_their_order(wanted: list[float], low: float, high: float) -> None:
    places = spread(wanted, gap=LINE, low=low, high=high)
    ordered = sorted(zip(wanted, places, strict=True))
    assert all(low - 1e-6 <= place <= high + 1e-6 for place in places)
    in_order = [place for _, place in ordered]
    assert sorted(in_order) == pytest.approx(in_order)
    assert all(b - a >= LINE - 1e-6 for a, b in pairwise(in_order))


def test_labels_that_have_room_stand_where_they_are_wanted() -> None:
    assert spread([50, 200, 10], gap=16, low=0, high=300) == (50, 200, 10)


def test_labels_that_want_one_place_stand_around_it() -> None:
    assert spread([100, 100], gap=16, low=0, high=300) == (92, 108)


@given(st.lists(st.tuples(spots, names), min_size=1, max_size=7))
def test_labels_of_points_never_overlap_and_stay_in_the_frame(labels: list[tuple[tuple[float, float], str]]) -> None:
    frame = Box(48, 16, 366, 300)
    boxes = placed(labels, frame=frame, radius=8)
    assert all(frame.holds(box) for box in boxes)
    assert not any(a.meets(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert [box.right - box.left for box in boxes] == pytest.approx([width_of(name) for _, name in labels])


def test_a_label_stands_beside_a_line_and_not_on_it() -> None:
    line = ((100.0, 100.0), (300.0, 100.0))
    (box,) = placed([((100, 100), "digest")], frame=Box(0, 0, 400, 400), radius=8, lines=[line])
    assert not box.meets(Box(110, 99, 300, 101))


@given(courses, st.integers(0, 6), st.sampled_from([WIDE, NARROW]))
def test_the_labels_of_lines_never_overlap(values: list[int], count: int, layout: Layout) -> None:
    drawn = chart(*[a_run("digest", values)] * count, none=a_run("", values), layout=layout)
    heights = sorted(float(label.y) for label in drawn.labels)
    assert all(b - a >= LINE - 0.11 for a, b in pairwise(heights))
    assert all(float(label.x) + width_of(label.text) <= layout.width for label in drawn.labels)


# The window at each call


def test_two_lines_of_one_strategy_have_labels_of_their_own() -> None:
    run = a_run("digest", [10])
    assert [label.text for label in chart(run, run, none=a_run("", [10])).labels[:3]] == [
        "none",
        "1 digest",
        "2 digest",
    ]


def test_a_narrow_chart_names_its_lines_by_their_numbers() -> None:
    run = a_run("digest", [9_000])
    drawn = chart(run, none=a_run("", [9_000]), layout=NARROW)
    assert [label.text for label in drawn.labels] == ["none", "1", "limit 10k", "trigger 8k"]


def test_a_compression_is_a_mark_at_its_call_that_leads_to_its_frame() -> None:
    run = a_run("digest", [1_000, 8_500, 3_000], events=[Event(6, 8_500, 3_000)])
    (mark,) = chart(run, none=a_run("", [1_000, 8_500, 9_000])).marks
    assert (mark.href, mark.told) == ("#f-6", "1 digest at frame 6: 8.5k → 3k")
    assert [shape.x for shape in mark.shapes] == [chart(run, none=run).right]


def test_compressions_of_several_strategies_at_one_place_are_one_link_that_names_them() -> None:
    run = a_run("digest", [1_000, 8_500, 3_000], events=[Event(6, 8_500, 3_000)])
    (mark,) = chart(run, run, none=a_run("", [1_000, 8_500, 9_000])).marks
    assert mark.told == "1 digest at frame 6: 8.5k → 3k; 2 digest at frame 6: 8.5k → 3k"
    assert [shape.number for shape in mark.shapes] == [1, 2]
    assert float(mark.shapes[1].x) - float(mark.shapes[0].x) == 9


@given(courses, courses)
def test_no_mark_covers_where_another_is_hit(one: list[int], other: list[int]) -> None:
    both = [a_run("digest", v, events=[Event(2 * n, 9, t) for n, t in enumerate(v, 1)]) for v in (one, other)]
    longest = max(one, other, key=len)
    drawn = chart(*both, none=a_run("", longest))
    firsts = [(float(m.shapes[0].x), float(m.shapes[0].y)) for m in drawn.marks]
    assert all(hypot(a[0] - b[0], a[1] - b[1]) > 15.8 for n, a in enumerate(firsts) for b in firsts[:n])


def test_a_line_without_a_compression_shows_its_shape_every_so_often() -> None:
    bare = chart(a_run("digest", [10] * 50), none=a_run("", [10] * 50)).series
    places = [float(bead.x) for bead in bare[1].beads]
    assert {round(b - a) for a, b in pairwise(places)} == {120}
    assert not bare[0].beads
    marked = a_run("digest", [10] * 50, events=[Event(6, 10, 10)])
    assert not chart(marked, none=a_run("", [10] * 50)).series[1].beads


def test_compressions_that_lie_close_together_are_one_mark() -> None:
    events = [Event(2 * n, 9, 5) for n in range(1, 1_001)]
    run = a_run("digest", [9] * 1_000, events=events)
    marks = chart(run, none=a_run("", [9] * 1_000)).marks
    assert len(marks) < 70
    assert marks[0].told == "1 digest, 19 compressions from frame 2 to 38, the first 9 → 5"


def test_a_window_that_broke_a_rule_is_marked_as_not_used() -> None:
    run = a_run("digest", [100, 100], events=[Event(4, 100, 50, (4,))], broken=1)
    (mark,) = chart(run, none=a_run("", [100, 100])).marks
    assert mark.shapes[0].is_broken
    assert mark.told == "1 digest at frame 4: 100 → 50, not used: it would break rule 4"


def test_a_limit_far_above_the_lines_is_told_and_not_drawn() -> None:
    drawn = chart(none=a_run("", [100, 200]))
    assert (drawn.levels, drawn.outside) == ((), ("limit", "trigger"))


def test_a_recording_far_above_its_strategies_leaves_the_picture() -> None:
    drawn = chart(a_run("digest", [9_000] * 3), none=a_run("", [9_000, 90_000, 900_000]))
    assert drawn.is_cut
    assert drawn.labels[0].text == "none ↑ 900k"
    assert drawn.series[0].path.count("L") == 1


def test_a_line_tells_its_figures_to_those_who_do_not_see_it() -> None:
    run = a_run("digest", [8_500, 3_000], events=[Event(4, 8_500, 3_000)], relative_cost=0.37)
    told = "1 digest, peak 8.5k tokens, 3k at the last call, 1 compression, cost 0.37×"
    assert chart(run, none=a_run("", [8_500, 9_000])).series[1].told == told


# Cost against need


def costs(*runs: Run) -> CostChart | None:
    none = a_run("", [10], relative_cost=1.0, need_kept=1.0, need=9)
    return cost_chart(lines_of(a_replay(*runs, none=none)), layout=replay_points.WIDE)


def kept(cost: float, far: float | None, *, n: int = 5, is_pareto: bool = False) -> Run:
    run = a_run("digest", [10], relative_cost=cost, far_need_kept=far, far_need=n, need_kept=0.5, need=9)
    return replace(run, is_pareto=is_pareto)


def test_the_front_joins_the_runs_that_are_on_it_by_their_cost() -> None:
    drawn = costs(kept(0.8, 0.9, is_pareto=True), kept(0.9, 0.1), kept(0.4, 0.5, is_pareto=True))
    assert drawn is not None
    places = {place.number: place for place in drawn.places}
    assert drawn.front == f"M{places[3].x} {places[3].y}L{places[1].x} {places[1].y}"
    assert [n for n, place in places.items() if place.is_front] == [1, 3]


def test_a_point_tells_its_figures() -> None:
    drawn = costs(kept(0.8, 0.996, is_pareto=True))
    assert drawn is not None
    assert drawn.places[-1].told == "1 digest: cost 0.80×, far need kept 99 %, on the Pareto front"


def test_a_point_over_the_limit_says_so() -> None:
    run = kept(0.8, 0.5)
    drawn = costs(replace(run, totals=replace(run.totals, over_limit=3)))
    assert drawn is not None
    assert drawn.places[-1].told == "1 digest: cost 0.80×, far need kept 50 %; it is over the limit in 3 calls"
    assert drawn.places[-1].is_over


def test_points_that_would_lie_on_one_another_stand_side_by_side() -> None:
    drawn = costs(kept(0.8, 0.5), kept(0.8, 0.5), kept(0.4, 0.1))
    assert drawn is not None
    places = {place.number: place for place in drawn.places}
    assert float(places[2].x) - float(places[1].x) == pytest.approx(12, abs=0.11)
    assert places[1].y == places[2].y


def test_all_need_stands_in_where_none_was_far() -> None:
    drawn = costs(kept(0.8, None, n=0))
    assert drawn is not None
    assert not drawn.is_far
    assert drawn.places[-1].told == "1 digest: cost 0.80×, need kept 50 %"


def test_there_is_no_chart_where_nothing_was_needed() -> None:
    none = a_run("", [10], relative_cost=1.0)
    assert cost_chart([Line(0, none)], layout=replay_points.WIDE) is None


def test_a_strategy_that_was_not_run_has_no_point() -> None:
    drawn = costs(replace(kept(1, 1), unavailable="No model is set up."), kept(0.5, 0.5))
    assert drawn is not None
    assert [place.number for place in drawn.places] == [2]


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 1)), min_size=1, max_size=6), st.booleans())
def test_points_and_their_labels_lie_in_the_picture(runs: list[tuple[float, float]], is_narrow: bool) -> None:
    layout = replay_points.NARROW if is_narrow else replay_points.WIDE
    lines = lines_of(a_replay(*(kept(cost, far) for cost, far in runs), none=kept(1, 1)))
    drawn = cost_chart(lines, layout=layout)
    assert drawn is not None
    for place in drawn.places:
        assert layout.left <= float(place.x) <= float(drawn.right)
        assert layout.top <= float(place.y) <= float(drawn.bottom)
        assert 0 < float(place.label_x) <= layout.width + 1 - width_of(place.label)


# The table


def test_the_best_of_a_column_is_told_among_the_strategies() -> None:
    made = table(
        a_run("digest", [500], cost=2.0, relative_cost=0.5), a_run("digest", [90], cost=3.0, relative_cost=0.7)
    )
    assert column(made, "cost") == [("0.50×", True), ("0.70×", False)]
    assert column(made, "peak") == [("500", False), ("90", True)]


def test_where_all_are_alike_none_is_best() -> None:
    assert column(table(a_run("digest", [9]), a_run("digest", [9])), "peak") == [("9", False), ("9", False)]


def test_a_strategy_that_was_not_run_is_never_best() -> None:
    gone = replace(a_run("digest", [1]), unavailable="No model is set up.")
    made = table(gone, a_run("digest", [9]), a_run("digest", [7]))
    assert column(made, "peak") == [("–", False), ("9", False), ("7", True)]
    assert (made.rows[0].gates, made.rows[0].events_told) == ("–", "not run")
    assert made.rows[0].notes == ("not run: No model is set up.",)


def test_what_looks_equal_is_equally_good() -> None:
    costs = ((10.0, 0.501), (9.0, 0.499), (20.0, 1.0))
    made = table(*(a_run("digest", [9], cost=c, relative_cost=r) for c, r in costs))
    assert column(made, "cost") == [("0.50×", True), ("0.50×", True), ("1.00×", False)]
    alike = table(*(a_run("digest", [9], cost=c, relative_cost=r) for c, r in costs[:2]))
    assert column(alike, "cost") == [("0.50×", False), ("0.50×", False)]


@pytest.mark.parametrize(
    "reason",
    ["No model is asked here: a digest stands in for its summary.", "No model is set up: the summary is a digest."],
)
def test_what_a_stand_in_did_is_a_sentence_of_its_own(reason: str) -> None:
    why = f"Done: digest; then the target was met. {reason}"
    row = table(replace(a_run("cascade", [9]), stand_in="digest", why=why)).rows[0]
    assert (row.stand_in, row.notes) == ("a digest stands in", ("Done: digest; then the target was met.",))


def test_calls_over_the_limit_are_said_to_make_a_cost_unreal() -> None:
    row = table(a_run("digest", [9] * 35, over_limit=8)).rows[0]
    assert row.notes == ("8 of 35 calls over the limit would have been refused; their cost is not real.",)


def test_calls_at_which_a_strategy_was_due_and_not_run_are_told() -> None:
    row = table(a_run("digest", [9], passed_over=2)).rows[0]
    assert row.notes == ("It hardly gets below the trigger: at 2 calls it was due and not run.",)


def test_what_was_not_measured_is_a_dash() -> None:
    assert column(table(a_run("digest", [9])), "far need") == [("–", False)]


def test_the_rules_that_were_broken_stand_in_the_table() -> None:
    events = [Event(2, 9, 5, (4, 2)), Event(4, 9, 5, (4,))]
    assert table(a_run("digest", [9, 9], events=events, broken=2)).rows[0].gates == "broken 2 times: rule 2, 4"


def test_a_page_lists_two_hundred_compressions_and_says_how_many_there_are() -> None:
    row = table(a_run("digest", [9] * 300, events=[Event(2 * n, 9, 5) for n in range(1, 301)])).rows[0]
    assert (len(row.events), row.more, row.events[0].told) == (200, 100, "9 → 5")


@pytest.mark.parametrize(("part", "said"), [(None, "–"), (0.0, "0 %"), (0.996, "99 %"), (1.0, "100 %")])
def test_a_share_is_whole_only_where_nothing_is_missing(part: float | None, said: str) -> None:
    assert share(part) == said


def test_places_close_together_are_one_group() -> None:
    assert apart([0, 5, 13, 14, 40], gap=14) == [[0, 1, 2], [3], [4]]


def test_the_labels_of_points_that_look_like_one_stand_in_a_column() -> None:
    boxes = placed(
        [((200, 150), name) for name in ("none", "1 digest", "2 digest")], frame=Box(48, 16, 540, 360), radius=8
    )
    assert [(box.left, box.top) for box in boxes] == [(214, 142), (214, 158), (214, 174)]


def test_a_line_that_leads_to_a_label_runs_over_no_other() -> None:
    labels = [
        ((200.0, 150.0), "none"),
        ((203.0, 150.0), "1 digest"),
        ((206.0, 150.0), "2 digest"),
        ((209.0, 150.0), "3 digest"),
    ]
    boxes = placed(labels, frame=Box(48, 16, 540, 360), radius=8)
    for ((x, y), _), box in zip(labels, boxes, strict=True):
        to = box.nearest((x, y))
        halfway = ((x + to[0]) / 2, (y + to[1]) / 2)
        assert not any(other.nearest(halfway) == halfway for other in boxes if other != box)
