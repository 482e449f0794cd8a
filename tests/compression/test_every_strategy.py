"""What holds for every strategy on any window."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessions_app.compression import strategies
from sessions_app.engine import CannotCompress, Message, Window
from tests.builders import calls, reply, system, user
from tests.compression.windows import (
    TEXTS,
    History,
    broken,
    compressed,
    followed_by,
    histories,
    window_of,
)

PARAMS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "sliding_window": st.fixed_dictionaries({"protect_rounds": st.integers(1, 5)}),
    "clear_tool_results": st.fixed_dictionaries(
        {
            "protect_rounds": st.integers(1, 5),
            "min_saving": st.sampled_from([0, 0, 50]),
            "exclude_tools": st.sampled_from([[], ["bash"]]),
            "clear_inputs": st.booleans(),
        }
    ),
    "digest": st.fixed_dictionaries(
        {"protect_rounds": st.integers(1, 5), "max_tokens": st.sampled_from([200, 600, 2_000])}
    ),
}
NAMES = sorted(PARAMS)
FORTY_FRAMES = [system(), user()] + [
    m
    for n in range(1, 14)
    for m in (calls(f"a{n}", f"b{n}"), reply(f"b{n}", "out " * 99), reply(f"a{n}", "more " * 99))
]


def outcome(window: Window, name: str, params: dict[str, Any], *, broken_already: bool = False) -> Window:
    """What the strategy makes of the window; the window where it says that it cannot."""
    try:
        return compressed(window, name, **params)
    except CannotCompress as e:
        # Rules hold by construction in what the engine wrote; the last look is for imported windows only.
        if "breaking rule" in str(e) and not broken_already:
            raise
        return window


def test_every_built_in_strategy_is_tested_here() -> None:
    assert sorted(s.name for s in strategies()) == NAMES


@settings(max_examples=80)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_what_a_strategy_makes_breaks_no_rule(name: str, data: st.DataObject) -> None:
    history: History = data.draw(histories())
    window = history.window
    after = outcome(window, name, data.draw(PARAMS[name]))
    assert after is window or broken(window, after, history.first) == []


@settings(max_examples=40)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_a_strategy_leaves_its_own_output_alone(name: str, data: st.DataObject) -> None:
    params = data.draw(PARAMS[name])
    once = outcome(data.draw(histories()).window, name, params)
    assert outcome(once, name, params).items == once.items


@settings(max_examples=40)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_the_same_window_gives_the_same_bytes(name: str, data: st.DataObject) -> None:
    window, params = data.draw(histories()).window, data.draw(PARAMS[name])
    # Read anew from its text, as another process would.
    again = Window.of(replace(i, message=Message(i.message.text)) for i in window)
    assert outcome(window, name, params).items == outcome(again, name, params).items


MESSAGES = st.one_of(
    st.builds(lambda r, t: {"role": r, "content": t}, st.sampled_from(["system", "user", "assistant"]), TEXTS),
    st.builds(lambda i, t: reply(i, t), st.sampled_from(["c1", "c2"]), TEXTS),
    st.builds(lambda *i: calls(*dict.fromkeys(i)), st.sampled_from(["c1", "c2"]), st.sampled_from(["c1", "c3"])),
)


@settings(max_examples=80)
@pytest.mark.parametrize("name", NAMES)
@given(messages=st.lists(MESSAGES, max_size=25), data=st.data())
@example(messages=[], data=None)
def test_no_window_makes_a_strategy_break_a_rule_even_if_its_pairs_are_broken(
    name: str, messages: list[dict[str, Any]], data: st.DataObject | None
) -> None:
    window = window_of(messages)
    after = outcome(window, name, data.draw(PARAMS[name]) if data else {}, broken_already=True)
    assert after is window or broken(window, after) == []


@pytest.mark.parametrize("protect_rounds", range(1, 15))
@pytest.mark.parametrize("name", NAMES)
def test_pairs_stay_whole_at_every_cut(name: str, protect_rounds: int) -> None:
    window = window_of(FORTY_FRAMES)
    after = outcome(window, name, {"protect_rounds": protect_rounds})
    if protect_rounds < 13:
        assert after.tokens < window.tokens
        assert broken(window, after) == []
    else:
        assert after is window


@pytest.mark.parametrize("second", NAMES)
@pytest.mark.parametrize("first", NAMES)
def test_pairs_stay_whole_across_two_chained_compressions(first: str, second: str) -> None:
    once = compressed(window_of(FORTY_FRAMES), first)
    grown = followed_by(once, [m for n in range(3) for m in (calls(f"a{n}"), reply(f"a{n}", "out " * 40))])
    twice = compressed(grown, second)
    assert broken(grown, twice) == []


def test_a_second_digest_covers_the_frames_of_the_first() -> None:
    once = compressed(window_of(FORTY_FRAMES), "digest")
    grown = followed_by(once, [m for n in range(3) for m in (calls(f"a{n}"), reply(f"a{n}", "out " * 40))])
    twice = compressed(grown, "digest")
    [earlier] = [i for i in once if i.kind == "summary"]
    [later] = [i for i in twice if i.kind == "summary"]
    assert set(earlier.original_seqs) < set(later.original_seqs)
    assert {s for i in twice for s in i.original_seqs} == {s for i in grown for s in i.original_seqs}
