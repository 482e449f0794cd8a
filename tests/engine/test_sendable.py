"""A window made fit for providers, which refuse what a session must keep (contract, `context/messages/`)."""

from typing import Any

import pytest

from sessions_app.engine import Message, sendable
from tests.builders import Msg, calls, reply, says, system, user

BLANK: list[Any] = ["", " \n", None, [], [{"type": "text", "text": ""}], [{"type": "output_text"}]]


def sent(*messages: Msg) -> list[Msg]:
    return sendable(Message.of(m) for m in messages)


@pytest.mark.case(64)
@pytest.mark.parametrize("content", BLANK, ids=repr)
def test_empty_messages_are_left_out_or_say_so(content: Any) -> None:
    empty = {"content": content}
    assert sent(user() | empty) == [user("(empty)")]
    assert sent(reply("a") | empty) == [reply("a", "(no output)")]
    assert sent(says() | empty) == []
    assert sent(system() | empty) == [system() | empty]


@pytest.mark.parametrize("content", BLANK, ids=repr)
@pytest.mark.parametrize(
    "members",
    [
        {"tool_calls": calls("a")["tool_calls"]},
        {"function_call": {"name": "x"}},
        {"refusal": "no"},
        {"audio": {"id": 1}},
    ],
)
def test_an_assistant_message_that_says_something_otherwise_stays(content: Any, members: Msg) -> None:
    message = {"role": "assistant", "content": content, **members}
    assert sent(message) == [message]


def test_an_assistant_message_without_content_and_calls_is_left_out() -> None:
    assert sent({"role": "assistant"}, {"role": "assistant", "tool_calls": []}) == []


@pytest.mark.case(39)
@pytest.mark.parametrize(
    "message",
    [
        user("x"),
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]},
        {"role": "user", "content": [{"type": "text", "text": ""}, {"type": "text", "text": "x"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}]},
        reply("a", "0"),
    ],
)
def test_what_has_content_goes_as_it_came(message: Msg) -> None:
    assert sent(message) == [message]


def test_the_dicts_are_the_callers_own() -> None:
    message = Message.of(user("x"))
    sendable([message])[0]["content"] = "changed"
    assert message.body == "x"
