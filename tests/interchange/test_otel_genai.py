"""OpenTelemetry GenAI: spans that each tell the whole conversation again, put together to one."""

import json
from typing import Any

import pytest

from sessions_app.interchange.formats.otel_genai import OTelGenAI
from sessions_app.interchange.sniff import sniff
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, lines, real, real_files, texts

FORMAT = OTelGenAI()


def part(text):
    return {"type": "text", "content": text}


def said(role, *parts):
    return {"role": role, "parts": [part(p) if isinstance(p, str) else p for p in parts]}


def tool_call(call_id, **arguments):
    return {"type": "tool_call", "id": call_id, "name": "run", "arguments": arguments}


def response(call_id, result="ok"):
    return {"type": "tool_call_response", "id": call_id, "response": result}


def chat(*messages, answer=None, span="", at=0, **attributes):
    """A span as an SDK prints it: the messages are JSON text in its attributes."""
    told = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages)}
    if answer:
        told["gen_ai.output.messages"] = json.dumps([answer])
    times = {"start_time": 1000 + at, "end_time": 1001 + at} if at else {}
    names = {name.replace("__", "."): value for name, value in attributes.items()}
    return {"name": "chat", "span_id": span, "trace_id": "t1", **times, "attributes": {**told, **names}}


def tool(call_id, at=0, status=None, **attributes):
    names = {name.replace("__", "."): value for name, value in attributes.items()}
    told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": call_id, "gen_ai.tool.name": "run", **names}
    times = {"start_time": 1000 + at, "end_time": 1002 + at} if at else {}
    return {"name": "execute_tool run", "trace_id": "t1", **times, "status": status, "attributes": told}


