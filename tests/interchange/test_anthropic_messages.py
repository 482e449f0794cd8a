"""Anthropic Messages: what stands in one message there is several here, and a compaction block is a window."""

import json

import pytest

from sessions_app.interchange.formats.anthropic_messages.importer import AnthropicMessages
from sessions_app.interchange.sniff import sniff
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.samples import Read, document, lines, real, real_files, texts

FORMAT = AnthropicMessages()


def text(said):
    return {"type": "text", "text": said}


def use(call_id, **given):
    return {"type": "tool_use", "id": call_id, "name": "run", "input": given}


def result(call_id, content="ok", **members):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **members}


def user(*content):
    return {"role": "user", "content": list(content)}


def assistant(*content):
    return {"role": "assistant", "content": list(content)}


def compaction(summary):
    return {"type": "compaction", "content": summary}


def exchange(*messages, response=None, **body):
    answer = {"body": {"type": "message", "role": "assistant", "content": response, "id": "msg_1"}} if response else {}
    return {"request": {"body": {"messages": list(messages), **body}}, "response": answer}


TALK = [
    user(text("Fix it.")),
    assistant(text("I look."), use("t1", path="a")),
    user(result("t1")),
    assistant(text("Done.")),
]
MADE = [
    b.user("Fix it."),
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [b.call("t1", "run", '{"path":"a"}')],
    },
    b.reply("t1"),
    b.says("Done."),
]


@pytest.mark.parametrize(
    "source",
    [
        document(TALK),
        lines(*TALK),
        document({"messages": TALK}),
        document([{"messages": TALK}]),
        lines({"messages": TALK}),
        document([TALK]),
        lines(TALK, TALK[:1]),
        document([exchange(*TALK[:3], response=TALK[3]["content"])]),
        lines(exchange(*TALK[:1], response=TALK[1]["content"]), exchange(*TALK[:3], response=TALK[3]["content"])),
    ],
)
def test_a_conversation_is_read_from_every_layout(source):
    assert Read(FORMAT, source).messages() == MADE


def test_the_system_prompt_comes_first_wherever_it_stands():
    read = Read(
        FORMAT, document({"messages": [user(text("Hi"))], "tools": [{"name": "run"}], "system": [text("Care.")]})
    )

    assert read.messages() == [b.system("Care."), b.user("Hi")]
    assert read.said()[0].metadata == {"extra": {"request": {"tools": [{"name": "run"}]}}}


def test_each_conversation_of_a_file_is_a_session_with_its_own_id():
    one, two = {"id": "one", "system": "S", "messages": TALK}, {"messages": [*TALK, user(text("Thanks"))]}
    read = Read(FORMAT, lines(one, two))

    assert [t.native_id for t in read.transcripts] == ["one", ""]
    assert [len(steps) for steps in read.steps] == [5, 5]
    assert {s.records for s in read.said(1)} == {(2,)}


def test_results_become_replies_and_the_text_beside_them_a_user_message_after_them():
    asked = assistant(use("t1"), use("t2"))
    read = Read(FORMAT, document([asked, user(text("Go on"), result("t1"), result("t2", None, is_error=True))]))

    _, *answered = read.messages()
    assert answered == [b.reply("t1"), b.reply("t2", "", is_error=True), b.user("Go on")]


def test_the_blocks_of_a_result_are_parts():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    read = Read(FORMAT, document([assistant(use("t1")), user(result("t1", [text("See"), picture]))]))

    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    assert read.messages()[1]["content"] == [text("See"), url]


def test_thinking_is_reasoning_and_its_signed_blocks_stay_as_they_are():
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln/+="}
    sealed = {"type": "redacted_thinking", "data": "ZGF0YQ=="}
    unsigned = {"type": "thinking", "thinking": "So."}
    (message,) = Read(FORMAT, document([assistant(signed, sealed, unsigned, text("Yes"))])).messages()

    assert message == {
        "role": "assistant",
        "content": "Yes",
        "reasoning_content": "Hm.\n\nSo.",
        "reasoning_details": [signed, sealed],
    }


