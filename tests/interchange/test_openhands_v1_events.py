"""The OpenHands SDK: events of one answer are one message, condensations become versions."""

import json

import pytest

from sessions_app.interchange.formats.openhands_v1_events.importer import OpenHandsV1Events
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, lines, real, real_files, texts

FORMAT = OpenHandsV1Events()


def text(content):
    return {"type": "text", "text": content, "cache_prompt": False}


def event(kind, id, source="environment", **members):
    return {"kind": kind, "id": id, "source": source, "timestamp": "2026-06-16T05:39:18", **members}


def said(id, role="user", content="Go on.", **members):
    message = {"role": role, "content": [text(content)], "thinking_blocks": []}
    return event("MessageEvent", id, "user" if role == "user" else "agent", llm_message=message, **members)


def acts(id, call_id, response="r1", thought="I look.", **members):
    call = {"id": call_id, "name": "bash", "arguments": '{"command": "ls", "summary": "s"}', "origin": "completion"}
    told = {
        "thought": [text(thought)] if thought else [],
        "action": {"kind": "BashAction", "command": "ls", "timeout": None},
        "tool_name": "bash",
        "tool_call_id": call_id,
        "tool_call": call,
        "llm_response_id": response,
    }
    return event("ActionEvent", id, "agent", **told | members)


def seen(id, call_id, content="a.py", is_error=False, **members):
    observation = {"content": [text(content)], "is_error": is_error, "kind": "BashObservation"}
    told = {"observation": observation, "tool_name": "bash", "tool_call_id": call_id, "action_id": "a"}
    return event("ObservationEvent", id, **told | members)


def test_a_conversation_with_a_system_prompt_a_call_and_its_reply():
    prompt = {"system_prompt": text("You are careful."), "dynamic_context": text("Today."), "tools": [{"name": "bash"}]}
    system = event("SystemPromptEvent", "s", "agent", **prompt)
    read = Read(FORMAT, lines(system, said("u"), acts("a", "c1"), seen("o", "c1"), said("m", "assistant", "Done.")))

    assert read.messages() == [
        {"role": "system", "content": [b_text("You are careful."), b_text("Today.")]},
        b.user("Go on."),
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [b.call("c1", "bash", '{"command": "ls", "summary": "s"}')],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "bash", "content": "a.py"},
        b.says(),
    ]
    assert read.said()[0].metadata["extra"]["tools"] == [{"name": "bash"}]
    assert read.said()[2].metadata == {
        "response_id": "r1",
        "extra": {
            "id": "a",
            "kind": "ActionEvent",
            "action": {"kind": "BashAction"},
            "tool_call": {"origin": "completion"},
        },
    }
    assert read.said()[2].at is not None


def b_text(content):
    return {"type": "text", "text": content}


def test_the_actions_of_one_answer_are_one_message():
    first, second = acts("a1", "c1"), acts("a2", "c2", thought="")
    read = Read(FORMAT, lines(said("u"), first, second, seen("o1", "c1"), seen("o2", "c2")))

    asked = read.said()[1]
    assert [c["id"] for c in asked.message["tool_calls"]] == ["c1", "c2"]
    assert (asked.message["content"], asked.records, asked.keys) == ("I look.", (2, 3), ("a1", "a2"))
    assert [e["id"] for e in asked.metadata["extra"]["events"]] == ["a1", "a2"]


def test_a_call_that_fails_at_once_does_not_part_its_answer():
    failed = event("AgentErrorEvent", "e", "agent", error="No such tool.", tool_name="bash", tool_call_id="c1")
    read = Read(FORMAT, lines(acts("a1", "c1", action=None), failed, acts("a2", "c2"), seen("o", "c2"), said("u")))

    assert [m["role"] for m in read.messages()] == ["assistant", "tool", "tool", "user"]
    assert read.messages()[1] == b.reply("c1", "No such tool.", name="bash", is_error=True)


def test_actions_of_different_answers_are_different_messages():
    read = Read(FORMAT, lines(acts("a1", "c1", "r1"), acts("a2", "c2", "r2")))
    assert [len(m["tool_calls"]) for m in read.messages()] == [1, 1]


def test_a_rejected_action_is_a_failed_reply():
    told = {"rejection_reason": "Too dangerous.", "rejection_source": "user", "tool_call_id": "c1"}
    read = Read(FORMAT, lines(acts("a", "c1"), event("UserRejectObservation", "o", tool_name="bash", **told)))

    assert read.messages()[1] == b.reply("c1", "Action rejected: Too dangerous.", name="bash", is_error=True)
    assert read.said()[1].metadata["extra"]["rejection_source"] == "user"


def test_what_the_context_adds_is_part_of_the_message():
    extended = [text("Rule 7.")]
    read = Read(FORMAT, lines(said("u", extended_content=extended), seen("o", "c1", extended_content=extended)))
    assert texts(read.messages()) == [[b_text("Go on."), b_text("Rule 7.")], [b_text("a.py"), b_text("Rule 7.")]]


def test_images_become_image_parts():
    message = {"role": "user", "content": [text("Look."), {"type": "image", "image_urls": ["data:a", "https://b"]}]}
    read = Read(FORMAT, lines(said("u") | {"llm_message": message}))
    assert [p["type"] for p in read.messages()[0]["content"]] == ["text", "image_url", "image_url"]


