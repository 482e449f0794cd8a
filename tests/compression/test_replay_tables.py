"""A replay as a table, and several as one: hand-made runs, figures that can be checked by eye."""

import csv
import io
import json
from dataclasses import fields, replace
from typing import Any

import pytest
from pydantic import BaseModel

from sessions_app.compression import Strategy, find, parse_params
from sessions_app.compression.choices import Choice
from sessions_app.compression.replay import Event, Replay, Run, Terms, Totals, columns, replay_csv, rows, summed
from sessions_app.management.replay_tables import escaped, label, markdown_table, short, text_table

NOTHING_MEASURED = Totals(
    calls=10,
    input_tokens=1_000,
    peak=200,
    over_limit=0,
    cached_tokens=500,
    cache_hit=0.5,
    output_tokens=100,
    summary_tokens=0,
    cost=1_000.0,
    relative_cost=1.0,
    need_kept=None,
    need=0,
    far_need_kept=None,
    far_need=0,
    regret_tokens=0,
    compressions=0,
    runway=None,
    broken=0,
)


class Formula(Strategy):
    """A custom one, whose author likes spreadsheets."""

    name = "=cmd|' /C calc'!A0"

    class Params(BaseModel):
        text: str = "plain"


def choice(name: str = "sliding_window", **params: Any) -> Choice:
    return Choice(find(name), parse_params(find(name), params))


def run(chosen: Choice | None = None, **totals: Any) -> Run:
    return Run(chosen, replace(NOTHING_MEASURED, **totals), series=((3, 100),), compressions=())


def replayed(*runs: Run, **baseline: Any) -> Replay:
    return Replay(Terms(limit_tokens=1_000), frames=30, calls=10, baseline=run(**baseline), runs=runs)


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


# --- Rows -------------------------------------------------------------------------------------


def test_the_first_row_is_the_recording_without_compression_and_each_run_has_one() -> None:
    table = rows(replayed(run(choice()), run(choice("digest", protect_rounds=5))))
    assert [row[0] for row in table] == ["none", "sliding_window", "digest"]
    assert all(len(row) == len(columns) for row in table)
    assert json.loads(str(table[2][1]))["protect_rounds"] == 5


def test_every_total_has_a_column_of_its_name() -> None:
    one = run(choice())
    (_, row) = rows(replayed(one))
    told = dict(zip(columns, row, strict=True))
    assert {f.name: getattr(one.totals, f.name) for f in fields(Totals)}.items() <= told.items()


def test_what_could_not_be_run_says_so_with_the_reason() -> None:
    table = rows(
        replayed(
            replace(run(choice()), unavailable="No model."), replace(run(choice()), stand_in="digest", why="A digest.")
        )
    )
    told = [dict(zip(columns, row, strict=True)) for row in table]
    assert [(row["outcome"], row["why"]) for row in told] == [
        ("ok", None),
        ("unavailable", "No model."),
        ("ok", "A digest."),
    ]
    assert [row["stand_in"] for row in told] == [None, None, "digest"]


def test_what_could_not_be_run_has_no_figures() -> None:
    gone = replace(run(choice()), unavailable="No model.")
    told = dict(zip(columns, rows(replayed(gone))[1], strict=True))
    assert {told[f.name] for f in fields(Totals)} == {told["pareto"]} == {None}
    (_, row) = parsed(replay_csv(replayed(gone)))
    assert (row["strategy"], row["cost"], row["peak"], row["pareto"]) == ("sliding_window", "", "", "")


# --- CSV --------------------------------------------------------------------------------------


def test_csv_has_full_precision_and_an_empty_cell_where_nothing_was_measured() -> None:
    (_, row) = parsed(replay_csv(replayed(run(choice(), cost=1234567.25, need_kept=1 / 3, need=3))))
    assert (float(row["cost"]), float(row["need_kept"]), row["far_need_kept"]) == (1234567.25, 1 / 3, "")
    assert (row["input_tokens"], row["pareto"]) == ("1000", "false")


def test_columns_of_the_recording_stand_before_the_others_in_each_line() -> None:
    text = replay_csv(replayed(run(choice())), before={"file": "a.json", "limit": 9})
    assert text.splitlines()[0].startswith("file,limit,strategy,")
    assert [(row["file"], row["limit"]) for row in parsed(text)] == [("a.json", "9")] * 2


def test_the_header_may_be_left_out() -> None:
    replay = replayed(run(choice()))
    assert replay_csv(replay, with_header=False) == replay_csv(replay).split("\r\n", 1)[1]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_text_becomes_a_formula(start: str) -> None:
    (row, _) = parsed(replay_csv(replayed(run(choice())), before={"title": f"{start}1+1"}))
    assert row["title"].startswith("'")


def test_the_name_of_a_custom_strategy_becomes_none_either() -> None:
    (_, row) = parsed(replay_csv(replayed(run(Choice(Formula(), Formula.Params())))))
    assert row["strategy"] == f"'{Formula.name}"


def test_a_negative_number_stays_a_number() -> None:
    (_, row) = parsed(replay_csv(replayed(run(choice(), cost=-1.5))))
    assert row["cost"] == "-1.5"


