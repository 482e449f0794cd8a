from typing import Any

import pytest

from sessions_app.engine import Window
from tests.builders import calls, react_rounds, reply, says, user
from tests.compression.windows import compressed, data_of, window_of

SIGNED = {"type": "thinking", "thinking": "The buffer is fixed. " * 20, "signature": "c2ln" * 60}
SEALED = {"type": "redacted_thinking", "data": "c2VhbGVk" * 40}
ITEM = {"type": "reasoning", "summary": [], "encrypted_content": "Z0FB" * 90}
SAID = {"type": "text", "text": "I see."}
MEMBERS: list[dict[str, Any]] = [
    {"reasoning_content": "Let me think. " * 20},
    {"reasoning": {"text": "Let me think. " * 20}},
    {"reasoning_content": "hm", "reasoning_details": [SIGNED, SEALED]},
    {"reasoning_details": [ITEM]},
    {"thinking": "Let me think. " * 20, "thinking_signature": "c2ln" * 60},
    {"thinking_blocks": [SIGNED]},
    {"responses_reasoning_item": ITEM},
    {"encrypted_content": "Z0FB" * 90},
]


def left_of(*messages: dict[str, Any], **params: int) -> list[dict[str, Any]]:
    """What becomes of `messages` once a round stands behind them."""
    after = compressed(window_of([user(), *messages, *react_rounds(1)]), "drop_reasoning", **params)
    return data_of(after)[1:-2]


@pytest.mark.parametrize("members", MEMBERS)
def test_every_member_that_carries_reasoning_goes(members: dict[str, Any]) -> None:
    assert left_of({**says("I see."), **members}) == [says("I see.")]


@pytest.mark.parametrize("part", [SIGNED, SEALED, {"type": "reasoning", "text": "Let me think. " * 20}, ITEM])
def test_every_part_that_is_reasoning_goes(part: dict[str, Any]) -> None:
    assert left_of({"role": "assistant", "content": [part, SAID]}) == [{"role": "assistant", "content": [SAID]}]


def test_beside_calls_a_content_of_nothing_else_becomes_null() -> None:
    message = {**calls("c1"), "content": [SIGNED]}
    assert left_of(message, reply("c1")) == [calls("c1"), reply("c1")]


def test_a_message_that_says_nothing_else_stays() -> None:
    window = window_of([user(), {**says(""), "reasoning_content": "hm " * 99}, *react_rounds(1)])
    assert compressed(window, "drop_reasoning") is window


@pytest.mark.case(39)
def test_the_newest_round_keeps_its_signed_blocks_byte_for_byte() -> None:
    newest = [{**calls("c9"), "content": [SIGNED, SEALED, SAID]}, reply("c9")]
    before = window_of([user(), {**says(), "reasoning_content": "hm " * 99}, *newest])
    after = compressed(before, "drop_reasoning")
    assert [i.message.text for i in after.items[-2:]] == [i.message.text for i in before.items[-2:]]


def test_an_open_call_keeps_its_reasoning() -> None:
    before = window_of([user(), *react_rounds(2), {**calls("open"), "reasoning_content": "hm " * 99}])
    assert compressed(before, "drop_reasoning") is before


def test_protect_rounds_says_how_much_stays() -> None:
    thoughts = [{**says(f"{n}"), "reasoning_content": "hm " * 99} for n in range(4)]
    after = compressed(window_of([user(), *thoughts]), "drop_reasoning", protect_rounds=3)
    assert ["reasoning_content" in m for m in data_of(after)[1:]] == [False, True, True, True]


def test_other_members_and_calls_stay() -> None:
    message = {**calls("c1", text="Now."), "refusal": None, "name": "coder"}
    assert left_of({**message, "reasoning_content": "hm " * 9}, reply("c1")) == [message, reply("c1")]


def test_who_is_no_assistant_has_no_reasoning() -> None:
    window: Window = window_of([user(), {**user("and?"), "thinking": "is a member of mine " * 9}, *react_rounds(2)])
    assert compressed(window, "drop_reasoning") is window
