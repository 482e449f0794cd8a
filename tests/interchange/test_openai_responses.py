"""OpenAI Responses: lists of items, bodies, and recorded exchanges."""

import json
from typing import Any

import pytest

from sessions_app.interchange.formats.openai_responses.importer import OpenAIResponses
from sessions_app.interchange.jsonreading import TORN
from sessions_app.interchange.registry import recognise
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import SUMMARY
from tests import builders as b
from tests.interchange import response_items as r
from tests.interchange.samples import Read, document, lines, of, real, real_files, texts

FORMAT = OpenAIResponses()

ITEMS = [r.user("Look."), r.thinks(), r.calls("c1"), r.output("c1"), r.says("Seen.")]
TALK = [b.user("Look."), b.calls("c1") | {"reasoning_content": "Hm."}, b.reply("c1"), b.says("Seen.")]


def recorded(*exchanges: Any) -> Read:
    return Read(FORMAT, document(list(exchanges)))


@pytest.mark.parametrize(
    "source",
    [document(ITEMS), lines(*ITEMS), document({"input": ITEMS}), document({"output": ITEMS[4:], "input": ITEMS[:4]})],
    ids=["a list", "lines", "a request", "a request with its response"],
)
def test_a_conversation_is_read_from_a_list_lines_or_a_body(source):
    assert Read(FORMAT, source).messages() == TALK


def test_a_torn_last_line_loses_that_line_only():
    read = Read(FORMAT, of("\n".join(json.dumps(i) for i in ITEMS)[:-9]))

    assert read.messages() == TALK[:-1]
    assert [(s.what, s.why, s.first_line) for s in read.tally.skipped] == [("line", TORN, 5)]


def test_the_instructions_of_a_body_are_the_system_message_wherever_they_stand():
    read = Read(FORMAT, document({"input": ITEMS, "instructions": "Be brief.", "model": "m", "tools": []}))

    assert read.messages() == [b.system("Be brief."), *TALK]
    assert read.said()[1].metadata == {"extra": {"request": {"model": "m", "tools": []}}}


def test_an_input_that_is_a_string_is_what_the_user_says():
    read = Read(FORMAT, document({"input": "Look.", "output": [r.says("Seen.")], "model": "m"}))

    assert read.messages() == [b.user("Look."), b.says("Seen.")]
    assert read.said()[1].metadata["model"] == "m"


def test_a_response_tells_of_its_message():
    usage = {"input_tokens": 5, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 1}}
    body = r.response(r.thinks(), r.says("Seen.", id="msg_1"), model="m", usage=usage, created_at=1.5e9, temperature=1)
    read = Read(FORMAT, document(body))

    (said,) = read.said()
    assert said.at is not None and said.at.year == 2017
    assert said.metadata == {
        "model": "m",
        "usage": {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 1},
        "stop_reason": "completed",
        "response_id": "resp_1",
        "extra": {"response": {"temperature": 1}, "items": [{"type": "message", "id": "msg_1"}]},
    }
    assert read.transcripts[0].native_id == "resp_1"


def test_a_response_that_was_cut_short_says_why():
    body = r.response(r.says(), status="incomplete", incomplete_details={"reason": "max_output_tokens"})

    assert Read(FORMAT, document(body)).said()[0].metadata["stop_reason"] == "max_output_tokens"


def test_the_words_kept_by_a_compaction_come_before_its_opaque_summary():
    kept = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}]}
    read = Read(FORMAT, document({"object": "response.compaction", "id": "resp_1", "output": [kept, r.compaction()]}))

    first, second = read.messages()
    assert first == b.user("Look.")
    assert second["role"] == "user" and "1,234 bytes" in second["content"]


def test_requests_that_begin_with_the_one_before_are_one_conversation_that_ends_with_the_last_response():
    first = r.exchange(ITEMS[:1], r.response(*ITEMS[1:3], model="m"), instructions="Be brief.", model="m")
    # Sent back without the reasoning.
    second = r.exchange([ITEMS[0], *ITEMS[2:4]], r.response(ITEMS[4], response_id="resp_2"), instructions="Be brief.")
    read = recorded(first, second)

    assert read.messages() == [b.system("Be brief."), *TALK]
    assert [s.records for s in read.said()] == [(1,), (1,), (1,), (2,), (2,)]
    assert [s.metadata.get("response_id") for s in read.said()] == [None, None, "resp_1", None, "resp_2"]
    assert read.transcripts[0].native_id == "resp_1"
    assert read.skipped == []


