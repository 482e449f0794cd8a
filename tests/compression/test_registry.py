import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel

from sessions_app.compression import (
    Strategy,
    UnknownStrategy,
    describe,
    find,
    parse_params,
    policy_names,
    registry,
    strategies,
)
from sessions_app.engine import InvalidInput, Toolbox, Window
from tests.builders import says, user
from tests.compression.windows import broken, compressed, window_of

BUILT_IN = (
    "sliding_window",
    "trim_to_target",
    "clear_tool_results",
    "mask_observations",
    "truncate_tool_results",
    "dedupe_reads",
    "drop_reasoning",
    "digest",
    "summarize",
    "cascade",
    "pipeline",
)
CUSTOM = "custom_strategies_of_a_test"


@pytest.fixture
def module(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    made = ModuleType(CUSTOM)
    monkeypatch.setitem(sys.modules, CUSTOM, made)
    settings.STRATEGY_MODULES = [CUSTOM]
    registry.strategies_of.cache_clear()
    yield made
    registry.strategies_of.cache_clear()


def define(module: ModuleType, name: Any, **members: Any) -> None:
    def compress(self: Strategy, window: Window, *, params: Any, tools: Toolbox) -> Window:
        return window

    body = {"__module__": CUSTOM, "__doc__": "Do nothing.", "name": name, "compress": compress, **members}
    setattr(module, f"S{len(vars(module))}", type("Custom", (Strategy,), body))


def test_the_built_in_strategies_come_in_their_order() -> None:
    assert tuple(s.name for s in strategies()) == BUILT_IN


def test_a_strategy_describes_itself() -> None:
    said = describe(find("sliding_window"))
    assert said["summary"].startswith("Keep the system message, the first request and the newest rounds;")
    assert said["params_schema"]["properties"]["protect_rounds"]["default"] == 3
    assert (said["needs_model"], said["available"], said["why"]) == (False, True, "")


def test_every_parameter_says_what_it_is() -> None:
    for strategy in strategies():
        for name, schema in describe(strategy)["params_schema"]["properties"].items():
            assert schema["description"], f"{strategy.name}.{name}"


def test_find_names_the_strategies_there_are() -> None:
    with pytest.raises(UnknownStrategy) as caught:
        find("best")
    assert caught.value.known == BUILT_IN
    assert caught.value.faults[0].pointer == "/strategy"


@pytest.mark.parametrize(
    ("name", "params", "pointer"),
    [
        ("sliding_window", {"rounds": 3}, "/params/rounds"),
        ("sliding_window", {"protect_rounds": "3"}, "/params/protect_rounds"),
        ("sliding_window", {"protect_rounds": True}, "/params/protect_rounds"),
        ("sliding_window", {"protect_rounds": 3.0}, "/params/protect_rounds"),
        ("sliding_window", {"protect_rounds": None}, "/params/protect_rounds"),
        ("sliding_window", {"protect_rounds": 0}, "/params/protect_rounds"),
        ("clear_tool_results", {"exclude_tools": "bash"}, "/params/exclude_tools"),
        ("clear_tool_results", {"exclude_tools": ["a", 1]}, "/params/exclude_tools/1"),
        ("clear_tool_results", {"clear_inputs": 1}, "/params/clear_inputs"),
        ("digest", {"max_tokens": 10}, "/params/max_tokens"),
        ("digest", {"a/b~c": 1}, "/params/a~1b~0c"),
        ("digest", {"max_tokens": float("nan")}, "/params"),
        ("digest", [], "/params"),
    ],
)
def test_params_of_a_wrong_name_or_type_are_refused_by_pointer(name: str, params: Any, pointer: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_params(find(name), params)
    assert [f.pointer for f in caught.value.faults] == [pointer]


def test_a_custom_strategy_is_found_after_the_built_in_ones(module: ModuleType) -> None:
    define(module, "nothing")
    assert strategies()[-1].name == "nothing"
    assert describe(find("nothing"))["summary"] == "Do nothing."
    assert "nothing" in policy_names()


def test_a_custom_strategy_with_plain_params_gets_the_same_checks(module: ModuleType) -> None:
    class Params(BaseModel):
        size: int = 3

    define(module, "nothing", Params=Params)
    with pytest.raises(InvalidInput):
        parse_params(find("nothing"), {"size": "3"})


def test_what_a_module_imports_is_not_its_own(module: ModuleType) -> None:
    module.Imported = type(find("digest"))  # type: ignore[attr-defined]
    assert [s.name for s in strategies()] == list(BUILT_IN)


@pytest.mark.parametrize("name", ["digest", "cascade", "restore"])
def test_a_name_that_is_taken_is_a_clear_error(module: ModuleType, name: str) -> None:
    define(module, name)
    with pytest.raises(ImproperlyConfigured, match=f"is called '{name}', as is a built-in strategy"):
        strategies()


def test_two_custom_strategies_of_one_name_are_a_clear_error(module: ModuleType) -> None:
    define(module, "nothing")
    define(module, "nothing")
    with pytest.raises(ImproperlyConfigured, match=r"'nothing', as is custom_strategies_of_a_test\.Custom"):
        strategies()


@pytest.mark.parametrize(
    ("name", "members", "said"),
    [
        ("No Spaces", {}, "lower-case"),
        ("x", {"Params": dict}, "pydantic model"),
        ("x", {"compress": Strategy.compress}, "no compress"),
    ],
)
def test_a_bad_declaration_is_a_clear_error(module: ModuleType, name: str, members: dict[str, Any], said: str) -> None:
    define(module, name, **members)
    with pytest.raises(ImproperlyConfigured, match=said):
        strategies()


def test_a_module_that_is_not_there_is_a_clear_error(settings: Any) -> None:
    settings.STRATEGY_MODULES = ["no.such.module"]
    with pytest.raises(ImproperlyConfigured, match=r"'no\.such\.module' cannot be imported"):
        strategies()


def test_a_module_that_fails_when_it_is_run_is_a_clear_error(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "module_with_a_defect.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    settings.STRATEGY_MODULES = ["module_with_a_defect"]
    with pytest.raises(ImproperlyConfigured, match="cannot be imported: ZeroDivisionError: division by zero"):
        strategies()


def test_a_strategy_that_does_not_describe_itself_is_a_clear_error(module: ModuleType) -> None:
    class Params(BaseModel):
        call: Callable[[], None]

    define(module, "nothing", Params=Params)
    with pytest.raises(ImproperlyConfigured, match="does not describe itself: PydanticInvalidForJsonSchema"):
        strategies()


def test_the_system_check_says_what_cannot_be_used(settings: Any) -> None:
    assert run_checks() == []
    settings.STRATEGY_MODULES = ["no.such.module"]
    (error,) = run_checks()
    assert (error.id, error.is_serious()) == ("compression.E001", True)
    assert error.msg.startswith("STRATEGY_MODULES: 'no.such.module' cannot be imported")


def test_the_example_of_the_docs_works(module: ModuleType, settings: Any) -> None:
    page = (settings.BASE_DIR / "docs" / "strategies.md").read_text()
    exec(page.split("```python\n")[1].split("```")[0], vars(module))
    chat = [m for n in range(9) for m in (user(f"{n}?"), says("A long answer. " * 20))]
    before = window_of(chat)
    after = compressed(before, "drop_chatter")
    assert [i.role for i in after] == ["user"] * 6 + ["user", "assistant"] * 3
    assert broken(before, after) == []
