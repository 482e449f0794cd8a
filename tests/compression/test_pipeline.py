"""`pipeline`: how its steps are checked, in which order they run, and where it stops."""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from django.http import QueryDict
from pydantic import BaseModel

from inspector.forms_strategy import fields_of, params_from
from sessions_app.compression import Strategy, describe, find, parse_params, registry
from sessions_app.engine import CannotCompress, Compressed, InvalidInput, Toolbox, Window, made_by
from tests.builders import calls, react_rounds, reply, system, user
from tests.compression.model_server import Summariser, answer_of
from tests.compression.model_server import says as answers
from tests.compression.windows import broken, compressed, window_of

RESULT = "a line of output\n" * 200
THOUGHT = {"reasoning_content": "Let me think it over. " * 60}
OLD = [m for n in range(4) for m in ({**calls(f"c{n}"), **THOUGHT}, reply(f"c{n}", RESULT))]
WINDOW = window_of([system(), user(), *OLD, *react_rounds(3, start=90)])
CLEARED = compressed(WINDOW, "clear_tool_results")
CUSTOM = "custom_steps_of_a_test"


def parsed(steps: Any, **params: Any) -> BaseModel:
    return parse_params(find("pipeline"), {"steps": steps, **params})


def piped(steps: Any, window: Window = WINDOW, *, target: float = 2.0, tools: Toolbox = Toolbox()) -> Compressed:
    return made_by(find("pipeline"), window, params=parsed(steps, target=target), tools=tools)


# --- What is sent ------------------------------------------------------------------------------


def test_a_step_is_a_name_or_a_strategy_with_its_parameters() -> None:
    steps = ["digest", {"strategy": "sliding_window", "params": {"protect_rounds": 2}}]
    assert parsed(steps).model_dump(mode="json")["steps"] == steps


def test_the_parameters_that_are_stored_are_read_back_alike() -> None:
    once = parsed([{"strategy": "digest"}, {"strategy": "digest", "params": {"max_tokens": 300}}])
    assert parse_params(find("pipeline"), once.model_dump(mode="json")) == once


