"""Gemini CLI: a chat is a document, or a list of changes to one; a call and its result are one record."""

import json
from typing import Any

import pytest

from sessions_app.interchange.formats.gemini_cli_chat.importer import GeminiCLIChat
from sessions_app.interchange.jsonreading import TORN
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import SUMMARY
from tests.interchange.samples import Read, document, lines, of, real, real_files

FORMAT = GeminiCLIChat()

HEAD = {"sessionId": "s1", "projectHash": "p1", "startTime": "2026-01-01T12:00:00Z"}


def user(id: str, content: Any, **members: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": "2026-01-01T12:00:00Z", "type": "user", "content": content, **members}


def model(id: str, content: Any = "", **members: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": "2026-01-01T12:00:01Z", "type": "gemini", "content": content, **members}


def call(id: str | None, response: Any = None, **members: Any) -> dict[str, Any]:
    result = [{"functionResponse": {"id": id, "name": "read_file", "response": response}}]
    told = {} if response is None else {"result": result}
    return {"id": id, "name": "read_file", "args": {"path": "a"}, "status": "success", **told, **members}


def chat(*messages: Any, **members: Any) -> Read:
    return Read(FORMAT, document({**HEAD, **members, "messages": [*messages]}))


def log(*changes: Any) -> Read:
    return Read(FORMAT, lines(HEAD, *changes))


def texts(read: Read) -> list[str]:
    return ["C" if not hasattr(step, "message") else str(step.message["content"]) for step in read.steps[0]]


# --- a record --------------------------------------------------------------------------------


def test_a_call_and_its_result_become_two_messages() -> None:
    record = model("g1", "I look.", toolCalls=[call("c1", {"output": "text"}, timestamp="2026-01-01T12:00:09Z")])
    file = chat(user("u1", "Read it"), record)
    _, asked, answered = file.messages()
    assert asked == {
        "role": "assistant", "content": "I look.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a"}'}}
        ],
    }  # fmt: skip
    assert answered == {"role": "tool", "tool_call_id": "c1", "name": "read_file", "content": "text"}
    assert [s.records for s in file.said()] == [(1,), (2,), (2,)]
    assert [s.at and s.at.second for s in file.said()] == [0, 1, 9]


def test_several_calls_of_one_record_are_one_message() -> None:
    file = chat(model("g1", "", toolCalls=[call("c1", {"output": "1"}), call("c2", {"output": "2"})]))
    assert [m["role"] for m in file.messages()] == ["assistant", "tool", "tool"]
    assert [c["id"] for c in file.messages()[0]["tool_calls"]] == ["c1", "c2"]


@pytest.mark.parametrize(
    ("response", "status", "content", "is_error"),
    [
        ({"output": "x"}, "success", "x", False),
        ({"error": "x"}, "error", "x", True),
        ({"error": "Cancelled"}, "cancelled", "Cancelled", True),
        ({"output": "x"}, "error", "x", True),
        ({"output": "x", "code": 1}, "success", '{"output":"x","code":1}', False),
        ("plain", "success", "plain", False),
    ],
)
def test_what_the_model_was_told_is_the_reply(response: Any, status: str, content: str, is_error: bool) -> None:
    file = chat(model("g1", toolCalls=[call("c1", response, status=status)]))
    reply = file.messages()[1]
    assert (reply["content"], reply.get("is_error", False)) == (content, is_error)