def test_a_response_is_known_again_however_it_is_sent_back():
    sent_back = {"role": "assistant", "content": "Four."}
    read = recorded(
        r.exchange([r.user("2+2?")], r.response(r.says("Four."))),
        r.exchange([r.user("2+2?"), sent_back, r.user("3+3?")], r.response(r.says("Six."), response_id="resp_2")),
    )

    assert texts(read.messages()) == ["2+2?", "Four.", "3+3?", "Six."]
    assert read.said()[1].metadata["response_id"] == "resp_1"


def test_what_a_request_asks_for_stands_with_its_first_message_as_far_as_it_changed():
    read = recorded(
        r.exchange([r.user("A")], r.response(r.says("a")), model="m", tools=[1]),
        r.exchange([r.user("A"), r.says("a"), r.user("B")], r.response(r.says("b")), model="m", tools=[2]),
    )

    assert [s.metadata.get("extra", {}).get("request") for s in read.said()] == [
        {"model": "m", "tools": [1]},
        None,
        {"tools": [2]},
        None,
    ]


def test_instructions_that_change_are_told_beside_the_message_they_came_with():
    read = recorded(
        r.exchange([r.user("A")], r.response(r.says("a")), instructions="Be brief."),
        r.exchange([r.user("A"), r.says("a"), r.user("B")], r.response(r.says("b")), instructions="Be long."),
    )

    assert texts(read.messages()) == ["Be brief.", "A", "a", "B", "b"]
    assert read.said()[3].metadata == {"extra": {"request": {"instructions": "Be long."}}}


def test_a_response_that_was_asked_for_again_is_replaced():
    read = recorded(
        r.exchange([r.user("A")], r.response(r.says("first"))),
        r.exchange([r.user("A")], r.response(r.says("second"))),
    )

    assert texts(read.messages()) == ["A", "second"]
    assert read.skipped == [("response", 1)]


def test_an_error_is_named_and_the_conversation_goes_on():
    read = recorded(
        r.exchange([r.user("A")], {"error": {"message": "Too many requests"}}, model="m")
        | {"request": {"uri": "https://api.openai.com/v1/responses", "body": {"input": [r.user("A")]}}},
        r.exchange([r.user("A")], r.response(r.says("a"))),
    )

    assert texts(read.messages()) == ["A", "a"]
    assert [(s.what, s.why) for s in read.tally.skipped] == [("response", "is an error: Too many requests")]


def test_conversations_that_take_turns_are_sessions_of_their_own():
    read = recorded(
        r.exchange([r.user("A")], r.response(r.says("a"))),
        r.exchange([r.user("X")], r.response(r.says("x"))),
        r.exchange([r.user("A"), r.says("a"), r.user("B")], r.response(r.says("b"))),
    )

    assert [texts(read.messages(n)) for n in (0, 1)] == [["A", "a", "B", "b"], ["X", "x"]]


def test_a_branch_is_a_session_of_its_own():
    begun = [r.user("A"), r.says("a")]
    read = recorded(
        r.exchange(begun[:1], r.response(begun[1])),
        r.exchange([*begun, r.user("B")], r.response(r.says("b"))),
        r.exchange([*begun, r.user("C")], r.response(r.says("c"))),
    )

    assert [texts(read.messages(n)) for n in (0, 1)] == [["A", "a", "B", "b"], ["A", "a", "C", "c"]]


@pytest.mark.parametrize("link", ["previous_response_id", "conversation"])
def test_a_request_may_send_only_what_is_new(link):
    links: list[dict[str, Any]] = [{}, {link: "resp_1"}, {link: "resp_2"}]
    if link == "conversation":
        links = [{link: {"id": "conv_1"}}] * 3
    said = [("Go on.", "a"), ("Go on.", "b"), ("Go on.", "c")]
    read = recorded(
        *(
            r.exchange([r.user(asked)], r.response(r.says(told), response_id=f"resp_{n}"), **links[n - 1])
            for n, (asked, told) in enumerate(said, start=1)
        )
    )

    assert texts(read.messages()) == ["Go on.", "a", "Go on.", "b", "Go on.", "c"]
    assert len(read.transcripts) == 1


