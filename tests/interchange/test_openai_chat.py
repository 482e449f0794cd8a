"""OpenAI chat: what the API takes is what the engine keeps."""

import pytest

from sessions_app.interchange.formats.openai_chat import OpenAIChat
from tests import builders as b
from tests.interchange import hostile, samples
from tests.interchange.samples import Read, document, lines, real, real_files

FORMAT = OpenAIChat()
TALK = [b.system(), b.user(), b.calls("c1"), b.reply("c1"), b.says()]


@pytest.mark.parametrize("source", [document(TALK), document({"messages": TALK}), lines(*TALK)])
def test_a_conversation_is_read_from_a_list_an_object_or_lines(source):
    assert Read(FORMAT, source).messages() == TALK


def test_a_function_call_becomes_a_call_and_its_reply_is_matched_by_name():
    calls = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    read = Read(FORMAT, document([b.user(), calls, {"role": "function", "name": "f", "content": "42"}]))

    _, asked, answered = read.messages()
    assert asked["tool_calls"] == [{"id": "", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    assert answered == {"role": "tool", "tool_call_id": "", "name": "f", "content": "42"}


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c1", "function": {"name": "run", "arguments": {"path": "a"}}},
        {"id": "c1", "type": "function", "name": "run", "arguments": '{"path":"a"}'},
        {"id": "c1", "type": "tool_call", "name": "run", "args": {"path": "a"}},
    ],
)
def test_arguments_that_are_no_text_or_stand_in_the_call_itself_become_those_of_its_function(call):
    read = Read(FORMAT, document([b.user(), {"role": "assistant", "content": "", "tool_calls": [call]}]))
    assert read.messages()[1]["tool_calls"] == [b.call("c1", "run", '{"path":"a"}')]


@pytest.mark.parametrize(
    ("content", "text"), [({"ok": True}, '{"ok":true}'), (42, "42"), ([1, 2], "[1,2]"), (None, None), (False, "false")]
)
def test_a_result_that_is_no_text_is_kept_as_json_text(content, text):
    assert Read(FORMAT, document([b.reply("c1", content)])).messages() == [b.reply("c1", text)]


def test_a_reply_without_a_content_is_an_empty_one():
    assert Read(FORMAT, document([{"role": "tool", "tool_call_id": "c1"}])).messages() == [b.reply("c1", "")]


def test_the_response_of_a_litellm_log_is_its_last_message():
    response = {"model": "m", "usage": {"prompt_tokens": 9}, "choices": [{"message": b.says("Hi")}]}
    read = Read(FORMAT, document({"messages": [b.user()], "response": response, "cost": 0.25, "timestamp": 1.5e9}))

    last = read.said()[-1]
    assert last.message == b.says("Hi")
    assert last.metadata == {"model": "m", "usage": {"input_tokens": 9}, "cost": 0.25}
    assert last.at is not None and last.at.year == 2017


def test_the_answer_of_a_request_and_response_in_one_object_is_its_last_message():
    merged = {"model": "m", "messages": [b.user()], "temperature": 0, "usage": {"prompt_tokens": 9}, "id": "r1"}
    read = Read(FORMAT, document({**merged, "choices": [{"message": b.says("Hi"), "finish_reason": "stop"}]}))

    assert read.messages() == [b.user(), b.says("Hi")]
    told = {"model": "m", "usage": {"input_tokens": 9}, "stop_reason": "stop", "response_id": "r1"}
    assert read.said()[1].metadata == {**told, "extra": {"temperature": 0}}


def test_an_answer_that_the_messages_end_with_already_is_not_told_twice():
    read = Read(FORMAT, document({"messages": [b.user(), b.says("Hi")], "choices": [{"message": b.says("Hi")}]}))
    assert read.messages() == [b.user(), b.says("Hi")]


def test_what_stands_around_the_messages_is_kept_with_the_last():
    request = {"model": "m", "messages": [b.user(), b.says()], "tools": [{"type": "function"}], "usage": "none"}
    read = Read(FORMAT, document(request))

    assert read.said()[0].metadata == {}
    assert read.said()[1].metadata == {"model": "m", "extra": {"tools": [{"type": "function"}], "usage": "none"}}


def test_values_of_any_type_around_the_messages_never_raise():
    response = {"model": "m", "usage": {"prompt_tokens": 9}, "choices": [{"message": b.says("Hi")}], "created": 1}
    hostile.take_variants(FORMAT, {"messages": [b.user()], "response": response, "cost": 1, "timestamp": 1.5e9})
    hostile.take_variants(FORMAT, {"messages": [b.user()], **response})


def test_what_is_no_message_is_skipped_and_named():
    assert Read(FORMAT, document([b.user(), "text", {"role": "robot"}])).skipped == [("message", 2)]


@real_files
@pytest.mark.parametrize("name", ["fncall-llm-message.json", "litellm-log-1757015025.972.json"])
def test_real_files(name):
    read = Read(FORMAT, real(f"openai-chat/{name}"))
    assert read.messages()[0]["role"] == "system"
    assert read.skipped == []
    assert samples.texts(read.messages())
