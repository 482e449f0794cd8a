"""What of a message comes after the part of it that was stored first."""

from typing import Any

import pytest

from sessions_app.engine import Message
from sessions_app.engine.unfinished import rest_of
from tests.builders import Msg, call, calls, reply, says, user


def rest(whole: Msg, part: Msg) -> Msg | None:
    found = rest_of(Message.of(whole), Message.of(part))
    return None if found is None else found.copy()


def parts(*texts: str) -> Msg:
    return {"role": "assistant", "content": [{"type": "text", "text": t} for t in texts]}


@pytest.mark.parametrize(
    ("whole", "part", "expected"),
    [
        (calls("a", text="I look."), says("I look."), calls("a")),
        (calls("a", "b"), calls("a"), calls("b")),
        (says("I look."), {"role": "assistant", "content": None}, says("I look.")),
        (
            {**says("Hi"), "reasoning_content": "Hm. So."},
            {**says("Hi"), "reasoning_content": "Hm. "},
            {"role": "assistant", "content": None, "reasoning_content": "So."},
        ),
        (parts("one", "two"), says("one"), says("two")),
        (parts("one", "two", "three"), parts("one"), parts("two", "three")),
        ({**says("Hi"), "reasoning_content": "Hm."}, {"role": "assistant", "reasoning_content": "Hm."}, says("Hi")),
    ],
)
def test_the_rest_is_what_the_part_does_not_say(whole: Msg, part: Msg, expected: Msg) -> None:
    assert rest(whole, part) == expected


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        (says("I look."), says("You look.")),
        (says("I look."), says("I ")),  # a text is written whole: this is another one
        (calls("b", "a"), calls("a")),
        (says("I look."), calls("a", text="I look.")),
        (user("I look."), user("I ")),
        (reply("a", "ok"), reply("a", "o")),
        (says("same"), says("same")),
        ({**says("Hi"), "name": "x"}, {**says("Hi"), "name": "y"}),
    ],
)
def test_what_is_no_beginning_has_no_rest(whole: Msg, part: Msg) -> None:
    assert rest(whole, part) is None


def test_the_members_of_the_rest_stand_in_the_order_of_the_whole() -> None:
    members: dict[str, Any] = {f"member_{n}": n for n in range(20)}
    found = rest({**says("Hi"), **members, "tool_calls": [call("a")]}, says("Hi"))
    assert found is not None
    assert list(found) == ["role", "content", *members, "tool_calls"]