COMPACT = {"object": "response.compaction", "id": "cmp", "usage": {"input_tokens": 9}, "created_at": 1.5e9}
LONG = [r.user("A"), r.says("a"), r.user("B"), r.says("b")]


def test_a_compaction_leaves_the_window_that_was_sent_after_it():
    window = COMPACT | {"output": [LONG[0], LONG[2], r.compaction()]}
    read = recorded(
        r.exchange(LONG[:3], r.response(LONG[3])),
        r.exchange(LONG, window),
        r.exchange([r.compaction(), r.user("C")], r.response(r.says("c"))),
        r.exchange([r.compaction(), r.user("C"), r.says("c"), r.user("D")], r.response(r.says("d"))),
    )

    assert texts(read.messages()) == ["A", "a", "B", "b", "C", "c", "D", "d"]
    (step,) = read.compacted()
    assert read.steps[0].index(step) == 4
    assert (step.records, step.keeps, step.usage) == ((2,), frozenset(), {"input_tokens": 9})
    assert step.params == {"response_id": "cmp", "sealed": [r.compaction()]}
    assert step.summary is not None and "1,234 bytes" in step.summary["content"]
    assert step.at is not None and step.at.year == 2017


def test_a_compaction_keeps_what_is_sent_with_it():
    window = [LONG[0], LONG[2], r.compaction()]
    read = recorded(
        r.exchange(LONG, COMPACT | {"output": window}),
        r.exchange([*window, r.user("C")], r.response(r.says("c"))),
    )

    said = read.said()
    assert texts(s.message for s in said) == ["A", "a", "B", "b", "C", "c"]
    assert read.compacted()[0].keeps == {said[0].keys[0], said[2].keys[0]}


def test_a_compaction_stands_where_it_is_sent():
    window = [LONG[0], r.compaction(), LONG[2]]
    read = recorded(
        r.exchange(LONG, COMPACT | {"output": window}),
        r.exchange([*window, r.user("C")], r.response(r.says("c"))),
    )

    assert read.compacted()[0].order == (0, SUMMARY, 2)
    assert texts(read.messages()) == ["A", "a", "B", "b", "C", "c"], "what stands behind it is not said again"


def test_a_compaction_at_the_end_leaves_the_window_that_it_gave():
    window = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "B"}]}, r.compaction()]
    read = recorded(r.exchange(LONG, COMPACT | {"output": window}))

    (step,) = read.compacted()
    assert read.steps[0][-1] is step
    assert step.keeps == {2}


def test_the_provider_may_compact_while_it_answers():
    answer = r.response(r.compaction(), r.says("c"), usage={"input_tokens": 3})
    read = recorded(
        r.exchange([*LONG, r.user("C")], answer),
        r.exchange([r.compaction(), r.says("c"), r.user("D")], r.response(r.says("d"))),
    )

    assert texts(read.messages()) == ["A", "a", "B", "b", "C", "c", "D", "d"]
    assert [type(s).__name__ for s in read.steps[0]][5:7] == ["Compacted", "Said"]
    assert [s.metadata.get("usage") for s in read.said()][5] == {"input_tokens": 3}


def test_a_response_that_was_streamed_stands_in_its_last_event():
    whole = {"type": "response.completed", "response": r.response(r.says("a"))}
    stream = f"event: response.created\ndata: {{}}\n\nevent: response.completed\ndata: {json.dumps(whole)}\n\n"

    assert texts(recorded(r.exchange([r.user("A")], stream)).messages()) == ["A", "a"]


def test_exchanges_may_stand_a_line_each_and_bodies_may_be_text():
    exchange = {
        "request": {"body": json.dumps({"input": "A"})},
        "response": {"body": json.dumps(r.response(r.says("a")))},
    }

    assert texts(Read(FORMAT, lines(exchange, exchange)).messages()) == ["A", "a"]
    assert texts(Read(FORMAT, document(exchange)).messages()) == ["A", "a"]


