import pytest

from sessions_app.compression import find, parse_params
from sessions_app.engine import CannotCompress, ContextItem, Message, Seqs, Toolbox, Window
from tests.builders import calls, react_rounds, reply, says, system, user
from tests.compression.windows import compressed, data_of, window_of

ROUNDS = react_rounds(6)
WINDOW = window_of([system(), user(), *ROUNDS])


def without_rounds(count: int) -> float:
    """The tokens that are left when the oldest `count` rounds are gone."""
    return float(WINDOW.tokens - sum(item.tokens for item in WINDOW.items[2 : 2 + 2 * count]))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_oldest_rounds_go_until_the_target_is_met(count: int) -> None:
    after = compressed(WINDOW, "trim_to_target", target=without_rounds(count))
    assert data_of(after) == [system(), user(), *ROUNDS[2 * count :]]


def test_a_round_goes_as_a_whole() -> None:
    after = compressed(WINDOW, "trim_to_target", target=without_rounds(1) - 1)
    assert data_of(after) == [system(), user(), *ROUNDS[4:]]


def test_where_the_target_is_out_of_reach_all_that_is_old_goes() -> None:
    assert data_of(compressed(WINDOW, "trim_to_target", target=2.0)) == [system(), user(), *ROUNDS[-6:]]


def test_a_window_that_meets_the_target_is_left_with_a_reason() -> None:
    with pytest.raises(CannotCompress, match=f"has {WINDOW.tokens} tokens and meets the target of {WINDOW.tokens}"):
        compressed(WINDOW, "trim_to_target", target=float(WINDOW.tokens))


def test_a_target_of_up_to_one_is_a_fraction_of_the_limit() -> None:
    strategy = find("trim_to_target")
    tools = Toolbox(limit_tokens=int(without_rounds(1)) * 2)
    after = strategy.compress(WINDOW, params=parse_params(strategy, {"target": 0.5}), tools=tools)
    assert isinstance(after, Window)
    assert data_of(after) == [system(), user(), *ROUNDS[2:]]


def test_user_messages_go_with_the_round_that_they_began() -> None:
    window = window_of([user("one"), says("1"), user("two"), says("2"), user("three"), says("3")])
    after = compressed(window, "trim_to_target", target=2.0, protect_rounds=1)
    assert data_of(after) == [user("one"), user("three"), says("3")]


def test_the_first_and_the_last_request_stay_though_their_rounds_go() -> None:
    late = user("And in Chinese, please.")
    window = window_of([user(), *ROUNDS[:2], late, *ROUNDS[2:]])
    assert data_of(compressed(window, "trim_to_target", target=2.0, protect_rounds=1)) == [user(), late, *ROUNDS[-2:]]


def test_summaries_stay() -> None:
    window = window_of([user(), *ROUNDS])
    summary = ContextItem.summary(seqs=Seqs.of([2, 3]), message=Message.of(user("So far: nothing.")))
    before = Window.of([window[0], summary, *window.items[3:]])
    assert compressed(before, "trim_to_target", target=2.0, protect_rounds=1)[1] == summary


def test_all_replies_of_a_parallel_call_go_with_it() -> None:
    window = window_of([user(), calls("a", "b"), reply("b", "x " * 99), reply("a"), *ROUNDS])
    after = compressed(window, "trim_to_target", target=float(window.tokens - 1))
    assert data_of(after) == [user(), *ROUNDS]
