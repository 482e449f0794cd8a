"""OpenHands before the SDK: actions and observations become calls and replies, condensations become versions."""

import json

import pytest

from sessions_app.interchange.formats.openhands_events.importer import OpenHandsEvents
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, lines, real, real_files, texts

FORMAT = OpenHandsEvents()


def user(id, content="Go on."):
    return {"id": id, "source": "user", "action": "message", "message": content, "args": {"content": content}}


def says(id, content="Done."):
    return {"id": id, "source": "agent", "action": "message", "message": content, "args": {"content": content}}


def called(name, *ids, answer="r1", **members):
    """What a model answered: a text and calls."""
    calls = [{"id": i, "type": "function", "function": {"name": name, "arguments": '{"a": 1}'}} for i in ids]
    message = {"role": "assistant", "content": "I look.", "tool_calls": calls, **members}
    return {"id": answer, "model": "m", "usage": {"prompt_tokens": 9}, "choices": [{"message": message}]}


def metadata(call_id, response, total=1):
    return {
        "function_name": "bash",
        "tool_call_id": call_id,
        "model_response": response,
        "total_calls_in_response": total,
    }


def run(id, call_id, response, total=1, **members):
    args = {"command": "ls", "thought": "I look.", **members}
    told = metadata(call_id, response, total)
    return {"id": id, "source": "agent", "action": "run", "args": args, "tool_call_metadata": told}


def ran(id, cause, content="a.py", call_id=None, **members):
    told = {"tool_call_metadata": metadata(call_id, {"id": "r1"})} if call_id else {}
    event = {"id": id, "source": "agent", "observation": "run", "cause": cause, "content": content, "extras": {}}
    return event | told | members


def test_a_call_and_its_reply_are_paired_by_the_id_of_the_call():
    read = Read(FORMAT, document([user(0), run(3, "c1", called("bash", "c1")), ran(4, 3, call_id="c1"), says(5)]))

    asked, answered = read.messages()[1:3]
    assert asked == {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"a": 1}'}}],
    }
    assert answered == {"role": "tool", "tool_call_id": "c1", "name": "bash", "content": "a.py"}
    assert read.said()[1].metadata == {
        "model": "m",
        "usage": {"input_tokens": 9},
        "response_id": "r1",
        "extra": {"id": 3, "action": "run", "args": {"command": "ls"}},
    }


def test_several_calls_of_one_answer_are_one_message_though_their_replies_stand_between():
    response = called("bash", "c1", "c2")
    first, second = run(3, "c1", response, 2), run(5, "c2", response, 2)
    read = Read(FORMAT, document([user(0), first, ran(4, 3, call_id="c1"), second, ran(6, 5, call_id="c2"), user(7)]))

    assert [m["role"] for m in read.messages()] == ["user", "assistant", "tool", "tool", "user"]
    asked = read.said()[1]
    assert [c["id"] for c in asked.message["tool_calls"]] == ["c1", "c2"]
    assert (asked.records, asked.keys) == ((2, 4), (3, 5))
    assert [e["id"] for e in asked.metadata["extra"]["events"]] == [3, 5]


def test_an_answer_that_the_file_holds_a_part_of_only_is_told_as_a_whole():
    read = Read(FORMAT, document([run(3, "c1", called("bash", "c1", "c2"), 2), ran(4, 3, call_id="c1"), user(5)]))
    assert [m["role"] for m in read.messages()] == ["assistant", "tool", "user"]
    assert [c["id"] for c in read.messages()[0]["tool_calls"]] == ["c1", "c2"]


def test_a_call_that_returns_after_its_answer_was_told_is_named():
    response = called("bash", "c1", "c2")
    read = Read(FORMAT, document([run(3, "c1", response, 2), user(4), run(5, "c2", response, 2)]))
    assert read.skipped == [("run", 1)]