def otlp(*spans):
    def value(v):
        if isinstance(v, list):
            return {"arrayValue": {"values": [value(x) for x in v]}}
        return {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}

    told = [
        {
            "traceId": s["trace_id"],
            "spanId": s["span_id"],
            "startTimeUnixNano": str(s.get("start_time", 0) * 10**9),
            "attributes": [{"key": k, "value": value(v)} for k, v in s["attributes"].items()],
        }
        for s in spans
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": told}]}]}


HI, HELLO, MORE = said("user", "Hi"), said("assistant", "Hello!"), said("user", "More")
ASKED, ANSWERED = said("assistant", tool_call("c1", path="a")), said("tool", response("c1"))
FIRST = chat(HI, answer=ASKED, span="s1", at=1)
SECOND = chat(HI, ASKED, ANSWERED, answer=HELLO, span="s2", at=5)
TALK = [
    b.user("Hi"),
    {**b.calls("c1"), "tool_calls": [b.call("c1", "run", '{"path":"a"}')]},
    b.reply("c1"),
    b.says("Hello!"),
]


@pytest.mark.parametrize(
    "source",
    [
        document([FIRST, SECOND]),
        lines(FIRST, SECOND),
        document({"spans": [FIRST, SECOND]}),
        document(otlp(FIRST, SECOND)),
        lines(otlp(FIRST), otlp(SECOND)),
        document(SECOND),
        document(SECOND["attributes"]),
    ],
)
def test_a_conversation_is_read_once_from_every_layout(source):
    assert Read(FORMAT, source).messages() == TALK


def test_messages_may_be_values_or_json_text():
    span = chat()
    span["attributes"] |= {"gen_ai.input.messages": [HI], "gen_ai.output.messages": [HELLO]}
    assert Read(FORMAT, document([span])).messages() == [b.user("Hi"), b.says("Hello!")]


def test_spans_come_in_the_order_of_their_times():
    assert Read(FORMAT, document([SECOND, FIRST])).messages() == TALK


def test_instructions_are_the_system_message():
    instructions = json.dumps([part("Care.")])
    first = chat(HI, answer=HELLO, gen_ai__system_instructions=instructions)
    read = Read(FORMAT, document([first, chat(HI, HELLO, MORE, gen_ai__system_instructions=instructions)]))
    assert texts(read.messages()) == ["Care.", "Hi", "Hello!", "More"]


def test_what_is_known_of_an_answer_stands_beside_it():
    span = chat(
        HI,
        answer=HELLO,
        span="s1",
        at=1,
        gen_ai__request__model="m",
        gen_ai__response__model="m-1",
        gen_ai__response__id="r1",
        gen_ai__response__finish_reasons=["stop"],
        gen_ai__usage__input_tokens="9",
        gen_ai__usage__output_tokens=2,
        gen_ai__agent__name="scout",
        gen_ai__tool__definitions='[{"name": "run"}]',
    )
    asked, answered = Read(FORMAT, document([span])).said()

    assert asked.metadata == {
        "extra": {"request": {"gen_ai.request.model": "m", "gen_ai.tool.definitions": [{"name": "run"}]}}
    }
    assert answered.metadata == {
        "model": "m-1",
        "usage": {"input_tokens": 9, "output_tokens": 2},
        "stop_reason": "stop",
        "response_id": "r1",
        "agent": "scout",
        "duration_ms": 1000,
        "extra": {"span_id": "s1"},
    }
    assert [s.at.second for s in (asked, answered) if s.at] == [41, 42]


def test_parts_of_every_kind():
    image = {"type": "uri", "modality": "image", "uri": "https://example.org/a.png"}
    blob = {"type": "blob", "mime_type": "image/png", "content": "AA=="}
    file = {"type": "file", "modality": "audio", "file_id": "f1"}
    thought = {"type": "reasoning", "content": "Hm.", "signature": "c2ln"}
    server = {"type": "server_tool_call", "id": "x", "name": "search"}
    read = Read(
        FORMAT, document([chat(said("user", "See", image, blob, file), answer=said("assistant", thought, server))])
    )

    seen, answered = read.messages()
    assert seen["content"] == [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        file,
    ]
    assert answered == {
        "role": "assistant",
        "content": [server],
        "reasoning_content": "Hm.",
        "reasoning_details": [thought],
    }


def test_responses_to_calls_are_replies_whoever_brings_them():
    asked = said("assistant", tool_call("c1"), tool_call("c2"))
    read = Read(FORMAT, document([chat(asked, said("user", response("c1"), response("c2", {"x": 1}), "Go on"))]))
    assert read.messages()[1:] == [b.reply("c1"), b.reply("c2", '{"x":1}'), b.user("Go on")]


def test_a_compaction_part_is_a_window():
    summary = {"type": "compaction", "content": "They said hi."}
    read = Read(FORMAT, document([chat(HI, said("assistant", summary, "Hello!"), answer=HELLO)]))

    (window,) = read.compacted()
    assert read.steps[0].index(window) == 1
    assert window.summary == b.user("They said hi.")
    assert texts(read.messages()) == ["Hi", "Hello!", "Hello!"]
    assert Read(FORMAT, document([chat(said("assistant", summary))])).messages() == [b.user("They said hi.")]


@pytest.mark.parametrize("summary", [{"type": "compaction"}, {"type": "compaction", "id": "c1", "content": None}])
def test_a_compaction_part_without_a_content_is_an_opaque_window(summary):
    read = Read(FORMAT, document([chat(HI, answer=said("assistant", summary, "Hello!"))]))

    (window,) = read.compacted()
    assert window.summary is not None and window.summary["content"].startswith("[An opaque summary")
    assert window.params == {"sealed": [summary]}
    assert texts(read.messages()) == ["Hi", "Hello!"]


@pytest.mark.parametrize("summary", [{"type": "compaction", "id": "c1"}, {"type": "compaction", "content": "S"}])
def test_a_call_that_begins_with_a_compaction_goes_on_from_the_answer_that_held_it(summary):
    compacted = said("assistant", summary, "Hello!")
    first, second = chat(HI, answer=compacted, at=1), chat(compacted, said("user", "More"), answer=HELLO, at=5)
    read = Read(FORMAT, document([first, second]))

    assert len(read.transcripts) == 1
    assert texts(read.messages()) == ["Hi", "Hello!", "More", "Hello!"]
    assert len(read.compacted()) == 1


# --- which calls are one conversation --------------------------------------------------------------


def test_a_provider_that_keeps_the_conversation_is_sent_the_replies_only():
    read = Read(FORMAT, document([FIRST, chat(ANSWERED, answer=HELLO, at=5)]))
    assert read.messages() == TALK


@pytest.mark.parametrize("thread", ["r1", "x"])
def test_a_provider_that_keeps_the_conversation_is_sent_what_is_new(thread):
    names = {"gen_ai__conversation__id": "x"} if thread == "x" else {}
    first = chat(HI, answer=HELLO, gen_ai__response__id="r1", **names)
    read = Read(FORMAT, document([first, chat(MORE, answer=HELLO, gen_ai__conversation__id=thread)]))
    assert texts(read.messages()) == ["Hi", "Hello!", "More", "Hello!"]


def test_another_agent_of_the_same_conversation_id_is_a_session_of_its_own():
    one = chat(HI, answer=HELLO, gen_ai__conversation__id="x", gen_ai__agent__name="a")
    two = chat(MORE, answer=HELLO, span="s2", gen_ai__conversation__id="x", gen_ai__agent__name="b")
    read = Read(FORMAT, document([one, two]))

    assert [(t.native_id, t.branch) for t in read.transcripts] == [("x", ""), ("x", "s2")]


def test_calls_at_once_are_sessions_of_their_own():
    read = Read(
        FORMAT, document([chat(HI, answer=HELLO), chat(MORE, answer=HELLO), chat(HI, HELLO, MORE, answer=HELLO)])
    )
    assert [texts(read.messages(n)) for n in (0, 1)] == [["Hi", "Hello!", "More", "Hello!"], ["More", "Hello!"]]


def test_an_answer_that_was_asked_for_again_is_named():
    read = Read(FORMAT, document([chat(HI, answer=said("assistant", "No")), chat(HI, answer=HELLO)]))
    assert texts(read.messages()) == ["Hi", "Hello!"]
    assert read.skipped == [("answer", 1)]


def test_a_span_around_others_that_tell_the_same_is_named():
    outer = chat(HI, answer=HELLO, span="s0", at=9)
    inner = {**chat(HI, answer=HELLO, span="s1", at=1), "parent_span_id": "s0"}
    read = Read(FORMAT, document([outer, inner]))
    assert read.messages() == [b.user("Hi"), b.says("Hello!")]
    assert read.skipped == [("chat", 1)]


def agent_span(**attributes):
    return chat(span="a1", at=20, gen_ai__operation__name="invoke_agent", **attributes)


def test_an_agent_is_named_by_the_span_around_its_calls_which_is_told_by_them():
    agent = agent_span(gen_ai__agent__name="scout")
    read = Read(FORMAT, document([{**FIRST, "parent_span_id": "a1"}, agent]))
    assert read.said()[1].metadata["agent"] == "scout"
    assert read.skipped == [("invoke_agent", 1)]


def test_the_messages_of_a_whole_run_add_what_no_call_was_sent():
    run = agent_span()
    run["attributes"]["pydantic_ai.all_messages"] = json.dumps([HI, ASKED, ANSWERED])
    read = Read(FORMAT, document([FIRST, run]))
    assert read.messages() == TALK[:3]
    assert read.skipped == []


def test_an_agents_own_messages_are_read_where_its_calls_tell_nothing():
    run = agent_span()
    run["attributes"] |= {"gen_ai.input.messages": [HI], "gen_ai.output.messages": [ASKED, ANSWERED, HELLO]}
    silent = {**chat(span="s1"), "attributes": {"gen_ai.operation.name": "chat"}}
    read = Read(FORMAT, document([silent, run]))
    assert read.messages() == TALK
    assert read.skipped == [("chat", 1)]


# --- tools -----------------------------------------------------------------------------------------


def test_a_run_of_a_tool_tells_how_long_it_took_and_whether_it_failed():
    read = Read(FORMAT, document([FIRST, tool("c1", at=3, status={"code": 2}), SECOND]))

    reply = read.said()[2]
    assert reply.message == b.reply("c1", is_error=True)
    assert (reply.records, reply.metadata) == ((3, 2), {"duration_ms": 2000})
    assert len(read.messages()) == 4


def test_a_run_whose_result_was_not_sent_any_more_is_the_reply():
    read = Read(FORMAT, document([FIRST, tool("c1", gen_ai__tool__call__result="ok")]))
    assert read.messages() == TALK[:3]


def test_a_run_that_no_message_tells_of_is_a_call_and_its_reply():
    lone = {**tool("c9")["attributes"], "input": '{"path":"a"}', "output": "ok"}
    read = Read(FORMAT, document(lone))
    called, replied = read.messages()
    assert read.transcripts[0].title == "run"
    assert called["tool_calls"] == [b.call("c9", "run", '{"path":"a"}')]
    assert replied == b.reply("c9")

    read = Read(FORMAT, document([FIRST, tool("c9", gen_ai__tool__call__result="ok")]))
    assert [t.branch for t in read.transcripts] == ["", "tools"]


def test_a_run_without_a_call_id_beside_messages_is_named():
    nameless = tool("")
    del nameless["attributes"]["gen_ai.tool.call.id"]
    assert Read(FORMAT, document([SECOND, nameless])).skipped == [("execute_tool", 1)]


# --- older ways --------------------------------------------------------------------------------------


def test_numbered_attributes_are_messages():
    span = {
        "gen_ai.request.model": "m",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hi",
        "gen_ai.prompt.1.role": "assistant",
        "gen_ai.prompt.1.tool_calls.0.id": "c1",
        "gen_ai.prompt.1.tool_calls.0.name": "run",
        "gen_ai.prompt.1.tool_calls.0.arguments": '{"path":"a"}',
        "gen_ai.prompt.2.role": "tool",
        "gen_ai.prompt.2.tool_call_id": "c1",
        "gen_ai.prompt.2.content": "ok",
        "gen_ai.prompt.10.content": '[{"type": "text", "text": "More"}]',
        "gen_ai.completion.0.content": "Hello!",
        "gen_ai.completion.0.finish_reason": "stop",
    }
    more = {"role": "user", "content": [{"type": "text", "text": "More"}]}
    assert Read(FORMAT, document(span)).messages() == [*TALK[:3], more, TALK[3]]


def test_events_are_messages():
    calls = [b.call("c1", "run", '{"path":"a"}')]
    events: list[dict[str, Any]] = [
        {"name": "gen_ai.user.message", "attributes": {"content": "Hi"}},
        {"name": "gen_ai.assistant.message", "attributes": {"tool_calls": json.dumps(calls)}},
        {"name": "gen_ai.tool.message", "attributes": {"id": "c1", "content": "ok"}},
        {"name": "gen_ai.choice", "attributes": {"index": 0, "message": {"content": "Hello!"}}},
    ]
    span = {"name": "chat m", "attributes": {"gen_ai.request.model": "m"}, "events": events}
    assert Read(FORMAT, document([span])).messages() == TALK

    as_text = [{"event.name": e["name"], **e["attributes"]} for e in events]
    span = {"attributes": {"gen_ai.request.model": "m", "events": json.dumps(as_text)}}
    assert Read(FORMAT, document([span])).messages() == TALK


# --- what else a file may hold -------------------------------------------------------------------------


def test_other_spans_and_records_are_skipped_and_named():
    http = {"name": "GET", "attributes": {"http.method": "GET"}}
    silent = {"attributes": {"gen_ai.operation.name": "chat"}}
    embeddings = {"attributes": {"gen_ai.operation.name": "embeddings"}}
    read = Read(FORMAT, lines(SECOND, http, silent, embeddings, {"resourceSpans": []}))
    assert read.skipped == [("span", 1), ("chat", 1), ("embeddings", 1), ("record", 1)]


@pytest.mark.parametrize(
    "value",
    [[b.user()], {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "GET"}]}]}]}, {"a.b": 1}, [{"attributes": 7}]],
)
def test_another_format_is_not_recognised(value):
    assert not FORMAT.recognises(sniff(document(value)))


