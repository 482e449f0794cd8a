"""mini-swe-agent: chat messages, and what the agent knows of each beside them."""

import json

import pytest

from sessions_app.interchange.formats.mini_swe_agent import MiniSweAgent
from sessions_app.interchange.sniff import sniff
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, of, real, real_files, texts

FORMAT = MiniSweAgent()
VERSION = "mini-swe-agent-1.1"


def traj(*messages, **members):
    return {"messages": list(messages), "trajectory_format": VERSION, **members}


def named(value, name="a.traj.json"):
    return of(json.dumps(value), name=name)


def test_the_messages_are_read_and_their_extra_kept_beside_them():
    asked = {**b.says("Let me look."), "extra": {"actions": [{"command": "ls"}], "interrupt_type": "none"}}
    read = Read(FORMAT, document(traj(b.system(), b.user(), asked)))

    assert read.messages() == [b.system(), b.user(), b.says("Let me look.")]
    assert read.said()[2].metadata["extra"] == {"actions": [{"command": "ls"}], "interrupt_type": "none"}


@pytest.mark.parametrize("messages", [[b.system(), b.user()], {"messages": [b.system(), b.user()]}])
def test_a_file_without_a_version_is_known_by_its_name_only(messages):
    assert Read(FORMAT, named(messages)).messages() == [b.system(), b.user()]
    assert not FORMAT.recognises(sniff(named(messages, "a.json")))


def test_a_version_far_behind_the_messages_is_not_needed():
    long = [b.user("x" * 600_000), b.says("y" * 600_000)]
    read = Read(FORMAT, document({"info": {"mini_version": "2.0"}, "messages": long, "trajectory_format": VERSION}))
    assert len(read.messages()) == 2


def test_the_response_a_message_was_made_from_is_told_by_the_metadata():
    response = {
        "id": "r1",
        "model": "m",
        "created": 1,
        "system_fingerprint": "fp",
        "usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 8}},
        "choices": [{"finish_reason": "stop", "message": b.says("Done.")}],
    }
    asked = {**b.says("Done."), "extra": {"response": response, "cost": 0.5, "timestamp": 1.5e9, "actions": []}}
    (said,) = Read(FORMAT, document(traj(asked))).said()

    assert said.metadata == {
        "model": "m",
        "usage": {"input_tokens": 9, "cache_read_input_tokens": 8},
        "cost": 0.5,
        "stop_reason": "stop",
        "response_id": "r1",
        "extra": {"response": {"system_fingerprint": "fp"}},
    }
    assert said.at is not None and said.at.year == 2017


def test_what_the_content_or_the_calls_say_is_not_said_again():
    asked = {**b.says("```\nls\n```"), "extra": {"actions": [{"command": "ls"}]}}
    called = {**b.calls("c1", text=""), "extra": {"actions": [{"command": "ls", "tool_call_id": "c1"}]}}
    answered = {**b.reply("c1", "<output>a.py</output>"), "extra": {"raw_output": "a.py", "returncode": 0}}
    read = Read(FORMAT, document(traj(asked, called, answered)))
    assert [s.metadata for s in read.said()] == [{}, {}, {"extra": {"returncode": 0}}]


def test_a_call_that_was_not_carried_out_has_a_failed_reply():
    answered = {**b.reply("c1", ""), "extra": {"returncode": -1, "exception_info": "action was not executed"}}
    fine = {**b.reply("c2", ""), "extra": {"returncode": 1, "exception_info": ""}}
    read = Read(FORMAT, document(traj(b.calls("c1", "c2"), answered, fine)))

    assert read.messages()[1:] == [b.reply("c1", "", is_error=True), b.reply("c2", "")]


def test_models_that_are_called_by_the_responses_api_write_its_items():
    call = {"type": "function_call", "call_id": "c1", "name": "run", "arguments": "{}"}
    response = {"object": "response", "id": "r1", "model": "m", "output": [call], "extra": {"cost": 0.5}}
    output = {"type": "function_call_output", "call_id": "c1", "output": "ok", "extra": {"returncode": 0}}
    error = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "No calls."}]}
    read = Read(FORMAT, document(traj(b.user(), response, output, error)))

    assert read.messages() == [b.user(), b.calls("c1"), b.reply("c1"), b.user("No calls.")]
    assert read.said()[1].metadata == {"model": "m", "cost": 0.5, "response_id": "r1"}
    assert read.said()[2].metadata == {"extra": {"returncode": 0}}


def test_how_the_run_ended_stands_with_the_last_message():
    exit = {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted", "submission": "diff"}}
    info = {"exit_status": "Submitted", "submission": "diff", "mini_version": "2.0", "model_stats": {"api_calls": 1}}
    read = Read(FORMAT, document(traj(b.user(), b.says(), exit, info=info, instance_id="django-1")))

    last = read.said()[-1]
    assert (last.message, last.records) == (b.says(), (2, 3))
    assert last.metadata["extra"] == {
        "exit": {"exit_status": "Submitted", "submission": "diff"},
        "info": {"mini_version": "2.0", "model_stats": {"api_calls": 1}},
        "instance_id": "django-1",
    }
    assert read.transcripts[0].title == "django-1"


def test_an_empty_last_message_of_the_user_is_a_message():
    ended = {**b.user(""), "extra": {"exit_status": "LimitsExceeded"}}
    assert texts(Read(FORMAT, document(traj(b.user(), ended))).messages())[-1] == ""


def test_what_is_no_message_is_skipped_and_named():
    exit = {"role": "exit", "content": ""}
    assert Read(FORMAT, document(traj(exit, b.user(), "text", {"role": "robot"}, None))).skipped == [("message", 4)]


@pytest.mark.parametrize("value", [{"trajectory_format": VERSION}, {"trajectory_format": "x", "messages": [b.user()]}])
def test_another_format_is_not_recognised(value):
    assert not FORMAT.recognises(sniff(named(value)))


def test_values_of_any_type_and_files_that_are_cut_off_are_read():
    response = {"id": "r1", "usage": {"prompt_tokens": 9}, "choices": [{"finish_reason": "stop"}]}
    extra = {"actions": [{"command": "ls"}], "response": response, "cost": 0.5, "timestamp": 1.5e9}
    ran = {**b.reply("c1", "a.py"), "extra": {"raw_output": "a.py", "exception_info": "x"}}
    exit = {"role": "exit", "content": "x", "extra": {"submission": "x"}}
    item = {"object": "response", "output": [{"type": "function_call", "call_id": "c1", "name": "run"}]}
    whole = traj({**b.calls("c1", text="ls"), "extra": extra}, ran, item, exit, info={"exit_status": "x"})
    hostile.take_variants(FORMAT, {"info": {"mini_version": "2.0"}, **whole})
    hostile.take_cut(FORMAT, json.dumps({"info": {"mini_version": "2.0"}, **whole}).encode(), step=17)


@real_files
def test_a_real_file():
    read = Read(FORMAT, real("mini-swe-agent/github_issue.traj.json"))

    assert b.roles(read.messages()) == "S" + "UA" * 10 + "U"
    assert read.messages()[15]["content"] == "<returncode>0</returncode>\n<output>\n8.2\n</output>"
    assert read.skipped == []