def test_a_result_may_hold_images_beside_its_text() -> None:
    told = call("c1", {"output": "x"})
    told["result"].append({"inlineData": {"mimeType": "image/png", "data": "AAAA"}})
    reply = chat(model("g1", toolCalls=[told])).messages()[1]
    assert reply["content"] == [
        {"type": "text", "text": "x"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]


def test_a_call_without_a_result_stays_open_and_what_was_shown_counts_as_one() -> None:
    file = chat(model("g1", toolCalls=[call("c1", status="cancelled"), call("c2", resultDisplay="Shown")]))
    assert [m.get("tool_call_id") for m in file.messages()] == [None, "c2"]
    assert file.messages()[1]["content"] == "Shown"
    assert file.said()[0].metadata["extra"]["unanswered"] == [{"id": "c1", "name": "read_file", "status": "cancelled"}]


def test_calls_without_ids_stay_without() -> None:
    calls, reply = chat(model("g1", toolCalls=[call(None, {"output": "x"})])).messages()
    assert (calls["tool_calls"][0]["id"], reply["tool_call_id"], reply["name"]) == ("", "", "read_file")


def test_thoughts_are_the_reasoning_and_tokens_the_usage() -> None:
    thoughts = [{"subject": "Plan", "description": "Read.", "timestamp": "t1"}, {"description": "Then write."}, "odd"]
    tokens = {"input": 9, "output": 2, "cached": 3, "thoughts": 4, "tool": 5, "total": 18}
    file = chat(model("g1", "Yes", thoughts=thoughts, tokens=tokens, model="gemini-x"))
    (said,) = file.said()
    assert said.message["reasoning_content"] == "**Plan**\nRead.\n\nThen write."
    assert said.metadata == {
        "model": "gemini-x",
        "usage": {
            "input_tokens": 9, "output_tokens": 2, "cache_read_input_tokens": 3, "reasoning_tokens": 4,
            "total_tokens": 18,
        },
        "extra": {"id": "g1", "thought_times": ["t1", ""], "tokens": {"tool": 5}},
    }  # fmt: skip


def test_content_may_be_parts_of_googles_api() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    answer = [
        {"text": "Hm.", "thought": True},
        {"text": "Yes"},
        {"functionCall": {"id": "c1", "name": "f", "args": {}}},
    ]
    asked, answered = chat(user("u1", [{"text": "See"}, image, "bare"]), model("g1", answer)).messages()
    assert [part["type"] for part in asked["content"]] == ["text", "image_url", "text"]
    assert (answered["content"], answered["reasoning_content"]) == ("Yes", "Hm.")
    assert answered["tool_calls"][0]["id"] == "c1"


def test_results_that_the_history_repeats_are_not_doubled() -> None:
    repeated = [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x"}}}]
    answer = [{"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}}}]
    file = chat(model("g1", answer, toolCalls=[call("c1", {"output": "x"})]), user("u1", repeated))
    assert [m["role"] for m in file.messages()] == ["assistant", "tool"]
    assert len(file.messages()[0]["tool_calls"]) == 1
    assert file.skipped == [("user", 1)]
    # Without a result beside the call they are the only ones.
    file = chat(model("g1", answer), user("u1", [*repeated, {"text": "Now?"}]))
    assert [m["role"] for m in file.messages()] == ["assistant", "tool", "user"]


def test_what_is_only_shown_or_says_nothing_is_named() -> None:
    kinds = [{"id": t, "type": t, "content": "x"} for t in ("info", "warning", "error", "other")]
    file = chat(user("u1", "Hi"), *kinds, user("u2", ""), model("g2", ""), "odd", model("g1", "Yes"))
    assert texts(file) == ["Hi", "Yes"]
    assert [name for name, _ in file.skipped] == ["info", "warning", "error", "other", "user", "gemini", "message"]


def test_what_else_a_call_holds_is_told_once_for_each_tool() -> None:
    about = {"displayName": "ReadFile", "description": "Reads", "renderOutputAsMarkdown": True}
    shown = {"fileDiff": "+"}
    calls = [call("c1", {"output": "x"}, resultDisplay="x", **about), call("c2", {"output": "x"}, **about)]
    file = chat(model("g1", toolCalls=[*calls, call("c3", {"output": "x"}, resultDisplay=shown, agentId="a", **about)]))
    first, second, third = (said.metadata for said in file.said()[1:])
    assert first["extra"] == {"status": "success", **about}
    assert second["extra"] == {"status": "success"}
    assert third == {"agent": "a", "extra": {"status": "success", "resultDisplay": shown}}


def test_the_session_has_its_own_id_and_its_summary_as_title() -> None:
    for file in (
        chat(user("u1", "Hi"), summary="A greeting"),
        log(user("u1", "Hi"), {"$set": {"summary": "A greeting"}}),
    ):
        (transcript,) = file.transcripts
        assert (transcript.native_id, transcript.title, transcript.labels) == ("s1", "A greeting", ())
    assert chat(user("u1", "Hi"), kind="subagent").transcripts[0].labels == ("sidechain",)


# --- changes ---------------------------------------------------------------------------------


def test_a_message_of_an_id_that_was_there_takes_its_place() -> None:
    file = log(user("u1", "Hi"), model("g1", "Y"), user("u2", "And?"), model("g1", "Yes"))
    assert texts(file) == ["Hi", "Yes", "And?"]
    assert [s.records for s in file.said()] == [(2,), (5,), (4,)]
    assert file.skipped == [("gemini", 1)]


def test_a_step_back_takes_a_message_and_all_after_it() -> None:
    file = log(
        user("u1", "1"), model("g1", "2"), user("u2", "3"), model("g2", "4"), {"$rewindTo": "u2"}, user("u3", "5")
    )
    assert texts(file) == ["1", "2", "5"]
    assert file.skipped == [("user", 1), ("gemini", 1), ("$rewindTo", 1)]


def test_a_step_back_to_an_unknown_message_takes_all() -> None:
    file = log(user("u1", "1"), model("g1", "2"), {"$rewindTo": "gone"}, user("u2", "3"))
    assert texts(file) == ["3"]


def test_a_list_of_all_messages_takes_the_place_of_what_there_was() -> None:
    listed = [user("u1", "1"), model("g1", "masked")]
    file = log(user("u1", "1"), model("g1", "2"), user("u2", "3"), {"$set": {"messages": listed}}, user("u4", "4"))
    assert texts(file) == ["1", "masked", "4"]
    assert [s.records for s in file.said()] == [(5,), (5,), (6,)]
    again = log(user("u1", "1"), {"$set": {"messages": listed}}, {"$set": {"messages": [user("u9", "9")]}})
    assert texts(again) == ["9"]
    assert again.skipped == [("user", 1), ("$set", 1)]


def test_a_history_that_was_put_aside_for_a_summary_is_a_compaction() -> None:
    summary = user("s1", [{"text": "<state_snapshot>So far.</state_snapshot>"}])
    shortened = {"$set": {"messages": [summary, model("ack", "Got it."), user("u2", "3")]}}
    file = log(user("u1", "1"), model("g1", "2"), user("u2", "3"), shortened, model("g3", "4"))
    assert texts(file) == ["1", "2", "3", "Got it.", "C", "4"]
    (compacted,) = file.compacted()
    assert (compacted.records, compacted.keeps) == ((5,), ("ack", "u2"))
    assert compacted.summary == {"role": "user", "content": "<state_snapshot>So far.</state_snapshot>"}
    # Back to before it: the summary goes with what it stood for.
    assert texts(log(user("u1", "1"), shortened, {"$rewindTo": "s1"}, user("u9", "9"))) == ["1", "9"]


def test_a_history_that_was_put_aside_leaves_the_window_in_the_order_of_the_list() -> None:
    listed = [user("s1", "<state_snapshot>"), model("ack", "Got it."), user("u2", "3"), user("u3", "next")]
    file = log(user("u1", "1"), user("u2", "3"), {"$set": {"messages": listed}})
    assert texts(file) == ["1", "3", "Got it.", "C", "next"], "what is new behind all that stayed came afterwards"
    assert file.compacted()[0].order == (SUMMARY, "ack", "u2")


def test_facts_of_the_session_are_no_messages() -> None:
    file = log(
        user("u1", "1"), {"$set": {"lastUpdated": "x"}}, {"$set": 5}, {"silly": 1}, {"$set": {"sessionId": "s2"}}
    )
    assert file.transcripts[0].native_id == "s2"
    assert file.skipped == [("$set", 3), ("line", 1)]


def test_lines_that_cannot_be_read_lose_themselves_only() -> None:
    content = "\n".join(map(json.dumps, [HEAD, user("u1", "1"), user("u2", "2")])) + '\noops\n{"id": "u3", "type": "us'
    file = Read(FORMAT, of(content))
    assert texts(file) == ["1", "2"]
    assert [s.why for s in file.tally.skipped][-1] == TORN


def test_a_chat_that_has_only_begun_is_recognised() -> None:
    assert Read(FORMAT, lines(HEAD)).steps == [[]]
    assert texts(Read(FORMAT, lines(user("u1", "1"), {"$rewindTo": "x"}, user("u2", "2")))) == ["2"]


@pytest.mark.parametrize(
    "source",
    [
        lines({"type": "user", "uuid": "u", "sessionId": "s", "message": {}}, {"type": "user"}),
        document({"messages": [{"role": "user", "content": "Hi"}]}),
        document([HEAD]),
    ],
)
def test_files_of_other_formats_are_not_recognised(source: Any) -> None:
    assert not FORMAT.recognises(sniff(source))


# --- whatever the file holds -----------------------------------------------------------------

MESSAGES = [
    user("u1", [{"text": "Hi"}]),
    model("g1", "Yes", toolCalls=[call("c1", {"output": "x"}, resultDisplay="y")], thoughts=[{"subject": "x"}]),
    {"id": "i", "type": "info", "content": "x"},
]
CHANGES = [
    HEAD,
    *MESSAGES,
    user("u2", "2"),
    {"$rewindTo": "u2"},
    {"$set": {"messages": [user("s", "<state_snapshot>"), *MESSAGES[:1]], "summary": "x"}},
    {"$set": {"messages": [user("s", [])]}},
    user("u3", "3"),
]


def take(content: bytes) -> None:
    source, tally = of(content), Tally()
    look = sniff(source)
    FORMAT.recognises(look)
    for transcript in FORMAT.read(source, look, tally):
        for step in transcript.steps:
            tally.use(step.records)
    assert not tally.unaccounted


def test_a_file_that_breaks_off_anywhere_raises_nothing() -> None:
    for source in (lines(*CHANGES), document({**HEAD, "messages": MESSAGES})):
        data = source.read_at(0, source.size)
        for end in range(0, len(data), 13):
            take(data[:end])
            take(data[:end] + b"\xff\0{" + data[end + 3 :])


@pytest.mark.parametrize("odd", [None, True, 7, -1.5, "x", "", [], ["x"], [[]], [{}], {}, {"type": []}, 10**40])
def test_a_member_of_any_type_raises_nothing(odd: Any) -> None:
    for number, record in enumerate(CHANGES):
        for name in record:
            changed = [*CHANGES[:number], {**record, name: odd}, *CHANGES[number + 1 :]]
            take("\n".join(map(json.dumps, changed)).encode())
    told = MESSAGES[1]["toolCalls"][0]
    for name in told:
        changed = [{**MESSAGES[1], "toolCalls": [{**told, name: odd}]}, MESSAGES[0]]
        take(json.dumps({**HEAD, "messages": changed}).encode())
        take("\n".join(map(json.dumps, [HEAD, *changed])).encode())
    for response in ({"functionResponse": odd}, {"functionResponse": {"response": odd}}, odd):
        take(json.dumps({**HEAD, "messages": [model("g", toolCalls=[{"id": "c", "result": [response]}])]}).encode())


# --- real files ------------------------------------------------------------------------------


@real_files
@pytest.mark.parametrize(
    ("name", "native_id", "messages"),
    [
        ("session-2025-10-27T19-55-981c87cb.json", "981c87cb-90ef-4c7f-948d-23173ff43e4e", 31),
        ("thinking_only.json", "sess-uuid-thinking", 2),
        ("tool_calls.json", "sess-uuid-2", 2),
    ],
)
def test_real_files(name: str, native_id: str, messages: int) -> None:
    file = Read(FORMAT, real(f"gemini-cli-chat/{name}"))
    assert [t.native_id for t in file.transcripts] == [native_id]
    assert (len(file.messages()), file.skipped) == (messages, [])


@real_files
def test_a_real_session() -> None:
    file = Read(FORMAT, real("gemini-cli-chat/session-2025-10-27T19-55-981c87cb.json"))
    roles = "".join(m["role"][0] for m in file.messages())
    assert roles == "uatata" + "uat" + "uat" + "at" * 9 + "a"
    failed = [m["content"] for m in file.messages() if m.get("is_error")]
    assert failed == ["[Operation Cancelled] Reason: User cancelled the operation.", "Path must be absolute: ."]
    first = file.said()[1]
    assert first.message["content"] == ""
    assert first.metadata["usage"] == {
        "input_tokens": 5377, "output_tokens": 21, "total_tokens": 5434, "cache_read_input_tokens": 0,
        "reasoning_tokens": 36,
    }  # fmt: skip
