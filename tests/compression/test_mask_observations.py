import pytest

from sessions_app.engine import Window
from tests.builders import calls, react_rounds, reply, user
from tests.compression.windows import compressed, data_of, window_of

MASKED = "[old result of read_file, cleared]"


def masked_of(rounds: int, **params: int) -> int:
    """How many of so many rounds are masked, and that it is the oldest of them."""
    after = compressed(window_of([user(), *react_rounds(rounds)]), "mask_observations", **params)
    masked = [m["content"] == MASKED for m in data_of(after)[2::2]]
    assert masked == sorted(masked, reverse=True)
    return sum(masked)


@pytest.mark.parametrize(("rounds", "masked"), [(10, 0), (19, 0), (20, 10), (29, 10), (30, 20)])
def test_the_boundary_moves_by_whole_batches(rounds: int, masked: int) -> None:
    assert masked_of(rounds) == masked


@pytest.mark.parametrize(("rounds", "masked"), [(5, 0), (6, 3), (8, 3), (9, 6)])
def test_protect_rounds_and_batch_set_where_it_stands(rounds: int, masked: int) -> None:
    assert masked_of(rounds, protect_rounds=3, batch=3) == masked


def test_between_two_moves_the_beginning_stays_byte_for_byte() -> None:
    windows = [window_of([user(), *react_rounds(n)]) for n in range(8, 12)]
    prefixes = [compressed(w, "mask_observations", protect_rounds=3, batch=4).items[:9] for w in windows[:-1]]
    assert prefixes[1:] == prefixes[:-1]
    assert compressed(windows[-1], "mask_observations", protect_rounds=3, batch=4).items[:17] != prefixes[0]


def test_a_masked_result_looks_as_a_cleared_one() -> None:
    window = window_of([user(), *react_rounds(6)])
    masked = compressed(window, "mask_observations", protect_rounds=3, batch=3)
    assert masked.items == compressed(window, "clear_tool_results", protect_rounds=3).items


def test_calls_and_what_the_assistant_said_stay() -> None:
    call = calls("c0", text="Let me look.", name="read_file")
    window = window_of([user(), call, reply("c0", "x " * 99), *react_rounds(3)])
    after = compressed(window, "mask_observations", protect_rounds=3, batch=1)
    assert data_of(after)[1:3] == [call, reply("c0", MASKED)]


def test_a_recovery_message_stays() -> None:
    unknown = "Execution was interrupted. The result of run is unknown: the tool may or may not have run."
    window = window_of([user(), calls("c0"), reply("c0", unknown), *react_rounds(3)])
    assert compressed(window, "mask_observations", protect_rounds=3, batch=1) is window


def test_rounds_are_counted_from_where_the_window_begins_now() -> None:
    window = window_of([user(), *react_rounds(12)])
    slid = compressed(window, "sliding_window", protect_rounds=6)
    after: Window = compressed(slid, "mask_observations", protect_rounds=3, batch=3)
    assert [m["content"] == MASKED for m in data_of(after)[2::2]] == [True] * 3 + [False] * 3
