"""What holds for every strategy on any window."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessions_app.compression import strategies
from sessions_app.engine import CannotCompress, ContextItem, Message, Window
from tests.builders import calls, reply, system, user
from tests.compression.histories import ANY_TEXT, History, histories
from tests.compression.params import PARAMS, pressed
from tests.compression.windows import broken, compressed, followed_by, window_of

MEMBERS = ("reasoning_content", "reasoning_details", "thinking_blocks")
NAMES = sorted(PARAMS)
KEEPING_TRACK = sorted(set(NAMES) - {"sliding_window", "trim_to_target"})
"""Those whose windows claim every frame that the window before claimed."""


def thinking(*call_ids: str) -> dict[str, Any]:
    return {**calls(*call_ids), "reasoning_content": "Let me think it over. " * 9}


def three_rounds() -> list[dict[str, Any]]:
    return [m for n in range(3) for m in (thinking(f"a{n}"), reply(f"a{n}", "out " * 400))]


FORTY_FRAMES = [system(), user()] + [
    m
    for n in range(1, 14)
    for m in (thinking(f"a{n}", f"b{n}"), reply(f"b{n}", "out " * 450), reply(f"a{n}", "more " * 450))
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


@settings(max_examples=40)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_what_a_strategy_makes_breaks_no_rule(name: str, data: st.DataObject) -> None:
    history: History = data.draw(histories())
    window = history.window
    after = outcome(window, name, data.draw(PARAMS[name]))
    assert after is window or broken(window, after, history.first) == []


@settings(max_examples=25)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_a_strategy_leaves_its_own_output_alone(name: str, data: st.DataObject) -> None:
    params = data.draw(PARAMS[name])
    once = outcome(data.draw(histories()).window, name, params)
    assert outcome(once, name, params).items == once.items


@settings(max_examples=12)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_the_same_window_gives_the_same_bytes(name: str, data: st.DataObject) -> None:
    window, params = data.draw(histories()).window, data.draw(PARAMS[name])
    # Read anew from its text, as another process would.
    again = Window.of(replace(i, message=Message(i.message.text)) for i in window)
    assert outcome(window, name, params).items == outcome(again, name, params).items


MESSAGES = st.one_of(
    st.builds(lambda r, t: {"role": r, "content": t}, st.sampled_from(["system", "user", "assistant"]), ANY_TEXT),
    st.builds(lambda i, t: reply(i, t), st.sampled_from(["c1", "c2"]), ANY_TEXT),
    st.builds(lambda *i: calls(*dict.fromkeys(i)), st.sampled_from(["c1", "c2"]), st.sampled_from(["c1", "c3"])),
)


@settings(max_examples=30)
@pytest.mark.parametrize("name", NAMES)
@given(messages=st.lists(MESSAGES, max_size=25), data=st.data())
@example(messages=[], data=None)
def test_no_window_makes_a_strategy_break_a_rule_even_if_its_pairs_are_broken(
    name: str, messages: list[dict[str, Any]], data: st.DataObject | None
) -> None:
    window = window_of(messages)
    after = outcome(window, name, data.draw(PARAMS[name]) if data else {}, broken_already=True)
    assert after is window or broken(window, after) == []


@pytest.mark.case(24)
@pytest.mark.parametrize("protect_rounds", range(1, 15))
@pytest.mark.parametrize("name", NAMES)
def test_pairs_stay_whole_at_every_cut(name: str, protect_rounds: int) -> None:
    window = window_of(FORTY_FRAMES)
    after = outcome(window, name, pressed(name, protect_rounds))
    if protect_rounds < 13:
        assert after.tokens < window.tokens
        assert broken(window, after) == []
    else:
        assert after is window


@pytest.mark.case(25)
@pytest.mark.parametrize("second", NAMES)
@pytest.mark.parametrize("first", NAMES)
def test_pairs_stay_whole_across_two_chained_compressions(first: str, second: str) -> None:
    once = compressed(window_of(FORTY_FRAMES), first, **pressed(first, 3))
    grown = followed_by(once, three_rounds())
    twice = compressed(grown, second, **pressed(second, 3))
    assert broken(grown, twice) == []


@pytest.mark.case(25)
@pytest.mark.case(35)
@pytest.mark.parametrize("second", KEEPING_TRACK)
@pytest.mark.parametrize("first", NAMES)
def test_the_second_of_two_windows_stands_for_all_that_the_first_stood_for(first: str, second: str) -> None:
    grown = followed_by(compressed(window_of(FORTY_FRAMES), first, **pressed(first, 3)), three_rounds())
    twice = compressed(grown, second, **pressed(second, 3))
    assert seqs_of(twice) == seqs_of(grown)


@pytest.mark.case(35)
@settings(max_examples=12)
@pytest.mark.parametrize("name", sorted(set(KEEPING_TRACK) - {"pipeline"}))
@given(data=st.data())
def test_no_frame_gets_lost_and_none_is_claimed_twice(name: str, data: st.DataObject) -> None:
    window = data.draw(histories()).window
    assert seqs_of(outcome(window, name, data.draw(PARAMS[name]))) == seqs_of(window)


@pytest.mark.case(39)
@settings(max_examples=12)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_reasoning_stays_byte_for_byte_or_goes_whole(name: str, data: st.DataObject) -> None:
    window = data.draw(histories()).window
    had = {item.original_seqs.first: reasoning_of(item) for item in window}
    for item in outcome(window, name, data.draw(PARAMS[name])):
        if item.kind != "summary" and (left := reasoning_of(item)):
            assert left == had[item.original_seqs.first]


def seqs_of(window: Window) -> list[int]:
    return sorted(seq for item in window for seq in item.original_seqs)


def reasoning_of(item: ContextItem) -> list[Any]:
    data, content = item.message.data, item.message.data.get("content")
    parts = content if isinstance(content, list) else []
    thoughts = [part for part in parts if part["type"] in ("thinking", "redacted_thinking")]
    return [data[member] for member in MEMBERS if data.get(member)] + thoughts
