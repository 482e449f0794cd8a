"""What a strategy would make where nothing is at stake, and with which parameters."""

from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from sessions_app.compression import Policy, Strategy, find
from sessions_app.compression.candidates import Circumstances, Made, make
from sessions_app.compression.choices import Choice, parse_choices
from sessions_app.compression.under_policy import params_under
from sessions_app.engine import CannotCompress, Compressed, FirstRequest, InvalidInput, Toolbox, Window
from tests.builders import react_rounds, system, user
from tests.compression.windows import window_of

MESSAGES = [system(), user(), *react_rounds(8)]
AT = Circumstances((), len(MESSAGES), FirstRequest(2, MESSAGES[1]["content"]))


class Asking(Strategy):
    """Has its own model."""

    name: ClassVar[str] = "asking"
    needs_model = True

    def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Window:
        raise AssertionError("no model is asked here")


class WithStandIn(Strategy):
    """Does without it where it must."""

    name: ClassVar[str] = "with_stand_in"
    needs_model = True
    stands_in = True

    def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Compressed:
        assert not tools.may_ask_model
        return Compressed(Window(window.items[:2] + window.items[-2:]), used="digest", why="No model.")


class Elsewhere(Strategy):
    """Cannot be used today."""

    name: ClassVar[str] = "elsewhere"

    @property
    def why(self) -> str:
        return "Its library is not installed."


def made(strategy: Strategy) -> Made:
    return make(Choice(strategy, strategy.Params()), window_of(MESSAGES), AT, limit_tokens=100_000)


def test_one_that_asks_a_model_is_unavailable_and_not_run() -> None:
    assert made(Asking()) == Made("unavailable", "It asks a model, and none is asked here.")


def test_one_that_stands_in_for_its_model_is_run_without_it() -> None:
    told = made(WithStandIn())
    assert (told.outcome, told.used, told.why) == ("ok", "digest", "No model.")


def test_one_that_cannot_be_used_says_why() -> None:
    assert made(Elsewhere()) == Made("unavailable", "Its library is not installed.")


def test_nothing_to_gain_is_told_in_the_words_of_the_strategy() -> None:
    told = make(Choice(find("digest"), find("digest").Params()), window_of(MESSAGES[:4]), AT, limit_tokens=100_000)
    assert told.outcome == "nothing-to-compress"
    assert "finds nothing" in told.why


def test_a_candidate_that_breaks_a_rule_is_given_with_what_it_breaks() -> None:
    class Greedy(Strategy):
        """Takes the system message."""

        name = "greedy"

        def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Window:
            return Window(window.items[1:])

    told = made(Greedy())
    assert told.outcome == "rule-broken"
    assert told.window is not None
    assert {b.rule for b in told.broken} == {1}


def test_a_strategy_of_a_request_that_is_no_object_is_told_with_an_example() -> None:
    with pytest.raises(InvalidInput, match="must be an object such as") as caught:
        parse_choices(["digest"])
    assert [f.pointer for f in caught.value.faults] == ["/strategies/0"]


def under(policy: Policy | None, name: str, **raw: Any) -> dict[str, Any]:
    return params_under(policy, find(name), raw).model_dump(include={"trigger", "target"})


def test_trigger_and_target_that_are_left_out_are_those_of_the_policy() -> None:
    policy = Policy(trigger=0.5, target=0.4)
    assert under(policy, "cascade") == {"trigger": 0.5, "target": 0.4}
    assert under(policy, "cascade", target=0.2) == {"trigger": 0.5, "target": 0.2}
    assert under(policy, "trim_to_target") == {"target": 0.4}
    assert under(policy, "digest") == {}
    assert under(None, "cascade") == {"trigger": 0.8, "target": 0.6}


def test_what_is_said_is_checked_as_ever() -> None:
    with pytest.raises(InvalidInput):
        params_under(Policy(), find("digest"), {"target": 0.5})
    with pytest.raises(InvalidInput):
        params_under(Policy(), find("digest"), [])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        Window(iter(())),  # type: ignore[arg-type]
        Window([]),  # type: ignore[arg-type]
        Window(("a message",)),  # type: ignore[arg-type]
        Compressed([]),  # type: ignore[arg-type]
        Compressed(Window(), why=None),  # type: ignore[arg-type]
    ],
    ids=["nothing", "a list", "a generator", "a list in a window", "other items", "no window", "no text"],
)
def test_what_gives_no_window_has_a_defect_that_is_named(wrong: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(Strategy):
        """Gives something else."""

        name = "wrong"

        def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Window:
            given: Window = wrong
            return given

    assert made(Wrong()) == Made("unavailable", "It has a defect: TypeError. The server's log tells more.")
    assert "The strategy 'wrong' must give" in caplog.text


def test_a_strategy_that_cannot_say_whether_it_can_be_used_has_a_defect() -> None:
    class Unsure(Strategy):
        """Does not know."""

        name = "unsure"

        @property
        def why(self) -> str:
            raise ZeroDivisionError

    assert made(Unsure()).why == "It has a defect: ZeroDivisionError. The server's log tells more."


def test_a_strategy_may_say_that_it_cannot() -> None:
    class Never(Strategy):
        """Never can."""

        name = "never"

        def compress(self, window: Window, *, params: BaseModel, tools: Toolbox) -> Window:
            raise CannotCompress("Not today.")

    assert made(Never()) == Made("nothing-to-compress", "Not today.")