@pytest.mark.parametrize(
    ("steps", "pointer", "said"),
    [
        ([], "/params/steps", "must hold 1 to 10 strategies, not 0"),
        (["digest"] * 11, "/params/steps", "must hold 1 to 10 strategies, not 11"),
        ("digest", "/params/steps", "array"),
        ([3], "/params/steps/0", "must be the name of a strategy, or an object"),
        (["digest", "best"], "/params/steps/1/strategy", "there is no 'best'"),
        (["pipeline"], "/params/steps/0/strategy", "cannot be a step of itself"),
        (["best"], "/params/steps/0/strategy", "summarize, cascade; there is no"),
        ([{"params": {}}], "/params/steps/0/strategy", "is missing"),
        ([{"strategy": 3}], "/params/steps/0/strategy", "string"),
        ([{"strategy": "digest", "target": 1}], "/params/steps/0/target", "is no member"),
        ([{"strategy": "digest", "params": []}], "/params/steps/0/params", "object"),
        (
            ["digest", {"strategy": "sliding_window", "params": {"protect_rounds": 0}}],
            "/params/steps/1/params/protect_rounds",
            "greater than or equal to 1",
        ),
        ([{"strategy": "digest", "params": {"a/b": 1}}], "/params/steps/0/params/a~1b", "is no member"),
    ],
)
def test_each_step_is_checked_and_named_by_its_pointer(steps: Any, pointer: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parsed(steps)
    [fault] = caught.value.faults
    assert fault.pointer == pointer
    assert said in fault.detail


def test_a_step_whose_model_has_too_little_room_leaves_the_digest(summariser: Summariser) -> None:
    server = summariser(answers(answer_of()))
    window = window_of([system(), user(), *react_rounds(8, size=60)])
    made = piped(["summarize"], window)
    assert made.window.items == compressed(window, "digest").items
    assert (made.used, server.calls) == ("digest", [])


def test_the_schema_gives_a_form_that_is_filled_in_as_json() -> None:
    schema = describe(find("pipeline"))["params_schema"]
    steps, _target = fields_of(schema, values={}, errors={})
    assert (steps.kind, steps.value) == ("json", '["dedupe_reads","clear_tool_results","drop_reasoning","digest"]')
    posted = QueryDict(mutable=True)
    posted["p.steps"] = steps.value
    assert parse_params(find("pipeline"), params_from(schema, posted)) == find("pipeline").Params()


@pytest.mark.parametrize(("steps", "asks"), [(["digest", "cascade"], False), (["digest", "summarize"], True)])
def test_it_asks_a_model_if_one_of_its_steps_does(steps: list[str], asks: bool) -> None:
    assert find("pipeline").asks_model(parsed(steps)) is asks


# --- What is run -------------------------------------------------------------------------------


def test_the_steps_run_in_their_order() -> None:
    made = piped(["drop_reasoning", "clear_tool_results"])
    assert made.why == "Done: drop_reasoning, clear_tool_results; the target was not met."
    assert made.window.items == compressed(compressed(WINDOW, "drop_reasoning"), "clear_tool_results").items


def test_it_stops_as_soon_as_the_target_is_met() -> None:
    made = piped(["clear_tool_results", "digest"], target=float(CLEARED.tokens))
    assert made.window == CLEARED
    assert made.why == "Done: clear_tool_results; then the target was met."


def test_a_window_that_meets_the_target_is_left_with_a_reason() -> None:
    with pytest.raises(CannotCompress, match="meets the target"):
        piped(["digest"], target=float(WINDOW.tokens))


def test_steps_use_their_own_parameters() -> None:
    step = {"strategy": "clear_tool_results", "params": {"protect_rounds": 5}}
    assert piped([step]).window == compressed(WINDOW, "clear_tool_results", protect_rounds=5)


def test_what_a_later_step_makes_possible_for_an_earlier_one_is_done_too() -> None:
    """Counted from where the window begins, masking has another boundary once old rounds are gone."""
    masking = {"protect_rounds": 1, "batch": 4}
    mask = {"strategy": "mask_observations", "params": masking}
    slide = {"strategy": "sliding_window", "params": {"protect_rounds": 5}}
    window = window_of([user(), *react_rounds(8)])
    once = compressed(compressed(window, "mask_observations", **masking), "sliding_window", protect_rounds=5)
    again = compressed(once, "mask_observations", **masking)
    assert again.tokens < once.tokens
    assert piped([mask, slide], window).window.items == again.items


def test_a_step_that_gains_nothing_is_passed_over() -> None:
    assert piped(["dedupe_reads", "trim_to_target"]).why.startswith("Done: dedupe_reads")
    with pytest.raises(CannotCompress, match="None of its steps finds anything"):
        piped([{"strategy": "sliding_window", "params": {"protect_rounds": 9}}])


def test_a_fallback_of_a_step_is_told() -> None:
    made = piped(["summarize"], tools=Toolbox(may_ask_model=False))
    assert made.used == "digest"
    assert made.why.startswith("Done: summarize; the target was not met. No model is asked here")


def test_the_usage_of_several_models_summaries_is_added_up(summariser: Summariser) -> None:
    wide = {"strategy": "summarize", "params": {"protect_rounds": 5}}
    long = {"content": "more of it " * 900}
    rounds = [m for n in range(9) for m in (calls(f"c{n}"), {**reply(f"c{n}"), **long})]
    summariser(answers(answer_of()), answers(answer_of(facts=["[4] And more."])), answers(answer_of()))
    made = piped([wide, "summarize"], window_of([system(), user(), *rounds]))
    assert made.usage["input_tokens"] == 1_400


# --- Custom strategies -------------------------------------------------------------------------


@pytest.fixture
def custom(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    made = ModuleType(CUSTOM)
    monkeypatch.setitem(sys.modules, CUSTOM, made)
    settings.STRATEGY_MODULES = [CUSTOM]
    registry.strategies_of.cache_clear()
    yield made
    registry.strategies_of.cache_clear()


def define(module: ModuleType, name: str, compress: Any, **members: Any) -> None:
    body = {"__module__": CUSTOM, "name": name, "compress": compress, **members}
    setattr(module, name, type(name, (Strategy,), body))


def test_a_custom_strategy_may_be_a_step(custom: ModuleType) -> None:
    def keep_the_ends(self: Strategy, window: Window, *, params: Any, tools: Toolbox) -> Window:
        return Window((*window.items[:2], *window.items[-6:]))

    define(custom, "keep_the_ends", keep_the_ends)
    made = piped(["keep_the_ends"])
    assert len(made.window) == 8
    assert broken(WINDOW, made.window) == []


def test_a_custom_step_that_breaks_a_rule_is_named(custom: ModuleType) -> None:
    def drop_calls(self: Strategy, window: Window, *, params: Any, tools: Toolbox) -> Window:
        return Window((*window.items[:2], *window.items[3:]))

    define(custom, "drop_calls", drop_calls)
    with pytest.raises(CannotCompress, match="The step drop_calls would break rule 4: a tool reply stands without"):
        piped(["clear_tool_results", "drop_calls"])


def test_a_custom_step_that_cannot_be_used_here_is_passed_over(custom: ModuleType) -> None:
    def never(self: Strategy, window: Window, *, params: Any, tools: Toolbox) -> Window:
        raise AssertionError("was run")

    define(custom, "absent", never, why="There is none here.")
    define(custom, "asking", never, needs_model=True)
    made = piped(["absent", "asking", "clear_tool_results"], tools=Toolbox(may_ask_model=False))
    assert made.why.startswith("Done: clear_tool_results;")


def test_steps_that_never_come_to_rest_are_ended(custom: ModuleType) -> None:
    def drop_one_round(self: Strategy, window: Window, *, params: Any, tools: Toolbox) -> Window:
        return Window((*window.items[:2], *window.items[4:]))

    define(custom, "drop_one_round", drop_one_round)
    window = window_of([system(), user(), *react_rounds(30)])
    assert len(piped(["drop_one_round"], window).window) == 62 - 2 * 10