def test_an_action_without_the_models_call_gets_an_id_from_its_event():
    events = [user(0), {"id": 7, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Hm."}}]
    read = Read(FORMAT, document([*events, ran(9, 7)]))

    assert read.messages()[1:] == [
        {"role": "assistant", "content": "Hm.", "tool_calls": [b.call("event_7", "run", '{"command":"ls"}')]},
        {"role": "tool", "tool_call_id": "event_7", "name": "run", "content": "a.py"},
    ]


def test_without_a_cause_an_observation_answers_the_last_action():
    events = [{"id": 7, "source": "agent", "action": "run", "args": {"command": "ls"}}, ran(8, None)]
    assert Read(FORMAT, document(events)).messages()[1]["tool_call_id"] == "event_7"


def test_a_finish_without_the_models_call_is_a_text():
    finish = {"id": 4, "source": "agent", "action": "finish", "args": {"thought": "Done.", "outputs": {}}}
    assert Read(FORMAT, document([user(0), finish])).messages()[1] == b.says("Done.")


def finish(id, call_id, response, total=1, **args):
    told = metadata(call_id, response, total) | {"function_name": "finish"}
    event = {"id": id, "source": "agent", "action": "finish", "args": {"thought": "I look.", **args}}
    return event | {"message": "All done.", "tool_call_metadata": told}


def test_a_finish_that_the_model_called_wants_no_reply_and_is_a_text_too():
    event = finish(4, "c1", called("finish", "c1"), final_thought="It works.")
    read = Read(FORMAT, document([user(0), event]))

    assert read.messages()[1] == b.says("I look.\n\nIt works.")
    assert [c["id"] for c in read.said()[1].metadata["extra"]["tool_calls"]] == ["c1"]
    assert read.said()[1].metadata["model"] == "m"


def test_other_calls_of_an_answer_that_ends_the_run_stay_calls():
    response = called("bash", "c1", "c2")
    response["choices"][0]["message"]["tool_calls"][1]["function"]["name"] = "finish"
    end = finish(5, "c2", response, 2, final_thought="It works.")
    read = Read(FORMAT, document([user(0), run(3, "c1", response, 2), ran(4, 3, call_id="c1"), end]))

    _, asked, _, ended = read.messages()
    assert [c["id"] for c in asked["tool_calls"]] == ["c1"]
    assert ended == b.says("It works.")


def test_what_acknowledges_the_end_is_named():
    event = finish(4, "c1", called("finish", "c1"))
    read = Read(FORMAT, document([user(0), event, ran(5, 4, "", call_id="c1", observation="null")]))
    assert read.messages()[1:] == [b.says("I look.")]
    assert read.skipped == [("null", 1)]


@pytest.mark.parametrize("kind", ["error", "user_rejected"])
def test_an_error_is_a_failed_reply(kind):
    read = Read(FORMAT, document([run(3, "c1", called("bash", "c1")), ran(4, 3, call_id="c1", observation=kind)]))
    assert read.messages()[1]["is_error"] is True


def test_a_command_that_ends_with_an_exit_code_is_no_failed_reply():
    told = {"metadata": {"exit_code": 1}}
    read = Read(FORMAT, document([run(3, "c1", called("bash", "c1")), ran(4, 3, call_id="c1", extras=told)]))
    assert "is_error" not in read.messages()[1]
    assert read.said()[1].metadata["extra"]["extras"] == told


def test_thinking_is_kept_and_its_signed_blocks_verbatim():
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]
    response = called("bash", "c1", reasoning_content="Hm.", thinking_blocks=blocks)
    message = Read(FORMAT, document([run(3, "c1", response)])).messages()[0]
    assert (message["reasoning_content"], message["reasoning_details"]) == ("Hm.", blocks)


def test_the_texts_of_the_memory_are_a_message_of_the_user():
    knowledge = [{"name": "git", "content": "Use git."}]
    extras = {"recall_type": "workspace_context", "repo_instructions": "Be brief.", "microagent_knowledge": knowledge}
    recall = {"id": 2, "source": "environment", "observation": "recall", "content": "Added", "extras": extras}
    asks = {"id": 1, "source": "user", "action": "recall", "args": {"query": "q"}}
    empty = {"id": 3, "source": "environment", "observation": "recall", "content": "Added", "extras": {"date": "d"}}
    read = Read(FORMAT, document([user(0), asks, recall, empty]))

    assert read.messages()[1] == {"role": "user", "content": "Be brief.\n\nUse git."}
    assert read.said()[1].metadata["extra"]["extras"]["microagent_knowledge"] == [{"name": "git"}]
    assert read.skipped == [("recall", 1), ("recall", 1)]


def test_a_command_of_the_users_and_what_it_showed_are_messages_of_the_user():
    command = {"id": 1, "source": "user", "action": "run", "args": {"command": "ls"}}
    assert Read(FORMAT, document([command, ran(2, 1)])).messages() == [
        b.user("User executed the command:\nls"),
        b.user("a.py"),
    ]


def test_states_and_nothing_are_named():
    state = {"id": 1, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}}
    nothing = {"id": 2, "source": "environment", "observation": "null", "content": "", "extras": {}}
    change = {"id": 3, "source": "user", "action": "change_agent_state", "args": {"agent_state": "running"}}
    read = Read(FORMAT, document([user(0), state, nothing, change, "text", {"id": 9}]))
    named = [("agent_state_changed", 1), ("null", 1), ("change_agent_state", 1), ("event", 1), ("event", 1)]
    assert read.skipped == named