def test_values_of_any_type_and_files_that_are_cut_off_are_read():
    values = chat(HI, gen_ai__conversation__id="x", gen_ai__response__finish_reasons=["stop"], at=1, span="s1")
    values["attributes"] |= {
        "gen_ai.input.messages": [HI, said("assistant", {"type": "reasoning", "content": "Hm."}, tool_call("c1"))],
        "gen_ai.output.messages": [said("assistant", {"type": "compaction", "content": "S"}, "x")],
        "gen_ai.system_instructions": [part("S")],
        "gen_ai.usage.input_tokens": "9",
    }
    events: dict[str, Any] = {
        "events": [{"name": "gen_ai.choice", "attributes": {"message": {"content": "x", "tool_calls": []}}}]
    }
    run: dict[str, Any] = {**tool("c1", gen_ai__tool__call__result="ok"), "input": {"a": 1}, "parent_span_id": "s1"}
    older: dict[str, Any] = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hi",
        "gen_ai.request.model": "m",
        **events,
    }
    hostile.take_variants(FORMAT, [values, run], [older], otlp(chat(HI)), SECOND["attributes"])
    hostile.take_variants(FORMAT, [chat(HI), run], as_lines=True)
    for value in ([FIRST, SECOND, run], otlp(FIRST, SECOND), SECOND):
        hostile.take_cut(FORMAT, json.dumps(value).encode(), step=41)


@real_files
def test_a_real_span_of_a_chat():
    read = Read(FORMAT, real("otel-genai/otel_genai_client_span_tool_calls.json"))

    assert b.roles(read.messages()) == "UARA"
    assert read.messages()[2] == {"role": "tool", "tool_call_id": "1234", "content": "rainy, 57°F"}
    assert read.said()[3].metadata["usage"] == {"input_tokens": 97, "output_tokens": 52}
    assert read.skipped == []


@real_files
def test_a_real_span_of_a_tool():
    read = Read(FORMAT, real("otel-genai/otel_genai_tool_execution_span.json"))

    assert b.roles(read.messages()) == "AR"
    assert read.messages()[0]["tool_calls"] == [b.call("1234", "get_weather", '{"city": "New York"}')]
    assert read.messages()[1]["content"].startswith('{"status": "success"')
    assert read.skipped == []
