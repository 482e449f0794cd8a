"""SWE-agent: the history is the session, whichever way its replies are told."""

import json

import pytest

from sessions_app.interchange.formats.swe_agent_traj.importer import SweAgentTraj
from sessions_app.interchange.sniff import sniff
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, of, real, real_files, texts

FORMAT = SweAgentTraj()
STEP = {"action": "ls", "observation": "a.py", "response": "I look.", "thought": "I look.", "state": "{}"}


def traj(*history, **members):
    return {"environment": "main", "trajectory": [STEP], "history": list(history), **members}


def entry(role, content, **members):
    return {"message_type": "observation", "role": role, "content": content, "agent": "main", **members}


SYSTEM = entry("system", "You are careful.", message_type="system_prompt")
TASK = entry("user", "Fix it.")
ASKED = entry("assistant", "I look.", thought="I look.", action="ls", tool_calls=[b.call("c1")], message_type="action")


def test_the_history_is_read_and_the_agent_and_the_kind_kept():
    read = Read(FORMAT, document(traj(SYSTEM, TASK, entry("assistant", "Done."))))

    assert read.messages() == [b.system(), b.user("Fix it."), b.says("Done.")]
    assert read.said()[0].metadata == {"agent": "main", "extra": {"message_type": "system_prompt"}}


def test_the_trajectory_and_the_setup_are_passed_over_and_named():
    assert Read(FORMAT, document(traj(TASK, replay_config="{}"))).skipped == [("trajectory", 1), ("replay_config", 1)]


def test_a_reply_answers_the_first_of_its_call_ids():
    reply = entry("tool", "a.py", tool_call_ids=["c1"])
    read = Read(FORMAT, document(traj(TASK, ASKED, reply, entry("tool", "b", tool_call_ids=["c2", "c3"]))))

    assert read.messages()[1:3] == [b.calls("c1", text="I look."), b.reply("c1", "a.py")]
    assert read.messages()[3]["tool_call_id"] == "c2"
    assert read.said()[3].metadata["extra"]["tool_call_ids"] == ["c2", "c3"]


@pytest.mark.parametrize("ids", [None, [], "c1", 7])
def test_a_reply_without_call_ids_is_matched_later(ids):
    read = Read(FORMAT, document(traj(ASKED, entry("tool", None, tool_call_ids=ids))))
    assert read.messages()[1] == b.reply("", "")


def test_thought_and_action_are_kept_unless_the_content_holds_them():
    as_text = entry("assistant", "I look.\n```\nls\n```", thought="I look.\n", action="ls\n")
    read = Read(FORMAT, document(traj(ASKED, as_text)))

    assert read.said()[0].metadata["extra"] == {"message_type": "action", "action": "ls"}
    assert "action" not in read.said()[1].metadata["extra"]


def test_line_breaks_of_windows_stay_in_the_text():
    assert texts(Read(FORMAT, document(traj(entry("user", "a\r\nb")))).messages()) == ["a\r\nb"]


def test_demonstrations_are_part_of_the_session_but_not_its_title():
    shown = [entry("user", "An example.", is_demo=True), entry("assistant", "Look.", is_demo=True)]
    read = Read(FORMAT, document(traj(SYSTEM, *shown, entry("user", [{"type": "text", "text": "\nFix it.\nNow."}]))))

    assert len(read.messages()) == 4
    assert read.said()[1].metadata["extra"]["is_demo"] is True
    assert read.transcripts[0].title == "Fix it."


def test_without_demonstrations_the_first_request_is_the_title():
    assert Read(FORMAT, document(traj(SYSTEM, TASK))).transcripts[0].title == ""


def test_thinking_blocks_are_reasoning():
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    (message,) = Read(FORMAT, document(traj(entry("assistant", "Yes", thinking_blocks=[signed])))).messages()
    assert message == {**b.says("Yes"), "reasoning_content": "Hm.", "reasoning_details": [signed]}


def test_how_the_run_ended_stands_with_the_last_message():
    info = {"exit_status": "submitted", "model_stats": {"api_calls": 3}}
    said = Read(FORMAT, document({"history": [SYSTEM, TASK], "info": info, "trajectory": []})).said()

    assert said[1].metadata["extra"] == {"message_type": "observation", "info": info}
    assert "info" not in said[0].metadata["extra"]


def test_what_is_no_entry_is_skipped_and_named():
    read = Read(FORMAT, document(traj(TASK, "text", {"role": "robot"}, {"role": ["user"]}, None)))
    assert read.skipped == [("history", 4), ("trajectory", 1)]