def test_what_a_tool_of_the_server_did_stays_in_the_content():
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result"}]}
    paper = {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}}
    read = Read(FORMAT, document([user(paper, text("Read")), assistant(search, found, text("Read it."))]))

    assert texts(read.messages()) == [[paper, text("Read")], [search, found, text("Read it.")]]


def test_marks_of_the_prompt_cache_are_no_part_of_a_message():
    marked = {**text("Hi"), "cache_control": {"type": "ephemeral"}}
    assert Read(FORMAT, document({"system": [marked], "messages": [user(marked)]})).messages() == [
        b.system("Hi"),
        b.user("Hi"),
    ]


def test_calls_of_two_assistant_messages_in_a_row_are_of_one_response():
    read = Read(FORMAT, document([assistant(use("t1")), assistant(use("t2")), user(result("t1"), result("t2"))]))

    asked, *_ = read.messages()
    assert [c["id"] for c in asked["tool_calls"]] == ["t1", "t2"]
    assert read.said()[0].records == (1, 2)


def test_a_response_in_a_list_keeps_what_is_known_of_it():
    usage = {"input_tokens": 9, "output_tokens": 2, "service_tier": "standard"}
    answer = {
        **TALK[1],
        "type": "message",
        "id": "msg_1",
        "model": "m",
        "stop_reason": "tool_use",
        "stop_sequence": None,
    }
    (said,) = Read(FORMAT, document([{**answer, "usage": usage}])).said()

    assert said.metadata == {
        "model": "m",
        "usage": {"input_tokens": 9, "output_tokens": 2},
        "stop_reason": "tool_use",
        "response_id": "msg_1",
        "extra": {"usage": {"service_tier": "standard"}},
    }


# --- compaction blocks ---------------------------------------------------------------------------


def test_a_compaction_block_makes_a_window_of_its_summary_before_the_rest_of_its_message():
    read = Read(FORMAT, document([user(text("Hi")), assistant(compaction("They said hi."), text("Hello!"))]))

    (window,) = read.compacted()
    assert read.steps[0][1] == window
    assert read.messages() == [b.user("Hi"), b.says("Hello!")]
    assert (window.summary, window.keeps) == (b.user("They said hi."), ())


def test_what_stands_before_a_compaction_block_is_a_message_of_its_own():
    read = Read(FORMAT, document([user(text("Hi")), assistant(text("One."), compaction("S"), text("Two."))]))

    assert texts(read.messages()) == ["Hi", "One.", "Two."]
    assert read.steps[0][2] == read.compacted()[0]


def test_a_compaction_that_failed_is_named_and_changes_nothing():
    read = Read(FORMAT, document([user(text("Hi")), assistant(compaction(None), text("Hello!"))]))

    assert texts(read.messages()) == ["Hi", "Hello!"]
    assert read.skipped == [("compaction", 1)]


def test_a_summary_whose_messages_the_file_lacks_is_a_message():
    read = Read(FORMAT, document([assistant(compaction("They said hi."), text("Hello!")), user(text("Go on"))]))

    assert read.compacted() == []
    assert read.messages()[0] == b.user("They said hi.")


def test_a_compaction_in_a_response_counts_though_no_applied_edits_are_told():
    response = {
        "role": "assistant",
        "content": [compaction("They said hi."), text("Hello!")],
        "context_management": {"applied_edits": []},
        "usage": {"input_tokens": 5, "iterations": [{"type": "compaction", "input_tokens": 70}, {"type": "message"}]},
    }
    sent = {"request": {"body": {"messages": [user(text("Hi"))], "system": "S"}}, "response": {"body": response}}
    (window,) = Read(FORMAT, document([sent])).compacted()

    assert window.summary == b.user("They said hi.")
    assert window.usage == {"input_tokens": 70}


