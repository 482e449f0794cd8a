"""Langfuse: observations in no order, whose messages are in whatever form the framework wrote."""

import json
from typing import Any

import pytest

from sessions_app.interchange.formats.langfuse_trace import LangfuseTrace
from sessions_app.interchange.registry import UnknownFormat, recognise
from sessions_app.interchange.sniff import sniff
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, real, real_files, texts

FORMAT = LangfuseTrace()
CALL = b.call("c1", "run", '{"path":"a"}')
TALK = [b.user("Hi"), {**b.calls("c1"), "tool_calls": [CALL]}, b.reply("c1"), b.says("Hello!")]


def observation(
    kind: str, at: int, *, given: Any = None, said: Any = None, id: str = "", **members: Any
) -> dict[str, Any]:
    """Input, output and metadata are JSON text in most exports."""
    times = {"startTime": f"2026-01-01T00:00:{at:02}.000Z", "endTime": f"2026-01-01T00:00:{at + 1:02}.500Z"}
    values = {
        "input": json.dumps(given),
        "output": json.dumps(said),
        "metadata": json.dumps(members.pop("metadata", {})),
    }
    return {"id": id or f"o{at}", "traceId": "t1", "type": kind, "name": "x", **times, **values, **members}


def generation(at: int, given: Any, said: Any = None, **members: Any) -> dict[str, Any]:
    return observation("GENERATION", at, given=given, said=said, **members)


def trace(*observations: Any) -> Any:
    return document({"trace": {"id": "t1", "projectId": "p"}, "observations": list(observations)})


def test_generations_are_put_in_order_and_read_once():
    first, second = generation(1, TALK[:1], TALK[1]), generation(5, TALK[:3], TALK[3])
    read = Read(FORMAT, trace(second, first))

    assert read.messages() == TALK
    assert [t.native_id for t in read.transcripts] == ["t1"]
    assert [s.records for s in read.said()] == [(2,), (2,), (1,), (1,)]


def test_values_may_be_objects_text_or_text_twice_over():
    plain = {**generation(1, None), "input": TALK[:1], "output": TALK[3], "metadata": {"attributes": {}}}
    twice = {**plain, "input": json.dumps(json.dumps(TALK[:1]))}
    for value in (plain, twice):
        assert Read(FORMAT, trace(value)).messages() == [TALK[0], TALK[3]]


def test_what_is_known_of_a_generation_stands_beside_its_answer():
    members = {"model": "m", "usageDetails": {"input": 9, "output": 2}, "totalCost": 0.5}
    read = Read(FORMAT, trace(generation(1, "Hi", "Hello!", **members)))

    assert read.messages() == [b.user("Hi"), b.says("Hello!")]
    assert read.said()[1].metadata == {
        "model": "m",
        "usage": {"input_tokens": 9, "output_tokens": 2},
        "cost": 0.5,
        "duration_ms": 1500,
        "extra": {"span_id": "o1"},
    }


def test_the_attributes_of_the_conventions_tell_more_than_input_and_output():
    attributes = {"gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]'}
    asked = generation(1, "?", "Hello!", metadata={"attributes": attributes})
    assert Read(FORMAT, trace(asked)).messages() == [b.user("Hi"), b.says("Hello!")]


def test_conversations_of_a_trace_are_sessions_of_their_own():
    read = Read(
        FORMAT, trace(generation(1, [b.user("Hi")], b.says()), generation(2, [b.user("Ho")], b.says(), id="two"))
    )
    assert [(t.native_id, t.branch) for t in read.transcripts] == [("t1", ""), ("t1", "two")]


# --- forms ---------------------------------------------------------------------------------------


HUMAN: dict[str, Any] = {"type": "human", "content": "Hi", "additional_kwargs": {}, "id": None}
AI = {
    "type": "ai",
    "content": "",
    "tool_calls": [{"name": "run", "args": {"path": "a"}, "id": "c1", "type": "tool_call"}],
}
TOOL = {"type": "tool", "content": "ok", "tool_call_id": "c1", "status": "success"}


def serialised(name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": kwargs}


@pytest.mark.parametrize(
    "given",
    [
        TALK[:3],
        {"messages": TALK[:3]},
        [
            {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", "id": "c1", "name": "run", "arguments": '{"path":"a"}'}],
            },
            {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "result": "ok"}]},
        ],
        [HUMAN, AI, TOOL],
        [serialised("HumanMessage", HUMAN), serialised("AIMessage", AI), serialised("ToolMessage", TOOL)],
        [TALK[0], {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [CALL]}}, TALK[2]],
        {
            "model": "claude",
            "messages": [
                {"role": "user", "content": "Hi"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "c1", "name": "run", "input": {"path": "a"}}],
                },
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]},
            ],
        },
        [
            {"role": "user", "content": "Hi"},
            {"type": "function_call", "call_id": "c1", "name": "run", "arguments": '{"path":"a"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        ],
        [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "run", "input": {"path": "a"}}],
            },
            {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"value": "ok"}}]},
        ],
    ],
)
def test_messages_in_the_forms_of_frameworks_and_apis(given):
    asked, called, replied, answered = Read(FORMAT, trace(generation(1, given, "Hello!"))).messages()

    assert (asked["role"], texts([asked])) in (("user", ["Hi"]), ("user", [[{"type": "text", "text": "Hi"}]]))
    assert called["tool_calls"] == [CALL]
    assert (called["content"] or None) is None
    assert {name: replied[name] for name in b.reply("c1")} == b.reply("c1")
    assert answered == b.says("Hello!")


