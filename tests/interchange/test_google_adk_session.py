"""Google ADK: events become messages, compactions and rewinds become versions of the window."""

import json

import pytest

from sessions_app.interchange.formats.google_adk_session.importer import GoogleADKSession
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, lines, real, real_files, texts

FORMAT = GoogleADKSession()


def event(id, author, *parts, role=None, turn="i1", at=100.0, **members):
    content = {"content": {"role": role or ("user" if author == "user" else "model"), "parts": list(parts)}}
    told = {"id": id, "author": author, "invocation_id": turn, "timestamp": at}
    return told | (content if parts else {}) | members


def text(content):
    return {"text": content}


def session(*events, **members):
    return {"id": "s1", "app_name": "app", "user_id": "me", "state": {"k": 1}, "events": list(events)} | members


USER, SAYS = event("e1", "user", text("Go on.")), event("e2", "root", text("Done."), at=101.0)


def test_users_and_agents_speak():
    read = Read(FORMAT, document(session(USER, SAYS)))

    assert read.messages() == [b.user("Go on."), b.says()]
    assert read.transcripts[0].native_id == '["app","me","s1"]'
    assert read.said()[0].metadata["extra"]["session"] == {
        "id": "s1",
        "app_name": "app",
        "user_id": "me",
        "state": {"k": 1},
    }
    assert read.said()[1].metadata == {"agent": "root", "extra": {"id": "e2", "invocation_id": "i1"}}


def test_calls_without_ids_are_answered_by_their_names():
    asks = event("e2", "root", text("I look."), {"function_call": {"name": "f", "args": {"a": 1}}})
    answers = event("e3", "root", {"function_response": {"name": "f", "response": {"b": 2}}}, role="user")
    read = Read(FORMAT, document(session(USER, asks, answers)))

    asked = {"role": "assistant", "content": "I look.", "tool_calls": [b.call("", "f", '{"a":1}')]}
    assert read.messages()[1:] == [asked, b.reply("", '{"b":2}', name="f")]


def test_all_calls_of_an_event_are_one_message_and_all_its_replies_are_messages():
    asks = event("e2", "root", *({"functionCall": {"id": i, "name": "f", "args": {}}} for i in ("c1", "c2")))
    responses = [{"id": "c1", "name": "f", "response": {"result": "one"}}, {"id": "c2", "name": "f", "response": {}}]
    answers = event("e3", "root", *({"functionResponse": r} for r in responses), text("See."), role="user")
    read = Read(FORMAT, document(session(asks, answers)))

    assert [c["id"] for c in read.messages()[0]["tool_calls"]] == ["c1", "c2"]
    assert read.messages()[1:] == [b.reply("c1", "one", name="f"), b.reply("c2", "{}", name="f"), b.user("See.")]


def test_a_response_with_an_error_is_a_failed_reply():
    failed = event("e3", "root", {"function_response": {"id": "c", "name": "f", "response": {"error": "No."}}})
    assert Read(FORMAT, document(session(failed))).messages() == [
        b.reply("c", '{"error":"No."}', name="f", is_error=True)
    ]


def test_camel_case_is_read_like_snake_case():
    told = {
        "id": "e",
        "invocationId": "i1",
        "author": "root",
        "timestamp": 100.0,
        "content": {"role": "model", "parts": [{"text": "Hm.", "thought": True}, text("Done.")]},
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2},
        "finishReason": "STOP",
        "modelVersion": "m",
        "actions": {"stateDelta": {}, "artifactDelta": {}},
    }
    content = {"id": "s1", "appName": "app", "userId": "me", "events": [told], "lastUpdateTime": 1.0}
    read = Read(FORMAT, document(content))

    assert read.messages() == [b.says() | {"reasoning_content": "Hm."}]
    assert read.said()[0].metadata["usage"] == {"input_tokens": 9, "output_tokens": 2}
    assert (read.said()[0].metadata["model"], read.said()[0].metadata["stop_reason"]) == ("m", "STOP")
    assert read.transcripts[0].native_id == '["app","me","s1"]'


def test_signatures_are_kept_with_their_parts():
    call = {"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}, "thoughtSignature": "sig"}
    (asked,) = Read(FORMAT, document(session(event("e", "root", call)))).messages()
    assert asked["reasoning_details"] == [{"function_call": {"id": "c", "name": "f"}, "thought_signature": "sig"}]


def test_images_become_image_parts_and_other_parts_stay():
    parts = [
        {"inlineData": {"mimeType": "image/png", "data": "a-b_"}},
        {"file_data": {"mime_type": "image/png", "file_uri": "https://x"}},
        {"executable_code": {"code": "1+1", "language": "PYTHON"}},
    ]
    (said,) = Read(FORMAT, document(session(event("e", "user", *parts)))).messages()
    assert said["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,a+b/"}},
        {"type": "image_url", "image_url": {"url": "https://x"}},
        {"type": "executable_code", **parts[2]},
    ]


def test_events_that_say_nothing_are_named():
    silent = [
        event("a", "root", actions={"state_delta": {"k": 1}}),
        event("b", "root", text("Do"), partial=True),
        event("c", "root", error_code="E", error_message="No."),
        event("d", "root", text("")),
    ]
    read = Read(FORMAT, document(session(USER, *silent, "odd")))
    whys = [(s.why, s.count) for s in read.tally.skipped]
    assert whys == [
        ("changes a state, and says nothing", 2),
        ("is a piece of an answer that follows as a whole", 1),
        ("tells an error, and is no message", 1),
        ("is no object", 1),
    ]


