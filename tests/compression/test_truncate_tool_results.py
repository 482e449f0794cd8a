import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.compression import find
from sessions_app.compression.cutting import FEWEST, cut_middle
from sessions_app.engine import Toolbox, count_text
from tests.builders import calls, react_rounds, reply, user
from tests.compression.windows import compressed, data_of, window_of

TAIL = react_rounds(3, start=90)
LINES = "".join(f"line {n} of the log\n" for n in range(2_000))
MARK = re.compile(r"\n\[… (\d+) tokens left out …\]\n")


def truncated(content: Any, **params: int) -> Any:
    """What becomes of an old result."""
    window = window_of([user(), calls("c1"), reply("c1", content), *TAIL])
    return data_of(compressed(window, "truncate_tool_results", **params))[2]["content"]


def test_head_and_tail_of_a_long_result_stay() -> None:
    head, _, tail = MARK.split(truncated(LINES))
    assert LINES.startswith(head) and LINES.endswith(tail)
    assert count_text(head) > count_text(tail) > 0


def test_the_mark_says_how_many_tokens_are_gone() -> None:
    head, left_out, tail = MARK.split(truncated(LINES))
    assert int(left_out) == count_text(LINES) - count_text(head) - count_text(tail)


@pytest.mark.parametrize("max_tokens", [50, 100, 400, 5_000])
def test_a_cut_result_has_at_most_max_tokens_and_uses_most_of_them(max_tokens: int) -> None:
    assert max_tokens * 0.8 < count_text(truncated(LINES, max_tokens=max_tokens)) <= max_tokens


def test_a_result_of_max_tokens_stays() -> None:
    text = " word" * 400
    assert count_text(text) == 400
    assert truncated(text) == text


def test_the_newest_rounds_stay() -> None:
    window = window_of([user(), calls("c1"), reply("c1", LINES), *TAIL])
    assert compressed(window, "truncate_tool_results", protect_rounds=4) is window


def test_each_text_part_is_cut_by_itself_and_other_parts_stay() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:x"}}
    parts = [
        {"type": "text", "text": LINES},
        picture,
        {"type": "text", "text": "short"},
        {"type": "text", "text": LINES},
    ]
    first, *between, last = truncated(parts)
    assert between == [picture, {"type": "text", "text": "short"}]
    assert first == last == {"type": "text", "text": truncated(LINES)}


def test_a_part_that_carries_more_than_its_text_stays_whole() -> None:
    cited = {"type": "text", "text": LINES, "citations": [{"start": 4}]}
    assert truncated([cited, {"type": "text", "text": LINES}])[0] == cited


def test_a_result_that_failed_is_cut_and_still_says_so() -> None:
    window = window_of([user(), calls("c1"), reply("c1", LINES, is_error=True), *TAIL])
    assert data_of(compressed(window, "truncate_tool_results"))[2]["is_error"] is True


def test_what_the_assistant_and_the_user_said_stays() -> None:
    window = window_of([user(LINES), calls("c1", text=LINES), reply("c1", LINES), *TAIL])
    assert compressed(window, "truncate_tool_results").items[:2] == window.items[:2]


@given(
    text=st.text(alphabet="a 你🙂\n\t=\udc88é1", min_size=200),
    times=st.sampled_from([1, 3, 300]),
    most=st.integers(FEWEST, 90),
)
def test_cuts_fall_between_code_points_and_keep_the_bound(text: str, times: int, most: int) -> None:
    text *= times
    cut = cut_middle(text, most, count_text(text), count_text)
    head, _, tail = MARK.split(cut) if MARK.search(cut) else (cut, "", "")
    assert count_text(cut) <= most
    assert text.startswith(head) and text.endswith(tail)


@pytest.mark.parametrize("wrap", [lambda text: text, lambda text: [{"type": "text", "text": text}]])
def test_five_megabytes_are_cut_without_being_counted_anew(wrap: Any) -> None:
    window = window_of([user(), calls("c1"), reply("c1", wrap(LINES * 130)), *TAIL])
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return count_text(text)

    strategy = find("truncate_tool_results")
    began = time.process_time()
    after = strategy.compress(window, params=strategy.Params(), tools=Toolbox(count_text=count))
    assert time.process_time() - began < 1
    assert sum(counted) < 50_000
    assert isinstance(after, type(window)) and after[2].tokens <= 404