def test_geminis_contents():
    given = {
        "config": {"system_instruction": "Care."},
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"function_call": {"name": "run", "args": {"path": "a"}}}]},
            {"role": "user", "parts": [{"function_response": {"name": "run", "response": {"x": 1}}}]},
        ],
    }
    said = {"content": {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "Hello!"}]}}
    read = Read(FORMAT, trace(generation(1, given, said)))

    assert read.messages() == [
        b.system("Care."),
        b.user("Hi"),
        {"role": "assistant", "content": None, "tool_calls": [b.call("", "run", '{"path":"a"}')]},
        {"role": "tool", "tool_call_id": "", "name": "run", "content": '{"x":1}'},
        {**b.says("Hello!"), "reasoning_content": "Hm."},
    ]


@pytest.mark.parametrize(
    "said",
    [
        b.says("Hello!"),
        [b.says("Hello!")],
        {"role": "assistant", "parts": [{"type": "text", "content": "Hello!"}]},
        {"index": 0, "message": b.says("Hello!"), "event.name": "gen_ai.choice"},
        {"choices": [{"message": b.says("Hello!")}, {"message": b.says("Ho!")}]},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hello!"}, {"type": "thinking"}]},
        {
            "object": "response",
            "output": [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello!"}]}
            ],
        },
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello!"}]}}]},
    ],
)
def test_answers_in_the_forms_of_frameworks_and_apis(said):
    assert Read(FORMAT, trace(generation(1, "Hi", said))).messages()[1] == b.says("Hello!")


def test_calls_of_the_ai_sdk_are_an_answer():
    said = [{"toolCallId": "c1", "toolName": "run", "input": '{"path":"a"}'}]
    assert Read(FORMAT, trace(generation(1, "Hi", said))).messages()[1] == TALK[1]


def test_definitions_of_tools_among_the_messages_are_no_replies():
    tool = {"type": "function", "function": {"name": "run", "parameters": {}}}
    read = Read(FORMAT, trace(generation(1, [b.user("Hi"), {"role": "tool", "content": tool}], "Hello!")))

    assert texts(read.messages()) == ["Hi", "Hello!"]
    assert read.said()[0].metadata == {"extra": {"request": {"tools": [tool]}}}


# --- other observations ----------------------------------------------------------------------------


def test_a_tool_tells_how_long_it_took_and_whether_it_failed():
    attributes = {"gen_ai.tool.call.id": "c1", "gen_ai.tool.name": "run"}
    ran = observation("TOOL", 3, said="ok", level="ERROR", metadata={"attributes": attributes})
    read = Read(FORMAT, trace(generation(1, TALK[:1], TALK[1]), ran, generation(5, TALK[:3], TALK[3])))

    reply = read.said()[2]
    assert (reply.message, reply.records) == (b.reply("c1", is_error=True), (3, 2))
    assert reply.metadata == {"duration_ms": 1500}


