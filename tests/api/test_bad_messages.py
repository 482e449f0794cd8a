"""A message that is not valid keeps its batch out, and says where it is wrong."""

from typing import Any

import pytest

from tests.api.client import operator
from tests.api.refusals import refused
from tests.builders import call, calls, says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db


def a_call(**members: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [{**call("a"), **members}]}


BAD_MESSAGES: list[tuple[Any, str]] = [
    (5, ""),
    (None, ""),
    ([], ""),
    ("hello", ""),
    ({}, "/role"),
    ({"content": "x"}, "/role"),
    ({"role": None, "content": "x"}, "/role"),
    ({"role": "User", "content": "x"}, "/role"),
    ({"role": "function", "content": "x"}, "/role"),
    ({"role": ["user"], "content": "x"}, "/role"),
    ({"role": {}, "content": "x"}, "/role"),
    ({"role": "user"}, "/content"),
    ({"role": "system"}, "/content"),
    ({"role": "tool", "tool_call_id": "a"}, "/content"),
    ({"role": "user", "content": 5}, "/content"),
    ({"role": "user", "content": True}, "/content"),
    ({"role": "user", "content": {"type": "text"}}, "/content"),
    ({"role": "user", "content": ["x"]}, "/content/0"),
    ({"role": "user", "content": [{"type": "text", "text": "a"}, None]}, "/content/1"),
    ({"role": "user", "content": [{"text": "a"}]}, "/content/0/type"),
    ({"role": "user", "content": [{"type": 5}]}, "/content/0/type"),
    ({"role": "user", "content": "x", "tool_calls": [call("a")]}, "/tool_calls"),
    ({"role": "tool", "content": "x"}, "/tool_call_id"),
    ({"role": "tool", "content": "x", "tool_call_id": ""}, "/tool_call_id"),
    ({"role": "tool", "content": "x", "tool_call_id": None}, "/tool_call_id"),
    ({"role": "tool", "content": "x", "tool_call_id": 5}, "/tool_call_id"),
    ({"role": "assistant", "tool_calls": "x"}, "/tool_calls"),
    ({"role": "assistant", "tool_calls": {"a": 1}}, "/tool_calls"),
    ({"role": "assistant", "tool_calls": [None]}, "/tool_calls/0"),
    ({"role": "assistant", "tool_calls": [{}]}, "/tool_calls/0/id"),
    (a_call(id=""), "/tool_calls/0/id"),
    (a_call(id=None), "/tool_calls/0/id"),
    (a_call(id=7), "/tool_calls/0/id"),
    (a_call(function=None), "/tool_calls/0/function"),
    (a_call(function="run"), "/tool_calls/0/function"),
    (a_call(function={}), "/tool_calls/0/function/name"),
    (a_call(function={"name": 5, "arguments": "{}"}), "/tool_calls/0/function/name"),
    (a_call(function={"name": "f"}), "/tool_calls/0/function/arguments"),
    (a_call(function={"name": "f", "arguments": {}}), "/tool_calls/0/function/arguments"),
    (a_call(function={"name": "f", "arguments": None}), "/tool_calls/0/function/arguments"),
    (calls("a", "b", "a"), "/tool_calls/2/id"),
]


@pytest.mark.case(14)
@pytest.mark.case(15)
@pytest.mark.parametrize(("message", "where"), BAD_MESSAGES)
def test_a_message_that_is_not_valid_keeps_its_whole_batch_out(message: Any, where: str) -> None:
    api = operator()
    api.create(user(), session_id="s")
    before = all_tables()
    for answer in (api.append("s", says("good"), message), api.post("sessions/", {"messages": [user(), message]})):
        assert refused(answer, before)[0] == f"/messages/1{where}"


def test_each_fault_is_told() -> None:
    api = operator()
    api.create(user(), session_id="s")
    answer = api.append("s", {"role": "x"}, user(), {"role": "user", "content": 5}, {"role": "tool", "content": "x"})
    assert answer.pointers == ["/messages/0/role", "/messages/2/content", "/messages/3/tool_call_id"]