# --- recorded exchanges --------------------------------------------------------------------------

HI = user(text("Hi"))
HELLO = [text("Hello!")]


def test_requests_that_begin_with_the_one_before_are_one_conversation():
    again = user({**text("Hi"), "cache_control": {"type": "ephemeral"}})
    more = user(text("More"))
    read = Read(
        FORMAT,
        document(
            [
                exchange(HI, response=HELLO, system="S"),
                exchange(again, assistant(*HELLO), more, response=[text("No more.")], system="S", max_tokens=9),
            ]
        ),
    )

    assert texts(read.messages()) == ["S", "Hi", "Hello!", "More", "No more."]
    assert [s.records for s in read.said()] == [(1,), (1,), (1,), (2,), (2,)]
    assert read.said()[2].metadata == {"response_id": "msg_1"}
    assert read.said()[3].metadata == {"extra": {"request": {"max_tokens": 9}}}


def test_thinking_that_a_client_did_not_send_back_is_kept_from_the_response():
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    first = exchange(HI, response=[signed, *HELLO])
    second = exchange(HI, assistant(*HELLO), HI, response=HELLO)
    third = exchange(HI, assistant(signed, *HELLO), HI, assistant(*HELLO), HI, response=HELLO)
    read = Read(FORMAT, document([first, second, third]))

    assert len(read.steps) == 1
    assert len(read.messages()) == 6
    assert read.messages()[1]["reasoning_details"] == [signed]


def test_conversations_that_take_turns_are_parted():
    ho, more = user(text("Ho")), user(text("More"))
    read = Read(
        FORMAT,
        document(
            [
                exchange(HI, response=HELLO, system="S"),
                exchange(ho, response=[text("Ho ho!")], system="S"),
                exchange(HI, assistant(*HELLO), more, response=[text("No more.")], system="S"),
            ]
        ),
    )

    assert [texts(read.messages(n)) for n in (0, 1)] == [
        ["S", "Hi", "Hello!", "More", "No more."],
        ["S", "Ho", "Ho ho!"],
    ]


def test_a_request_that_is_tried_again_is_said_once():
    failed = exchange(HI, system="S")
    failed["response"] = {"status": {"code": 529}, "body": {"type": "error", "error": {"type": "overloaded_error"}}}
    read = Read(
        FORMAT,
        document([failed, exchange(HI, response=[text("One")], system="S"), exchange(HI, response=HELLO, system="S")]),
    )

    assert texts(read.messages()) == ["S", "Hi", "Hello!"]
    assert read.skipped == [("response", 1), ("response", 1)]


def test_a_request_that_leaves_out_what_a_summary_stands_for_goes_on_with_the_conversation():
    answer = [compaction("They said hi."), *HELLO]
    go, on = user(text("Go")), user(text("On"))
    read = Read(
        FORMAT,
        document(
            [
                exchange(HI, response=answer),
                exchange(HI, assistant(*answer), go, response=[text("1")]),
                exchange(assistant(*answer), go, assistant(text("1")), on, response=[text("2")]),
            ]
        ),
    )

    assert len(read.steps) == 1
    assert texts(read.messages()) == ["Hi", "Hello!", "Go", "1", "On", "2"]
    assert len(read.compacted()) == 1


def test_the_same_question_under_another_system_prompt_is_a_session_of_its_own():
    title = exchange(HI, response=[text("A greeting")], system="Name it.")
    read = Read(FORMAT, document([title, exchange(HI, response=HELLO, system="Help.")]))
    assert [texts(read.messages(n)) for n in (0, 1)] == [["Name it.", "Hi", "A greeting"], ["Help.", "Hi", "Hello!"]]


def test_a_system_prompt_that_changes_later_is_named():
    first = exchange(HI, response=HELLO, system="It is nine.")
    read = Read(FORMAT, document([first, exchange(HI, assistant(*HELLO), HI, response=HELLO, system="It is ten.")]))
    assert texts(read.messages()) == ["It is nine.", "Hi", "Hello!", "Hi", "Hello!"]
    assert read.skipped == [("system", 1)]