def condensation(id, **args):
    return {"id": id, "source": "agent", "action": "condensation", "args": args}


def test_a_condensation_forgets_the_events_that_it_lists():
    read = Read(FORMAT, document([user(0), says(2), condensation(3, forgotten_event_ids=[2, [], {}], summary="So.")]))

    (compacted,) = read.compacted()
    assert (compacted.forgets, compacted.summary) == ({2}, b.user("So."))


def test_a_condensation_forgets_a_range_of_events_whose_ids_have_gaps():
    args = {"forgotten_events_start_id": 2, "forgotten_events_end_id": 10**18, "summary_offset": 1}
    read = Read(FORMAT, document([user(0), says(2), user(5), condensation(9, **args)]))

    (compacted,) = read.compacted()
    assert compacted.forgets == {2, 5, 9}
    assert (compacted.summary, compacted.params) == (None, {"summary_offset": 1})


def test_a_condensation_that_names_no_events_is_named():
    assert Read(FORMAT, document([user(0), condensation(3, summary="So.")])).skipped == [("condensation", 1)]


def test_an_agent_that_was_delegated_to_is_a_session_of_its_own():
    delegate = {"id": 3, "source": "agent", "action": "delegate", "args": {"agent": "B", "inputs": {"task": "t"}}}
    system = {"id": 4, "source": "agent", "action": "system", "args": {"content": "You are B."}}
    back = {"id": 8, "source": "agent", "observation": "delegate", "cause": 3, "content": "It works.", "extras": {}}
    read = Read(FORMAT, document([user(0), delegate, system, says(6, "Mine."), back, says(9)]))

    assert [m["role"] for m in read.messages(0)] == ["user", "assistant", "tool", "assistant"]
    assert texts(read.messages(1)) == ["You are B.", "Mine."]
    assert (read.transcripts[1].branch, read.transcripts[1].labels) == ("3", ("sidechain",))


def row(instance, history, **members):
    return {"instance_id": instance, "test_result": {}, "history": history, "metadata": {"agent_class": "A"}} | members