def test_what_was_said_aloud_is_a_message():
    heard = event("e", "user", input_transcription={"text": "Hello.", "finished": True})
    assert Read(FORMAT, document(session(heard))).messages() == [b.user("Hello.")]


def compaction(id, start, end, summary, at=500.0):
    content = {"role": "model", "parts": [text(summary)]}
    told = {"startTimestamp": start, "endTimestamp": end, "compactedContent": content}
    return event(id, "user", at=at, actions={"compaction": told})


def test_a_compaction_forgets_a_span_of_time():
    read = Read(FORMAT, document(session(USER, SAYS, event("e3", "user", at=102.0), compaction("k", 100, 101, "So."))))

    (compacted,) = read.compacted()
    assert (compacted.forgets, compacted.summary) == ({1, 2}, b.user("So."))
    assert compacted.params == {"start_timestamp": 100, "end_timestamp": 101}


def test_summaries_stay_until_a_later_one_covers_their_span():
    kept = [compaction("k", 100, 100, "One."), compaction("l", 101, 101, "Two."), compaction("m", 100, 101, "Both.")]
    read = Read(FORMAT, document(session(USER, SAYS, *kept)))
    assert texts(c.summary for c in read.compacted() if c.summary) == ["One.", "One.\n\nTwo.", "Both."]


def test_a_compaction_without_a_span_is_named():
    read = Read(FORMAT, document(session(USER, compaction("k", None, 101, "So."))))
    assert ("compaction", 1) in read.skipped


def test_a_rewind_drops_all_from_a_turn_on():
    second = [event("e3", "user", text("No."), turn="i2"), event("e4", "root", text("Oh."), turn="i2")]
    back = event("e5", "user", actions={"rewindBeforeInvocationId": "i2"})
    lost = event("e6", "user", actions={"rewind_before_invocation_id": "gone"})
    read = Read(FORMAT, document(session(USER, SAYS, *second, back, lost)))

    (compacted,) = read.compacted()
    assert (compacted.forgets, compacted.summary) == ({3, 4}, None)
    assert ("rewind", 1) in read.skipped


def test_agents_that_ran_at_the_same_time_are_sessions_of_their_own():
    side = [event("a", "one", text("A."), branch="r.one"), event("b", "two", text("B."), branch="r.two")]
    read = Read(FORMAT, document(session(USER, *side, SAYS, event("c", "one", text("C."), branch="r.one"))))

    assert [texts(read.messages(n)) for n in range(3)] == [["Go on.", "Done."], ["A.", "C."], ["B."]]
    assert [(t.branch, t.labels) for t in read.transcripts[1:]] == [("r.one", ("branch",)), ("r.two", ("branch",))]


def test_old_files_log_the_instruction_and_the_usage_of_each_call():
    def logged(id, instruction):
        return {
            "event_id": id,
            "model_request": {"model": "m", "config": {"system_instruction": instruction}},
            "model_response": {"candidates": [{"finish_reason": "STOP"}], "usage_metadata": {"prompt_token_count": 9}},
        }

    logs = [logged("e2", "Be brief."), logged("e9", "Be brief."), logged("e9", "Be long.")]
    read = Read(FORMAT, document(session(USER, SAYS, event_logs=logs)))

    assert read.messages() == [b.system("Be brief."), b.user("Go on."), b.says()]
    assert read.said()[2].metadata["usage"] == {"input_tokens": 9}
    assert (read.said()[2].metadata["model"], read.said()[2].metadata["stop_reason"]) == ("m", "STOP")
    assert read.skipped == [("system_instruction", 1)]


@pytest.mark.parametrize("source", [document([USER, SAYS]), lines(USER, SAYS)])
def test_events_alone_are_read_too(source):
    assert texts(Read(FORMAT, source).messages()) == ["Go on.", "Done."]


WHOLE = session(
    USER,
    event("e2", "root", {"text": "Hm.", "thought": True}, {"functionCall": {"id": "c", "name": "f", "args": {}}}),
    event("e3", "root", {"functionResponse": {"id": "c", "name": "f", "response": {"result": "x"}}}, role="user"),
    event("e4", "user", {"inlineData": {"mimeType": "image/png", "data": "xx"}}, text("Look."), branch="b"),
    compaction("k", 100, 100.5, "So."),
    event("e5", "user", actions={"rewindBeforeInvocationId": "i1"}),
    event_logs=[{"event_id": "e2", "model_request": {"config": {"system_instruction": "Be."}}, "model_response": {}}],
)


def test_values_of_any_type_never_raise():
    hostile.take_variants(FORMAT, WHOLE)


def test_a_file_that_breaks_off_never_raises():
    hostile.take_cut(FORMAT, json.dumps(WHOLE).encode())


@real_files
def test_the_real_session():
    read = Read(FORMAT, real("google-adk-session/successful_test.session.json"))

    assert [m["role"] for m in read.messages()] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert read.messages()[0]["content"] == "You are an agent. Your name is root_agent.\nCall tools"
    assert read.messages()[5] == b.reply("", "{}", name="update_fc")
    assert [s.metadata["usage"]["total_tokens"] for s in read.said() if "usage" in s.metadata] == [45, 126, 143]
    assert read.transcripts[0].native_id == "ead43200-b575-4241-9248-233b4be4f29a"
    assert read.skipped == []