def test_what_goes_on_from_an_earlier_place_is_a_branch_and_a_session_of_its_own():
    one, two = user(text("One")), user(text("Two"))
    sent = [exchange(HI, response=HELLO), *(exchange(HI, assistant(*HELLO), m, response=HELLO) for m in (one, two))]
    read = Read(FORMAT, document([{**e, "request": {"body": {**e["request"]["body"], "system": "S"}}} for e in sent]))
    assert [texts(read.messages(n))[3] for n in (0, 1)] == ["One", "Two"]


def test_an_exchange_with_another_api_is_named():
    other = {"request": {"body": {"input": "Hi"}}, "response": {"body": {}}}
    read = Read(FORMAT, document([other, exchange(HI, response=HELLO, system="S")]))
    assert read.skipped == [("exchange", 1)]


# --- what else a file may hold -------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        [b.user(), b.says()],
        [b.user(), b.calls("c1"), b.reply("c1")],
        {"messages": [b.system(), b.user()]},
        {"conversations": [{"from": "human", "value": "Hi"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "value": "Hi"}]}], "system": "S"},
        [{"request": {"body": {"input": []}}}],
        [1, None, "x"],
    ],
)
def test_another_format_is_not_recognised(value):
    assert not FORMAT.recognises(sniff(document(value)))


def test_what_is_no_message_is_skipped_and_named():
    assert Read(FORMAT, document([*TALK, {"role": "robot"}, None, 7])).skipped == [("message", 3)]


def test_values_of_any_type_and_files_that_are_cut_off_are_read():
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    answer = assistant(signed, {**compaction("S"), "signature": "x"}, text("I look."), use("t1", path="a"))
    asked = user(result("t1", [text("ok"), picture], is_error=True), text("Go on"))
    known = {"id": "msg_1", "model": "m", "usage": {"input_tokens": 9, "iterations": [{"type": "compaction"}]}}
    sent = exchange(HI, response=[compaction("S"), *HELLO], system=[text("S")], max_tokens=9)
    hostile.take_variants(FORMAT, [{**answer, **known}, asked], {"messages": [HI], "system": [text("S")]})
    hostile.take_variants(FORMAT, [sent, exchange(assistant(compaction("S"), *HELLO), HI, system="S")])
    hostile.take_variants(FORMAT, TALK[1:3], as_lines=True)
    for value in ([sent, sent], TALK, {"messages": TALK, "system": "S"}):
        hostile.take_cut(FORMAT, json.dumps(value).encode(), step=41)


@real_files
def test_a_real_compaction_round_trip():
    read = Read(FORMAT, real("anthropic-messages/compaction_round_trip.json"))

    assert b.roles(read.messages()) == "SUAUA"
    (window,) = read.compacted()
    assert read.steps[0].index(window) == 2
    assert window.summary == b.user("Summary: user said hello.")
    assert read.skipped == []


@real_files
def test_real_redacted_thinking():
    read = Read(FORMAT, real("anthropic-messages/redacted_thinking.json"))

    assert b.roles(read.messages()) == "UAUA"
    sizes = [len(m["reasoning_details"][0]["data"]) for m in read.messages() if m["role"] == "assistant"]
    assert sizes == [1020, 976]
    assert read.skipped == []


@real_files
def test_a_real_run_of_tools():
    read = Read(FORMAT, real("anthropic-messages/tool_run.json"))

    assert b.roles(read.messages()) == "SUARARA"
    assert [m["content"] for m in read.messages() if m["role"] == "tool"] == ["Japan", "Tokyo"]
    assert [s.metadata["usage"]["output_tokens"] for s in read.said() if s.message["role"] == "assistant"] == [
        50,
        53,
        6,
    ]
    assert read.skipped == []
