"""What may enter as a message, and what is read off one (contract, section 4)."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from sessions_app.engine import DamagedMessage, InvalidMessages, Message, parse_messages
from tests.builders import call, calls, reply, says, user


def faults(*messages: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidMessages) as refused:
        parse_messages(messages)
    return [(f.pointer, f.detail) for f in refused.value.faults]


def assistant(**members: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, **members}


TAKEN: list[dict[str, Any]] = [
    user(""),
    {"role": "user", "content": None},
    {"role": "user", "content": []},
    {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "any", "thing": [1, 2.5, None]}]},
    {"role": "assistant"},
    assistant(tool_calls=None, function_call=None, name=None),
    assistant(tool_calls=[]),
    assistant(tool_calls=[call("a", "run", '{"q": "ab')]),
    assistant(tool_calls=[{"id": "a", "custom": {"name": "run", "input": "x"}, "function": None}]),
    {"role": "user", "content": "x", "tool_calls": None, "tool_call_id": None},
    {"role": "user", "content": "x", "tool_calls": []},
    {"role": "developer", "content": "x", "unknown": {"zebra": 1, "alpha": 2}},
    reply("i" * 300, "x", name="n" * 1000),
    user("\x00 \udc88 \\u0000 中文 🙂"),
    user("x") | {"big": 2**63, "bigger": 10**40, "float": 1e16, "zero": -0.0},
]


@pytest.mark.case(57)
@pytest.mark.case(59)
@pytest.mark.case(64)
@pytest.mark.case(66)
@pytest.mark.parametrize("message", TAKEN, ids=range(len(TAKEN)))
def test_a_valid_message_is_kept_as_it_came(message: dict[str, Any]) -> None:
    [parsed] = parse_messages([message])
    assert list(parsed.copy().items()) == list(message.items())
    assert Message(parsed.text) == parsed and hash(Message(parsed.text)) == hash(parsed)


@pytest.mark.parametrize(
    ("message", "pointer"),
    [
        ("text", "/messages/0"),
        ({}, "/messages/0/role"),
        ({"role": "function", "content": ""}, "/messages/0/role"),
        ({"role": "user"}, "/messages/0/content"),
        ({"role": "tool", "tool_call_id": "a"}, "/messages/0/content"),
        ({"role": "user", "content": 1}, "/messages/0/content"),
        ({"role": "user", "content": ["x"]}, "/messages/0/content/0"),
        ({"role": "user", "content": [{"type": "text"}, {"text": "x"}]}, "/messages/0/content/1/type"),
        ({"role": "tool", "content": ""}, "/messages/0/tool_call_id"),
        (reply(""), "/messages/0/tool_call_id"),
        ({"role": "user", "content": "", "name": 1}, "/messages/0/name"),
        (assistant(function_call="run"), "/messages/0/function_call"),
        (assistant(tool_calls={}), "/messages/0/tool_calls"),
        ({**user(), "tool_calls": [call("a")]}, "/messages/0/tool_calls"),
        (assistant(tool_calls=["a"]), "/messages/0/tool_calls/0"),
        (assistant(tool_calls=[call("")]), "/messages/0/tool_calls/0/id"),
        (assistant(tool_calls=[call("a"), call("a")]), "/messages/0/tool_calls/1/id"),
        (assistant(tool_calls=[{"id": "a"}]), "/messages/0/tool_calls/0/function"),
        (assistant(tool_calls=[{"id": "a", "function": "run"}]), "/messages/0/tool_calls/0/function"),
        (assistant(tool_calls=[call("a", "")]), "/messages/0/tool_calls/0/function/name"),
        (
            assistant(tool_calls=[{"id": "a", "function": {"name": "run", "arguments": {}}}]),
            "/messages/0/tool_calls/0/function/arguments",
        ),
        (assistant(tool_calls=[{"id": "a", "custom": {"name": "run"}}]), "/messages/0/tool_calls/0/custom/input"),
    ],
)
def test_what_is_no_message_is_refused_where_it_is_wrong(message: Any, pointer: str) -> None:
    assert [at for at, _ in faults(message)] == [pointer]


@pytest.mark.case(15)
@pytest.mark.case(14)
def test_every_fault_is_told_at_once() -> None:
    told = faults(user(), {"role": "nobody"}, assistant(tool_calls=[call(""), call("b"), call("b")]))
    assert [at for at, _ in told] == [
        "/messages/1/role",
        "/messages/2/tool_calls/0/id",
        "/messages/2/tool_calls/2/id",
    ]


@pytest.mark.case(60)
@pytest.mark.case(61)
@pytest.mark.parametrize(
    ("value", "pointer", "why"),
    [
        (float("nan"), "/m", "no finite number"),
        (float("-inf"), "/m", "no finite number"),
        (10**4300, "/m", "4,300 digits"),
        (datetime(2026, 1, 1), "/m", "is a datetime"),
        ({"a/b": [Decimal(1)]}, "/m/a~1b/0", "is a Decimal"),
        ({"~": (1, 2)}, "/m/~0", "is a tuple"),
        ({1: 2}, "/m", "member name"),
        (b"x", "/m", "is a bytes"),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_a_value_that_is_no_json_is_refused_by_its_path(value: Any, pointer: str, why: str) -> None:
    [(at, said)] = faults({"role": "user", "content": "x", "m": value})
    assert at == f"/messages/0{pointer}" and why in said


def test_nesting_is_limited() -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    assert "128 levels" in faults({"role": "user", "content": "x", "m": deep})[0][1]


@pytest.mark.parametrize("messages", ["text", b"bytes", 3, {"role": "user"}])
def test_messages_are_a_list(messages: Any) -> None:
    with pytest.raises(InvalidMessages):
        parse_messages(messages)


def test_a_message_does_not_change() -> None:
    given = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    message = Message.of(given)
    given["content"] = "another"
    message.copy()["content"] = "another"
    assert message.body == "x"
    with pytest.raises(AttributeError):
        message.text = "y"
    assert message != "x" and "Message(" in repr(message)


def test_what_is_read_off_a_message() -> None:
    custom = {"id": "b", "custom": {"name": "patch", "input": "diff"}}
    message = Message.of({**calls("a", text="I look."), "tool_calls": [call("a", "run", "{}"), custom]})
    assert [(c.id, c.name, c.arguments) for c in message.calls] == [("a", "run", "{}"), ("b", "patch", "diff")]
    assert list(message.searched_texts()) == ["I look.", "{}", "diff"]
    assert Message.of(user()).calls == () and Message.of(user()).tool_call_id is None
    assert Message.of({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "x"}]}).body == "a"


def test_a_reply_says_itself_that_it_failed() -> None:
    assert Message.of(reply("a", is_error=True)).is_error
    assert Message.of(reply("a", status="error")).is_error
    assert not Message.of(reply("a", is_error="yes")).is_error
    assert not Message.of({**says(), "is_error": True}).is_error


def test_an_excerpt_is_the_first_280_code_points_fit_for_a_column() -> None:
    message = Message.of(user("🙂\x00\udc88" + "中" * 400))
    assert message.excerpt == "🙂\ufffd\ufffd" + "中" * 277


@pytest.mark.case(68)
@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "{}", '{"content": "x"}', '{"role":"robot","content":""}'])
def test_a_damaged_text_is_told_as_such(text: str) -> None:
    message = Message(text)
    assert message.is_damaged
    for read in (message.copy, lambda: message.role, lambda: message.calls, message.count_tokens):
        with pytest.raises(DamagedMessage):
            read()
