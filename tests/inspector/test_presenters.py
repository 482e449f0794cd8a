"""Numbers, times and forms as people read them."""

from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest
from django.http import QueryDict
from pydantic import BaseModel, Field

from inspector.forms_strategy import errors_by_field, fields_of, params_from
from inspector.presenters.shown import Moment, Number, excerpt, text
from sessions_app.engine import Fault, InvalidInput

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "short"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (1234, "1.2k"),
        (41_218, "41.2k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (128_000, "128k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (1_250_000, "1.2M"),
        (3_000_000_000, "3G"),
    ],
)
def test_a_number_is_short_and_exact_in_its_title(value: int, short: str) -> None:
    assert Number.of(value) == Number(short, f"{value:,}")


@pytest.mark.parametrize(
    ("seconds", "short"),
    [
        (-60, "just now"),
        (4, "just now"),
        (59, "59 s ago"),
        (60, "1 min ago"),
        (3600, "1 h ago"),
        (2 * 86400, "2 d ago"),
        (60 * 86400, "2025-12-31"),
    ],
)
def test_a_time_is_relative_and_exact_in_its_title(seconds: int, short: str) -> None:
    at = NOW - timedelta(seconds=seconds)
    assert Moment.of(at, now=NOW) == Moment(short, at.isoformat())


def test_text_is_cut_with_a_sign() -> None:
    assert text("abcdef", limit=4) == "abc…"
    assert excerpt("x" * 280) == "x" * 280 + "…"
    assert excerpt("short") == "short"


def test_an_excerpt_wastes_no_line() -> None:
    assert excerpt("\nimport os\n\n \n    x = 1\n") == "import os\n    x = 1"
    assert excerpt(" \n\t") == ""


class Params(BaseModel):
    rounds: int = Field(default=3, ge=1, le=9, description="How many.")
    target: float = 0.6
    more: int | None = None
    above: int = Field(default=1, gt=0)
    inputs: bool = False
    only: Literal["a", "b"] = "b"
    exclude: list[str] = []
    words: str = "x"
    steps: list[dict[str, int]] = []


SCHEMA = Params.model_json_schema()


def filled(**values: str) -> QueryDict:
    posted = QueryDict(mutable=True)
    posted.update({f"p.{name}": value for name, value in values.items()})
    return posted


def test_the_form_follows_from_the_declaration() -> None:
    fields = {f.name: f for f in fields_of(SCHEMA, values={}, errors={"target": "is too large"})}
    kinds = {name.removeprefix("p."): f.kind for name, f in fields.items()}
    assert kinds == {
        "rounds": "integer",
        "target": "number",
        "more": "integer",
        "above": "integer",
        "inputs": "checkbox",
        "only": "select",
        "exclude": "lines",
        "words": "text",
        "steps": "json",
    }
    rounds = fields["p.rounds"]
    assert (rounds.value, rounds.low, rounds.high, rounds.help) == ("3", "1", "9", "How many.")
    assert fields["p.above"].low == "1"
    assert fields["p.target"].error == "is too large"
    assert [o.value for o in fields["p.only"].options if o.is_chosen] == ["b"]
    assert fields["p.more"].value == ""


def test_what_is_filled_in_becomes_what_the_strategy_takes() -> None:
    posted = filled(
        rounds="5", target="0.25", inputs="on", only="a", exclude="x\r\n\r\n y ", words="w", steps='[{"n":1}]'
    )
    params = params_from(SCHEMA, posted)
    assert params == {
        "rounds": 5,
        "target": 0.25,
        "inputs": True,
        "only": "a",
        "exclude": ["x", "y"],
        "words": "w",
        "steps": [{"n": 1}],
    }
    assert Params.model_validate(params, strict=True).rounds == 5


def test_what_does_not_fit_stays_as_it_was_written() -> None:
    params = params_from(SCHEMA, filled(rounds="many", target="∞", steps="["))
    assert (params["rounds"], params["target"], params["steps"]) == ("many", "∞", "[")
    fields = {f.name: f.value for f in fields_of(SCHEMA, values=params, errors={})}
    assert (fields["p.rounds"], fields["p.target"], fields["p.steps"]) == ("many", "∞", "[")


def test_a_fault_belongs_to_the_field_that_it_points_at() -> None:
    error = InvalidInput([Fault("/params/rounds", "a"), Fault("/params/rounds", "b"), Fault("/strategy", "c")])
    assert errors_by_field(error) == {"rounds": "a"}
