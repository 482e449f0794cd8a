"""OpenAI's fine-tuning files: every line is a conversation, and so a session."""

import json

import pytest

from sessions_app.interchange import find_format
from sessions_app.interchange.formats.openai_finetune import OpenAIFinetune
from sessions_app.interchange.jsonreading import TORN
from sessions_app.interchange.registry import recognise
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from tests import builders as b
from tests.interchange.samples import Read, document, lines, of, real, real_files, texts

FORMAT = OpenAIFinetune()
TALK = [b.system(), b.user(), b.calls("c1"), b.reply("c1"), b.says()]
GREETING = [b.user("Hello"), b.says("Hi")]


@pytest.mark.parametrize(
    "source",
    [
        lines({"messages": TALK}, {"messages": GREETING}),
        lines(TALK, GREETING),
        document([{"messages": TALK}, {"messages": GREETING}]),
        document([TALK, GREETING]),
    ],
    ids=["lines of objects", "lines of lists", "a list of objects", "a list of lists"],
)
def test_each_conversation_is_a_session(source):
    read = Read(FORMAT, source)

    assert [read.messages(n) for n in range(len(read.transcripts))] == [TALK, GREETING]
    assert {t.native_id for t in read.transcripts} == {""}


def test_what_belongs_to_the_whole_conversation_stands_with_its_first_message():
    tools = [{"type": "function", "function": {"name": "run"}}]
    whole = {"tools": tools, "parallel_tool_calls": False, "weight": 1}
    read = Read(FORMAT, lines({"messages": TALK, **whole}, {"messages": GREETING}))

    assert [s.metadata for s in read.said(0)] == [{"extra": whole}, {}, {}, {}, {}]
    assert [s.metadata for s in read.said(1)] == [{}, {}]


def test_the_weight_of_a_message_stays_with_it():
    learned = b.says("Hi") | {"weight": 0}

    assert Read(FORMAT, lines({"messages": [b.user(), learned]}, GREETING)).messages()[1] == learned


def test_a_function_call_becomes_a_call():
    asked = {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}
    read = Read(FORMAT, lines({"messages": [b.user(), asked]}, {"messages": GREETING}))

    assert read.messages()[1]["tool_calls"] == [
        {"id": "", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    ]


def test_a_conversation_may_begin_and_end_with_any_message():
    read = Read(FORMAT, lines({"messages": [b.says("First")]}, {"messages": [b.system(), b.says("Second")]}))

    assert [texts(read.messages(n)) for n in (0, 1)] == [["First"], ["You are careful.", "Second"]]


def test_what_holds_no_conversation_is_skipped_and_named():
    read = Read(FORMAT, lines({"messages": GREETING}, {"messages": []}, {"other": 1}, "3", [1, {"role": "robot"}]))

    assert read.messages(0) == GREETING
    assert read.skipped == [("conversation", 1), ("line", 2), ("message", 2)]


def test_a_torn_last_line_loses_that_line_only():
    read = Read(FORMAT, of(json.dumps({"messages": TALK}) + '\n{"messages": [{"role": "us'))

    assert read.messages() == TALK
    assert [(s.what, s.why, s.first_line) for s in read.tally.skipped] == [("line", TORN, 2)]


def test_a_file_of_one_line_is_known_by_its_name():
    text = json.dumps({"messages": GREETING})

    assert Read(FORMAT, of(text, "train.jsonl")).messages() == GREETING
    assert not FORMAT.recognises(sniff(of(text, "request.json")))


@pytest.mark.parametrize("source", [lines(*TALK), document(TALK), document({"messages": TALK})])
def test_a_single_conversation_is_left_to_the_chat_format(source):
    assert not FORMAT.recognises(sniff(source))


def test_the_registry_knows_it():
    assert isinstance(find_format("openai-finetune"), OpenAIFinetune)
    assert recognise(sniff(lines({"messages": TALK}, {"messages": GREETING}))).name == "openai-finetune"


def test_no_cut_and_no_garbage_raises():
    whole = "\n".join(json.dumps(v) for v in ({"messages": TALK, "weight": 1}, TALK, {"messages": {"a": [None]}}))
    for stop in range(0, len(whole), 47):
        source = of(whole[:stop] + "\n\x00[{]", "t.jsonl")
        look, tally = sniff(source), Tally()
        FORMAT.recognises(look)
        for transcript in FORMAT.read(source, look, tally):
            assert list(transcript.steps) is not None


@real_files
def test_a_real_file():
    read = Read(FORMAT, real("openai-finetune/toy_chat_fine_tuning.first4.jsonl"))

    assert [len(read.said(n)) for n in range(4)] == [3, 9, 2, 2]
    assert len(read.transcripts) == 4
    assert texts(read.messages(3))[1] == "You're great!"
    assert read.skipped == []
