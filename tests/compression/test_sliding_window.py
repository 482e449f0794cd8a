from sessions_app.engine import ContextItem, Message, Seqs, Window
from tests.builders import calls, react_rounds, reply, says, system, user
from tests.compression.windows import compressed, data_of, window_of

ROUNDS = react_rounds(6)


def test_sliding_window_keeps_system_first_request_and_the_newest_rounds() -> None:
    after = compressed(window_of([system(), user(), *ROUNDS]), "sliding_window")
    assert data_of(after) == [system(), user(), *ROUNDS[-6:]]


def test_sliding_window_keeps_the_last_request_though_its_round_is_old() -> None:
    late = user("And in Chinese, please.")
    window = window_of([system(), user(), *ROUNDS[:2], late, *ROUNDS[2:]])
    assert data_of(compressed(window, "sliding_window", protect_rounds=1)) == [system(), user(), late, *ROUNDS[-2:]]


def test_sliding_window_drops_the_requests_between() -> None:
    window = window_of([user("one"), says("1"), user("two"), says("2"), user("three"), says("3")])
    after = compressed(window, "sliding_window", protect_rounds=1)
    assert data_of(after) == [user("one"), user("three"), says("3")]


def test_sliding_window_keeps_what_the_system_said_later_in_its_place() -> None:
    later = {"role": "developer", "content": "From now on answer in Chinese."}
    window = window_of([system(), user(), *ROUNDS[:4], later, *ROUNDS[4:]])
    after = compressed(window, "sliding_window", protect_rounds=1)
    assert data_of(after) == [system(), user(), later, *ROUNDS[-2:]]


def test_sliding_window_keeps_an_earlier_summary() -> None:
    window = window_of([user(), *ROUNDS])
    summary = ContextItem.summary(seqs=Seqs.of([2, 3]), message=Message.of(user("So far: nothing.")))
    before = Window.of([window[0], summary, *window.items[3:]])
    after = compressed(before, "sliding_window", protect_rounds=1)
    assert after.items == (window[0], summary, *window.items[-2:])


def test_sliding_window_keeps_the_open_round_beside_those_it_protects() -> None:
    window = window_of([user(), *ROUNDS, calls("x", "y"), reply("x")])
    after = compressed(window, "sliding_window", protect_rounds=1)
    assert data_of(after) == [user(), *ROUNDS[-2:], calls("x", "y"), reply("x")]


def test_sliding_window_claims_no_frame_that_it_drops() -> None:
    after = compressed(window_of([system(), user(), *ROUNDS]), "sliding_window", protect_rounds=1)
    assert [list(i.original_seqs) for i in after] == [[1], [2], [13], [14]]


def test_sliding_window_gives_a_window_without_old_rounds_back() -> None:
    window = window_of([system(), user(), *ROUNDS])
    assert compressed(window, "sliding_window", protect_rounds=6) is window