def test_responses_alone_are_conversations_by_their_ids():
    read = Read(
        FORMAT,
        lines(
            r.response(r.says("a")),
            r.response(r.says("x"), response_id="resp_9"),
            r.response(r.says("b"), response_id="resp_2", previous_response_id="resp_1"),
        ),
    )

    assert [texts(read.messages(n)) for n in (0, 1)] == [["a", "b"], ["x"]]


def test_exchanges_with_another_api_are_skipped_and_named():
    other = {"request": {"uri": "https://api.openai.com/v1/files", "body": {"input": 1}}, "response": {"body": {}}}
    read = recorded(other, r.exchange([r.user("A")], r.response(r.says("a"))))

    assert texts(read.messages()) == ["A", "a"]
    assert read.skipped == [("exchange", 1)]


@pytest.mark.parametrize(
    "value",
    [
        [b.user(), b.says()],
        {"messages": [b.user()]},
        [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": "a"}],
                "stop_reason": "end_turn",
            }
        ],
        {"input": "x", "output": "y"},
        {"input": {"a": 1}, "output": []},
        [{"input": [b.user()], "output": [b.says()]}],
        [{"type": "text", "text": "x"}],
        [1, "x"],
    ],
)
def test_what_is_of_another_format_is_left_to_it(value):
    assert not FORMAT.recognises(sniff(document(value)))


@pytest.mark.parametrize(
    "value", [ITEMS, [r.exchange(ITEMS, r.response(r.says()))], r.response(r.says()), {"input": ITEMS}]
)
def test_the_registry_knows_it(value):
    assert recognise(sniff(document(value))).name == "openai-responses"


@pytest.mark.parametrize(
    "value",
    [
        ITEMS,
        {"input": ITEMS, "output": [r.says()], "instructions": "x"},
        [r.exchange(LONG, COMPACT | {"output": [r.compaction()]}), r.exchange([r.compaction()], r.response(r.says()))],
    ],
)
def test_no_cut_and_no_garbage_raises(value):
    whole = json.dumps(value)
    for stop in range(0, len(whole), 43):
        for tail in ("", '"]}]', '"}, null, 3, [{'):
            source = of(whole[:stop] + tail)
            look, tally = sniff(source), Tally()
            for transcript in FORMAT.read(source, look, tally) if FORMAT.recognises(look) else ():
                for step in transcript.steps:
                    tally.use(step.records)
            assert tally.unaccounted == set()


@real_files
def test_the_real_exchange_with_calls():
    read = Read(FORMAT, real("openai-responses/thinking_with_tool_calls.json"))

    assert [m["role"] for m in read.messages()] == ["system", "user", "assistant", "tool", "assistant"]
    asked = read.said()[2]
    assert [c["function"]["name"] for c in asked.message["tool_calls"]] == ["update_plan"]
    assert asked.message["reasoning_content"].startswith("**Creating a structured poem**")
    assert len(asked.message["reasoning_details"][0]["encrypted_content"]) == 9572
    assert asked.metadata["usage"] == {
        "input_tokens": 124,
        "output_tokens": 1926,
        "total_tokens": 2050,
        "cache_read_input_tokens": 0,
        "reasoning_tokens": 1792,
    }
    assert read.messages()[3]["content"] == "plan updated"
    assert read.skipped == []


@real_files
def test_the_real_exchange_with_a_compaction():
    read = Read(FORMAT, real("openai-responses/compact_messages.json"))

    assert texts(read.messages())[1:] == [
        "What is 2+2?",
        "2 + 2 = 4.",
        "And 3+3?",
        "3 + 3 = 6.",
        "And 5+5?",
        "5 + 5 = 10",
    ]
    (step,) = read.compacted()
    assert read.steps[0].index(step) == 5
    assert step.summary == {
        "role": "user",
        "content": "[An opaque summary: 2,808 bytes, encrypted, that only the provider's model can read.]",
    }
    assert (step.keeps, step.usage["output_tokens"]) == (frozenset(), 190)
    assert read.skipped == []