def test_thinking_is_readable_and_its_sealed_blocks_are_kept():
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "redacted_thinking", "data": "x"}]
    item = {"id": "rs", "summary": ["So."], "encrypted_content": "e"}
    read = Read(
        FORMAT, lines(acts("a", "c1", thinking_blocks=blocks), acts("b", "c2", "r2", responses_reasoning_item=item))
    )

    first, second = read.messages()
    assert (first["reasoning_content"], first["reasoning_details"]) == ("Hm.", blocks)
    assert (second["reasoning_content"], second["reasoning_details"]) == ("So.", [item])


def test_a_condensation_forgets_its_events_and_its_summary_is_no_message():
    forgotten = event("Condensation", "c", forgotten_event_ids=["m", 7, []], summary="So.", summary_offset=1)
    repeated = event("CondensationSummaryEvent", "cs", summary="So.")
    read = Read(FORMAT, lines(said("u"), said("m", "assistant"), forgotten, repeated))

    (compacted,) = read.compacted()
    assert (compacted.forgets, compacted.summary, compacted.params) == ({"m"}, b.user("So."), {"summary_offset": 1})
    assert read.skipped == [("CondensationSummaryEvent", 1)]


def test_a_condensation_without_a_summary_drops_the_events():
    read = Read(FORMAT, lines(said("u"), event("Condensation", "c", forgotten_event_ids=["u"]), said("v")))
    assert read.compacted()[0].summary is None


def test_the_end_of_a_call_of_a_foreign_agent_is_a_call_and_its_reply():
    started = event("ACPToolCallEvent", "x1", "agent", tool_call_id="t", title="Read a.py", status="in_progress")
    ended = started | {"id": "x2", "status": "completed", "raw_input": {"path": "a.py"}, "raw_output": "text"}
    read = Read(FORMAT, lines(said("u"), started, ended))

    asked, answered = read.messages()[1:]
    assert asked["tool_calls"] == [b.call("t", "Read a.py", '{"path":"a.py"}')]
    assert answered == b.reply("t", "text", name="Read a.py")
    assert read.skipped == [("ACPToolCallEvent", 1)]


def test_states_are_named_and_tell_the_model():
    usage = {"usage_to_metrics": {"default": {"model_name": "m"}}}
    state = event("ConversationStateUpdateEvent", "s", key="stats", value=usage)
    read = Read(FORMAT, lines(said("u"), state, acts("a", "c1"), event("PauseEvent", "p"), event("NewEvent", "n")))

    assert read.said()[1].metadata["model"] == "m"
    assert read.skipped == [("ConversationStateUpdateEvent", 1), ("PauseEvent", 1), ("NewEvent", 1)]


def test_the_session_is_known_by_its_conversation_else_by_its_first_event():
    state = event("ConversationStateUpdateEvent", "s", key="full_state", value={"id": "conversation-1"})
    assert Read(FORMAT, lines(said("u"), state)).transcripts[0].native_id == "conversation-1"
    assert Read(FORMAT, lines(said("u"), said("v"))).transcripts[0].native_id == "u"


@pytest.mark.parametrize("source", [document([said("u")]), document({"items": [said("u")]}), document(said("u"))])
def test_a_list_a_page_of_the_api_and_a_single_event_are_read(source):
    assert Read(FORMAT, source).messages() == [b.user("Go on.")]


def test_a_torn_last_line_loses_that_line_only():
    read = Read(FORMAT, lines(said("u"), said("v"), json.dumps(said("w"))[:40]))
    assert len(read.messages()) == 2
    assert read.skipped == [("line", 1)]


WHOLE = [
    event("SystemPromptEvent", "s", "agent", system_prompt=text("You."), dynamic_context=None),
    said("u", extended_content=[text("x")]),
    acts("a1", "c1", thinking_blocks=[{"type": "thinking", "thinking": "Hm.", "signature": "s"}]),
    acts("a2", "c2"),
    seen("o1", "c1"),
    event("AgentErrorEvent", "e", "agent", error="No.", tool_name="bash", tool_call_id="c2"),
    event("Condensation", "c", forgotten_event_ids=["u"], summary="So."),
    event("ACPToolCallEvent", "x", "agent", tool_call_id="t", title="Read", status="completed", raw_output="text"),
]


def test_values_of_any_type_never_raise():
    hostile.take_variants(FORMAT, WHOLE)
    hostile.take_variants(FORMAT, WHOLE, as_lines=True)


def test_a_file_that_breaks_off_never_raises():
    hostile.take_cut(FORMAT, json.dumps(WHOLE).encode())
    hostile.take_cut(FORMAT, "\n".join(json.dumps(e) for e in WHOLE).encode())


@real_files
def test_the_real_file_has_a_reply_whose_call_is_missing():
    read = Read(FORMAT, real("openhands-v1-events/goal-events.jsonl"))

    assert [m["role"] for m in read.messages()] == ["assistant", "tool", "tool", "assistant", "tool"]
    asked = [m["tool_calls"][0]["id"] for m in read.messages() if m["role"] == "assistant"]
    answered = [m["tool_call_id"] for m in read.messages() if m["role"] == "tool"]
    assert answered[0] == asked[0] and answered[2] == asked[1]
    assert answered[1] == "chatcmpl-tool-9051d3d10f914188" and answered[1] not in asked
    assert [m.get("is_error", False) for m in read.messages()[1:3]] == [True, True]
    assert read.said()[0].metadata["model"] == "litellm_proxy/minimax-m2.7"
    assert read.skipped == [("ConversationStateUpdateEvent", 5)]