def test_each_row_of_an_evaluation_is_a_session_and_its_id_tells_the_run_too():
    source = lines(row("t1", [user(0), says(2)]), row("t2", [user(0)]), row("t1", [user(0)], metadata={}))
    read = Read(FORMAT, source)

    ids = [t.native_id for t in read.transcripts]
    assert ids == ['["t1","A"]', '["t2","A"]', '["t1"]']
    assert [t.title for t in read.transcripts] == ["t1", "t2", "t1"]
    assert read.said(0)[0].metadata["extra"]["row"] == {"instance_id": "t1", "metadata": {"agent_class": "A"}}
    assert [s.records for s in read.said(0)] == [(1,), (1,)]


def test_a_file_of_a_single_row_is_an_evaluation_too():
    read = Read(FORMAT, lines(row("t1", [user(0), says(2)])))
    assert read.transcripts[0].native_id == '["t1","A"]'
    assert texts(read.messages()) == ["Go on.", "Done."]


def test_rows_longer_than_the_look_are_all_read():
    long = "x" * 1_100_000
    assert len(Read(FORMAT, lines(row("t1", [user(0)]), row("t2", [user(0, long)]))).transcripts) == 2
    assert len(Read(FORMAT, lines(row("t1", [user(0, long)]), row("t2", [user(0)]))).transcripts) == 2


def test_a_row_without_a_history_is_named():
    read = Read(FORMAT, lines(row("t1", None, error="crashed"), row("t2", [user(0)])))
    assert read.skipped == [("row", 1)]
    assert len(read.transcripts) == 1


def test_the_pairs_of_the_oldest_evaluations_are_read_in_order():
    action = {"source": "agent", "action": "run", "args": {"command": "ls"}}
    seen = {"source": "agent", "observation": "run", "content": "a.py", "extras": {}}
    source = document(row("t1", [[user(0), {"observation": "null", "source": "user"}], [action, seen]]))
    assert [m["role"] for m in Read(FORMAT, source).messages()] == ["user", "assistant", "tool"]


def test_a_list_in_an_object_and_lines_of_events_are_read_alike():
    events = [user(0), says(2)]
    assert texts(Read(FORMAT, document({"trajectory": events})).messages()) == ["Go on.", "Done."]
    assert texts(Read(FORMAT, lines(*events)).messages()) == ["Go on.", "Done."]


WHOLE = [
    {"id": 0, "source": "agent", "action": "system", "args": {"content": "You are A.", "tools": []}},
    user(1),
    run(3, "c1", called("bash", "c1", "c2", reasoning_content="Hm."), 2),
    ran(4, 3, call_id="c1"),
    {"id": 5, "source": "agent", "action": "edit", "args": {"path": "a"}},
    ran(6, 5, observation="error", extras={"image_urls": ["data:x"]}),
    condensation(7, forgotten_events_start_id=1, forgotten_events_end_id=4, summary="So."),
    finish(8, "c9", called("finish", "c9", answer="r2"), final_thought="It works."),
]


def test_values_of_any_type_never_raise():
    hostile.take_variants(FORMAT, WHOLE, row("t1", WHOLE[2:4]))
    hostile.take_variants(FORMAT, [row("t1", WHOLE[:2]), row("t2", WHOLE[4:])], as_lines=True)


def test_a_file_that_breaks_off_never_raises():
    hostile.take_cut(FORMAT, json.dumps(WHOLE).encode())


@real_files
def test_the_real_file():
    read = Read(FORMAT, real("openhands-events/basic-trajectory.json"))

    assert [m["role"] for m in read.messages()] == ["user", "assistant", "tool", "assistant"]
    assert [s.keys for s in read.said()] == [(0,), (3,), (4,), (5,)]
    call, ending = read.messages()[1]["tool_calls"][0], read.said()[3].metadata["extra"]["tool_calls"][0]
    assert call["id"] == read.messages()[2]["tool_call_id"] == "toolu_017nBp7UfiGqyrA7j77HgtFP"
    assert (ending["function"]["name"], ending["function"]["arguments"]) == ("finish", "{}")
    assert "tool_calls" not in read.messages()[3]
    assert read.said()[1].metadata["usage"]["cache_creation_input_tokens"] == 3482
    assert read.skipped == []