def test_commas_quotes_and_line_breaks_stay_within_their_cell() -> None:
    title = 'a, "b"\nc'
    assert [row["title"] for row in parsed(replay_csv(replayed(), before={"title": title}))] == [title]


# --- For people -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (None, "-"),
        (0, "0"),
        (999, "999"),
        (9_999, "9,999"),
        (9_999.5, "10.0k"),
        (56_789, "56.8k"),
        (999_499, "999.5k"),
        (999_500, "1.00M"),
        (1_234_567, "1.23M"),
    ],
)
def test_numbers_for_people_are_short(number: float | None, said: str) -> None:
    assert short(number) == said


def test_a_run_is_named_with_the_parameters_that_are_not_the_defaults() -> None:
    assert label(run()) == "none"
    assert label(run(choice(protect_rounds=3))) == "sliding_window"
    assert label(run(choice(protect_rounds=7))) == "sliding_window protect_rounds=7"


def test_a_text_table_is_aligned_and_has_a_dash_where_nothing_was_measured() -> None:
    told = text_table(replayed(run(choice(), need_kept=0.5, need=8, relative_cost=0.25), cost=4_000.0))
    heading, none, other = told.splitlines()
    at = heading.index("need kept")
    assert none[at : at + 9].strip() == "-"
    assert other[at : at + 9].strip() == "50% of 8"
    assert " 0.25 " in other


def test_notes_stand_under_the_table() -> None:
    replay = replayed(replace(run(choice("digest")), unavailable="No\x1b[2J model."))
    assert text_table(replay).splitlines()[-1] == "digest: No\\x1b[2J model."
    assert markdown_table(replay).endswith("\n\ndigest: No\\\\x1b\\[2J model.")


def test_a_markdown_table_has_as_many_cells_in_each_line_and_escapes_what_is_markdown() -> None:
    chosen = Choice(Formula(), Formula.Params(text="a|b"))
    lines = markdown_table(replayed(run(chosen))).splitlines()
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    assert "text=a\\|b" in lines[-1]
    assert escaped("<b>*_`#[x]") == "\\<b\\>\\*\\_\\`\\#\\[x\\]"
    assert escaped("a_name _said_ __so__") == "a_name \\_said\\_ \\_\\_so\\_\\_"


# --- Together ---------------------------------------------------------------------------------


def test_tokens_and_costs_are_added_up_and_the_highest_peak_counts() -> None:
    first = replayed(run(choice(), input_tokens=600, cost=300.0, peak=90, compressions=2, broken=1))
    second = replayed(run(choice(), input_tokens=400, cost=200.0, peak=70, compressions=1))
    total = summed([first, second])
    (one,) = total.runs
    assert (total.frames, total.calls, one.totals.calls) == (60, 20, 20)
    assert (one.totals.input_tokens, one.totals.cost, one.totals.peak) == (1_000, 500.0, 90)
    assert (one.totals.compressions, one.totals.broken) == (3, 1)
    assert one.totals.relative_cost == 500 / 2_000


def test_shares_are_those_of_the_sums() -> None:
    """9 of 10 and 0 of 30 are 9 of 40, not 45 %."""
    total = summed(
        [
            replayed(run(choice(), need_kept=0.9, need=10, cache_hit=0.5, input_tokens=100)),
            replayed(run(choice(), need_kept=0.0, need=30, cache_hit=1.0, input_tokens=300)),
            replayed(run(choice(), need_kept=None, need=0, cache_hit=None, input_tokens=0)),
        ]
    )
    totals = total.runs[0].totals
    assert (totals.need_kept, totals.need, totals.cache_hit) == (9 / 40, 40, 350 / 400)
    assert (totals.far_need_kept, totals.runway) == (None, None)


def test_the_runway_is_that_of_all_gaps_between_compressions() -> None:
    """Gaps of 4, and of 10, 10 and 10."""
    total = summed([replayed(run(choice(), runway=float(r), compressions=n)) for r, n in ((4, 2), (10, 4))])
    assert total.runs[0].totals.runway == 34 / 4


def test_the_front_is_that_of_the_sums() -> None:
    cheap, dear = choice(), choice("digest")
    one = replayed(
        run(cheap, cost=1.0, far_need_kept=0.5, far_need=4), run(dear, cost=9.0, far_need_kept=0.5, far_need=4)
    )
    other = replayed(
        run(cheap, cost=1.0, far_need_kept=0.0, far_need=4), run(dear, cost=9.0, far_need_kept=1.0, far_need=4)
    )
    assert [r.is_pareto for r in summed([one]).runs] == [True, False]
    assert [r.is_pareto for r in summed([one, other]).runs] == [True, True]


def test_a_reason_of_one_recording_is_one_of_all() -> None:
    first, second = run(choice()), replace(run(choice()), unavailable="No model.", compressions=(Event(3, 2, 1),))
    (one,) = summed([replayed(first), replayed(second)]).runs
    assert (one.unavailable, one.series, one.compressions) == ("No model.", (), ())
