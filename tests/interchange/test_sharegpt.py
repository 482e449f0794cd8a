"""ShareGPT: many conversations a file, calls and results in text and without ids."""

import json

import pytest

from sessions_app.interchange.call_ids import CallIds
from sessions_app.interchange.formats.sharegpt.importer import ShareGPT
from sessions_app.interchange.sniff import sniff
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, lines, real, real_files, texts

FORMAT = ShareGPT()


def said(speaker, value, **members):
    return {"from": speaker, "value": value, **members}


def talk(*turns, **members):
    return {"conversations": list(turns), **members}


def typed(role, *parts, **members):
    return {"role": role, "content": [{"type": kind, "value": value} for kind, value in parts], **members}


def run(name="run", **arguments):
    return json.dumps({"name": name, "arguments": arguments})


def read_one(*turns, **members):
    return Read(FORMAT, document([talk(*turns, **members)]))


HI = said("human", "Hi")


@pytest.mark.parametrize("source", [document([talk(HI), talk(HI, HI)]), lines(talk(HI), talk(HI, HI))])
def test_each_conversation_of_a_file_is_a_session(source):
    read = Read(FORMAT, source)
    assert [len(steps) for steps in read.steps] == [1, 2]
    assert [s.records for s in read.said(1)] == [(2,), (2,)]


def test_a_file_of_one_conversation_is_one_object():
    assert Read(FORMAT, document(talk(HI))).messages() == [b.user("Hi")]


@pytest.mark.parametrize(
    ("speaker", "role"),
    [
        ("human", "user"),
        ("user", "user"),
        ("gpt", "assistant"),
        ("bing", "assistant"),
        ("GPT", "assistant"),
        ("chatgpt", "assistant"),
        ("bard", "assistant"),
        ("system", "system"),
        ("observation", "tool"),
        ("tool", "tool"),
    ],
)
def test_speakers_have_several_names(speaker, role):
    assert read_one(said(speaker, "x")).messages()[0]["role"] == role


def test_the_system_prompt_may_stand_beside_the_turns():
    assert read_one(HI, system="S").messages() == [b.system("S"), b.user("Hi")]
    assert read_one(HI, system="").messages() == [b.user("Hi")]


def test_what_belongs_to_the_conversation_stands_with_its_first_message():
    read = read_one(HI, said("gpt", "Hello", weight=0), tools="[]", id=7, source="x")

    assert [s.metadata for s in read.said()] == [{"extra": {"tools": "[]", "source": "x"}}, {"extra": {"weight": 0}}]
    assert read.transcripts[0].native_id == "7"


@pytest.mark.parametrize(
    "value",
    [
        run(path="a"),
        f"[{run(path='a')}]",
        {"name": "run", "arguments": {"path": "a"}},
        [{"function": {"name": "run", "arguments": '{"path":"a"}'}}],
        {"name": "run", "parameters": {"path": "a"}},
    ],
)
def test_a_function_call_is_json_or_an_object_or_a_list(value):
    (message,) = read_one(said("function_call", value)).messages()
    assert message == {"role": "assistant", "content": None, "tool_calls": [b.call("", "run", '{"path":"a"}')]}


def test_a_function_call_that_is_no_json_stays_a_call():
    (message,) = read_one(said("function_call", "run(a)")).messages()
    assert message["tool_calls"] == [b.call("", "unknown", "run(a)")]


def test_what_is_thought_before_a_function_call_is_reasoning():
    (message,) = read_one(said("function_call", f"<think>\nHm.\n</think>\n\n{run()}")).messages()
    assert (message["reasoning_content"], message["tool_calls"][0]["function"]["name"]) == ("Hm.", "run")


def test_function_calls_in_a_row_are_of_one_response():
    read = read_one(
        said("function_call", run("a")),
        said("function_call", run("b")),
        said("observation", "1"),
        said("observation", "2"),
    )
    assert [len(m.get("tool_calls", ())) for m in read.messages()] == [2, 0, 0]


def test_an_observation_is_matched_to_the_call_before_it():
    read = read_one(said("function_call", run()), said("observation", "ok"))
    ids = CallIds()
    called, replied = (ids.complete(m) for m in read.messages())
    assert replied == b.reply(called["tool_calls"][0]["id"], "ok")


def test_an_observation_that_lists_the_results_of_several_calls_is_parted():
    calls = said("function_call", f"[{run('a')}, {run('b')}]")
    read = read_one(calls, said("observation", '[{"x": 1}, "two"]'))
    assert texts(read.messages()) == [None, '{"x":1}', "two"]


def test_ids_that_only_the_results_tell_are_those_of_the_calls():
    results = [{"tool_call_id": "c1", "name": "a", "content": "1"}, {"tool_call_id": "c2", "name": "b", "content": "2"}]
    read = read_one(said("function_call", f"[{run('a')}, {run('b')}]"), said("observation", json.dumps(results)))

    called, *replied = read.messages()
    assert [c["id"] for c in called["tool_calls"]] == ["c1", "c2"]
    assert replied == [
        {"role": "tool", "tool_call_id": "c1", "name": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "c2", "name": "b", "content": "2"},
    ]