def test_an_observation_that_answers_several_open_calls_is_the_reply_to_each():
    asked = {**ASKED, "tool_calls": [b.call("c2"), b.call("c3"), b.call("c4")]}
    read = Read(
        FORMAT, document(traj(TASK, asked, entry("tool", "b", tool_call_ids=["c2", "c3", "c9", None, "c2", "c3"])))
    )

    assert read.messages()[2:] == [b.reply("c2", "b"), b.reply("c3", "b")]
    assert [s.records for s in read.said()[2:]] == [(3,), (3,)]


CUT = json.dumps({"trajectory": [STEP, STEP]})[:-30]


@pytest.mark.parametrize("source", [of(CUT), document({"trajectory": [STEP], "history": []})])
def test_without_a_history_the_steps_are_the_session(source):
    read = Read(FORMAT, source)

    assert read.messages() == [b.says("I look."), b.user("a.py")]
    assert [s.metadata for s in read.said()] == [{"extra": {"action": "ls"}}, {"extra": {"state": "{}"}}]
    assert ("history", 1) in read.skipped


def test_a_file_that_is_cut_off_in_a_step_names_that_step():
    read = Read(FORMAT, of(CUT))
    assert [(s.what, s.first_line) for s in read.tally.skipped] == [("record", 2), ("history", None)]


@pytest.mark.parametrize(
    "given",
    [
        {"query": [SYSTEM, TASK]},
        {"messages": [SYSTEM, TASK, entry("assistant", "I look."), entry("user", "a.py")]},
    ],
)
def test_the_input_of_the_first_step_opens_the_session_and_the_others_are_named(given):
    read = Read(FORMAT, document({"trajectory": [{**STEP, **given}, {**STEP, **given}]}))
    assert read.messages() == [b.system(), b.user("Fix it."), *[b.says("I look."), b.user("a.py")] * 2]
    assert read.skipped == [("query", 1), ("history", 1)]


def test_a_step_without_a_response_is_its_thought_and_its_action():
    step = {"thought": "I look.", "action": "ls", "observation": ""}
    read = Read(FORMAT, document({"trajectory": [step, {**STEP, "response": None}, {}]}))
    assert texts(read.messages()) == ["I look.\n\nls", "I look.\n\nls", "a.py"]
    assert read.skipped == [("step", 1), ("history", 1)]


@pytest.mark.parametrize("value", [{"history": [{"source": "user"}]}, {"trajectory": [{}]}, [b.user()], {"history": 1}])
def test_another_format_is_not_recognised(value):
    assert not FORMAT.recognises(sniff(document(value)))


def test_values_of_any_type_and_files_that_are_cut_off_are_read():
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    reply = entry("tool", [{"type": "text", "text": "a.py"}], tool_call_ids=["c1"])
    whole = traj(entry("user", "An example.", is_demo=True), TASK, {**ASKED, "thinking_blocks": [signed]}, reply)
    hostile.take_variants(FORMAT, {**whole, "info": {"exit_status": "x"}})
    hostile.take_variants(FORMAT, {"trajectory": [{**STEP, "query": [TASK]}, STEP], "info": {"exit_status": "x"}})
    hostile.take_cut(FORMAT, json.dumps(whole).encode(), step=17)


@real_files
def test_a_real_file_with_calls():
    read = Read(FORMAT, real("swe-agent-traj/marshmallow-1867-function-calling.traj"))

    assert b.roles(read.messages()) == "SU" + "AR" * 11
    assert read.messages()[-2]["tool_calls"][0]["id"] == read.messages()[-1]["tool_call_id"] == "call_submit"
    assert (
        read.messages()[7]["content"]
        == "344\n(Open file: /testbed/reproduce.py)\n(Current directory: /testbed)\nbash-$"
    )
    assert read.said()[-1].metadata["extra"]["info"]["exit_status"] == "submitted"
    assert read.skipped == [("trajectory", 1), ("replay_config", 1)]


@real_files
def test_a_real_file_without_calls():
    read = Read(FORMAT, real("swe-agent-traj/marshmallow-1867-thought-action.traj"))

    assert b.roles(read.messages()) == "SU" + "AU" * 13 + "A"
    assert {s.metadata["agent"] for s in read.said()} == {"primary"}
    assert not any(name in s.metadata["extra"] for s in read.said() for name in ("thought", "action"))
    assert read.skipped == [("trajectory", 1)]