def test_a_tool_of_langchain_tells_its_call_in_what_it_gave():
    ran = observation("SPAN", 3, said=TOOL)
    assert Read(FORMAT, trace(generation(1, TALK[:1], TALK[1]), ran)).messages() == TALK[:3]


def test_a_generation_around_another_is_told_by_it():
    outer = generation(1, {"prompt": "Hi"}, "Hello!", id="o0")
    inner = generation(2, TALK[:1], TALK[3], parentObservationId="o0")
    assert Read(FORMAT, trace(outer, inner)).messages() == [TALK[0], TALK[3]]


def test_what_is_no_call_of_a_model_or_holds_no_messages_is_named():
    unknown = generation(4, {"x": 1}, {"y": 2})
    read = Read(
        FORMAT, trace(generation(1, "Hi", "Hello!"), observation("SPAN", 2), unknown, observation("AGENT", 3), 7)
    )
    assert read.skipped == [("SPAN", 1), ("GENERATION", 1), ("AGENT", 1), ("observation", 1)]


@pytest.mark.parametrize(
    "value",
    [{"trace": {}, "observations": [{"x": 1}]}, {"trace": "x"}, {"trace": {}}, {"observations": []}, [b.user()]],
)
def test_another_format_is_not_recognised(value):
    assert not FORMAT.recognises(sniff(document(value)))


def test_a_trace_that_fills_all_that_is_looked_at_is_recognised():
    assert FORMAT.recognises(sniff(document({"trace": {"id": "t", "projectId": "p"}})))


def test_values_of_any_type_and_files_that_are_cut_off_are_read():
    plain = {
        **generation(1, None, model="m"),
        "input": TALK[:3],
        "output": TALK[3],
        "metadata": {"attributes": {"a": 1}},
    }
    contents = {"contents": [{"role": "user", "parts": [{"text": "Hi"}, {"function_call": {"name": "run"}}]}]}
    gemini = {**generation(2, None), "input": contents, "output": {"content": contents["contents"][0]}}
    chain = {
        **generation(3, None),
        "input": [HUMAN, serialised("AIMessage", AI)],
        "output": [{"toolCallId": "c", "toolName": 1}],
    }
    ran = {**observation("TOOL", 4), "output": TOOL, "metadata": {"attributes": {"gen_ai.tool.call.id": "c1"}}}
    for each in ([plain, ran], [gemini], [chain]):
        hostile.take_variants(FORMAT, {"trace": {"projectId": "p"}, "observations": each})
    whole = {"trace": {"projectId": "p"}, "observations": [plain, gemini, chain, ran]}
    hostile.take_cut(FORMAT, json.dumps(whole).encode(), step=41)


@real_files
def test_a_real_trace_of_pydantic_ai():
    read = Read(FORMAT, real("langfuse-trace/pydantic-ai-tools-2025-12-04.trace.json"))

    assert [b.roles(read.messages(n)) for n in (0, 1)] == ["SUARRRAUA", "SUAR"]
    assert [s.records for s in read.said(0)][3:6] == [(3, 12), (3, 9), (3, 10)]
    assert read.messages(1)[-1]["content"] == "Final result processed."
    agents = [{s.metadata.get("agent") for s in read.said(n)} - {None} for n in (0, 1)]
    assert agents == [{"joke_agent"}, {"evaluator_agent"}]
    costs = [s.metadata["cost"] for s in read.said(0) if s.message["role"] == "assistant"]
    assert costs == [0.00008355, 0.00009435, 0.0000837]
    assert read.skipped == [("SPAN", 2), ("SPAN", 2)]


@real_files
def test_a_real_trace_of_langgraph():
    read = Read(FORMAT, real("langfuse-trace/langgraph-python-2025-08-22.trace.json"))

    assert b.roles(read.messages()) == "UUARA"
    assert read.messages()[2]["tool_calls"][0]["function"] == {"arguments": '{"query":"example"}', "name": "Web-Search"}
    assert [s.metadata["usage"]["total_tokens"] for s in read.said() if s.message["role"] == "assistant"] == [75, 159]
    assert read.skipped == [("SPAN", 6)]


@real_files
def test_what_a_tool_expects_to_make_of_a_trace_is_none():
    look = sniff(real("langfuse-trace/pydantic-ai-tools-2025-12-04.chatml.json"))
    with pytest.raises(UnknownFormat):
        recognise(look)