def test_an_observation_of_several_calls_that_cannot_be_parted_stays_whole():
    read = read_one(said("function_call", f"[{run('a')}, {run('b')}]"), said("observation", "[1, 2, 3]"))
    assert texts(read.messages()) == [None, "[1, 2, 3]"]


def test_a_list_that_one_call_gave_stays_whole():
    assert texts(read_one(said("function_call", run()), said("observation", "[1]")).messages()) == [None, "[1]"]


def test_calls_between_tags_are_calls_where_a_result_follows():
    tagged = said("gpt", f"I look.\n<tool_call>\n{run(path='a')}\n</tool_call>")
    called, replied = read_one(tagged, said("tool", "<tool_response>ok</tool_response>")).messages()

    assert (called["content"], called["tool_calls"]) == ("I look.", [b.call("", "run", '{"path":"a"}')])
    assert replied["content"] == "<tool_response>ok</tool_response>"
    assert "tool_calls" not in read_one(tagged, HI).messages()[0]
    assert "tool_calls" not in read_one(said("gpt", "<tool_call>x</tool_call>"), said("tool", "")).messages()[0]


# --- typed parts ---------------------------------------------------------------------------------


def test_typed_parts_are_text_reasoning_and_calls():
    turns = [
        typed("user", ("text", "Hi")),
        typed("assistant", ("reasoning", "Hm."), ("text", "I look."), ("tool_call", run())),
    ]
    read = Read(FORMAT, lines({"messages": [*turns, typed("tool", ("text", "ok"))]}, {"messages": turns}))

    asked, called, replied = read.messages()
    assert asked == b.user("Hi")
    assert called == {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [b.call("", "run", "{}")],
        "reasoning_content": "Hm.",
    }
    assert replied["content"] == "ok"


def test_parts_of_another_type_stay_and_images_are_images():
    parts = typed("user", ("text", "See"), ("image_url", "https://example.org/a.png"), ("audio", "x"))
    (message,) = Read(FORMAT, document([{"messages": [parts]}])).messages()
    assert message["content"] == [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "audio", "value": "x"},
    ]


# --- what else a file may hold -------------------------------------------------------------------


def test_what_is_no_conversation_or_no_turn_is_skipped_and_named():
    read = Read(FORMAT, lines(talk(HI, said("robot", "x"), "text"), talk(), {"a": 1}, "[]", "{"))
    assert read.messages() == [b.user("Hi")]
    assert read.skipped == [("turn", 2), ("conversation", 1), ("line", 2), ("line", 1)]


def test_a_conversation_without_any_turn_is_still_accounted_for():
    assert Read(FORMAT, document([talk("x"), talk(HI)])).skipped == [("turn", 1)]


@pytest.mark.parametrize(
    "value",
    [
        [b.user()],
        {"messages": [b.user()]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
        {"conversations": 7},
        [{"conversations": [{"from": "x"}]}],
        [1],
    ],
)
def test_another_format_is_not_recognised(value):
    assert not FORMAT.recognises(sniff(document(value)))


def test_values_of_any_type_and_files_that_are_cut_off_are_read():
    results = json.dumps([{"tool_call_id": "c1", "content": "1"}, {"tool_call_id": "c2", "content": "2"}])
    turns = [HI, said("function_call", [{"name": "a", "arguments": {}}, {"function": {"name": "b"}}])]
    tagged = [said("gpt", f"<tool_call>{run()}</tool_call>", weight=1), said("tool", [{"content": "x"}])]
    whole = talk(*turns, said("observation", results), *tagged, system="S", id=7, tools="[]")
    parts = typed("assistant", ("reasoning", "Hm."), ("tool_call", {"name": "a"}), ("image_url", "https://x"))
    hostile.take_variants(FORMAT, [{"messages": [parts]}, talk(HI)], whole)
    hostile.take_variants(FORMAT, [{"messages": [parts]}, talk(HI)], as_lines=True)
    for value in ([whole, whole], whole):
        hostile.take_cut(FORMAT, json.dumps(value).encode(), step=11)


@real_files
def test_a_real_file_of_typed_parts():
    read = Read(FORMAT, real("sharegpt/reason_tool_use_demo_50.jsonl"))

    assert len(read.steps) == 50
    messages = [m for n in range(50) for m in read.messages(n)]
    assert {r: sum(m["role"] == r for m in messages) for r in ("system", "user", "assistant", "tool")} == {
        "system": 50,
        "user": 70,
        "assistant": 112,
        "tool": 48,
    }
    assert b.roles(read.messages(2)) == "SUARRAUARRRA"
    assert read.messages(2)[4]["content"] == "{'area': 28.2743, 'radius': 3, 'unit':'square meters'}"
    assert read.messages(2)[4]["tool_call_id"] == read.messages(2)[2]["tool_calls"][1]["id"]
    assert all(m.get("reasoning_content") for m in messages if m["role"] == "assistant")
    assert read.skipped == []
