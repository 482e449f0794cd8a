"""What of a model's answer is refused, what it is told then, and what stands in."""

import json
from typing import Any

import pytest

from sessions_app.compression.errors import SummariserFailed
from sessions_app.compression.summaries.replies import ENDLESS
from tests.compression.model_server import Summariser, Told, answer_of, fails, says
from tests.compression.test_summarize import GOOD, OLD, summarised
from tests.compression.windows import compressed, digest_text, section


def in_parts(content: list[Any]) -> Told:
    """An answer whose content is a list of parts."""
    return Told(body=says("@").body.replace(b'"@"', json.dumps(content).encode()))


REFUSED: dict[str, tuple[Told, str]] = {
    "empty": (says(""), "The model gave an empty summary."),
    "blank": (says(" \n "), "The model gave an empty summary."),
    "null": (says(None), "The model gave an empty summary."),
    "nothing in it": (says(answer_of(objective=" ")), "The model gave an empty summary."),
    "cut off": (says('{"objective": "Fi', finish="length"), "The model's summary was cut off."),
    "whole but cut off": (says(GOOD, finish="length"), "The model's summary was cut off."),
    "tool call": (
        says(None, finish="tool_calls", tool_calls=[{"id": "c", "function": {"name": "x", "arguments": "{}"}}]),
        "The model called a tool instead of writing a summary.",
    ),
    "refusal": (says(None, refusal="I will not."), "The model refused to write a summary."),
    "filtered": (says("", finish="content_filter"), "The model refused to write a summary."),
    "prose": (says("I'm sorry, I cannot do that."), "The model's answer holds no JSON object."),
    "invalid JSON": (says('{"objective": "a", '), "The model's answer holds no JSON object."),
    "a list": (says(["a"]), "The model's answer holds no JSON object."),
    "unknown member": (
        says({**GOOD, "mood": "good"}),
        "The model's summary is not of the form that was asked for: mood: Extra inputs are not permitted.",
    ),
    "missing member": (
        says({"objective": "a"}),
        "The model's summary is not of the form that was asked for: constraints: Field required;",
    ),
    "wrong type": (
        says({**GOOD, "facts": "one"}),
        "The model's summary is not of the form that was asked for: facts: Input should be a valid array.",
    ),
    "number for a text": (
        says({**GOOD, "facts": [7]}),
        "The model's summary is not of the form that was asked for: facts/0: Input should be a valid string.",
    ),
    "too long": (says(answer_of(facts=["[4] much to say " * 40] * 60)), "The model's summary has "),
    "one long line": (says(answer_of(facts=["word " * 20_000])), "The model's summary has more than "),
    "one endless line": (says(answer_of(facts=["word " * 50_000])), ENDLESS.trouble),
    "a line mostly of blanks": (says(answer_of(facts=["x" + " " * 150_000 + "y"])), "The model's summary has "),
    "a million of numbers": (says({**GOOD, "facts": [7] * 1_000_000}), ENDLESS.trouble),
    "many numbers": (
        says({**GOOD, "facts": [7] * 10_000}),
        "The model's summary is not of the form that was asked for: facts/0: Input should be a valid string.",
    ),
    "parts without a text": (
        in_parts([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": 7}, None, "x"]),
        "The model gave an empty summary.",
    ),
    "lone surrogate": (
        Told(body=says("@").body.replace(b'"@"', b'"{\\"objective\\": \\"\\\\ud83d\\"}"')),
        "The model's summary is not of the form that was asked for: the object: Invalid JSON",
    ),
}


@pytest.mark.case(33)
@pytest.mark.parametrize("name", REFUSED)
def test_an_answer_that_is_none_is_refused_after_one_repair(summariser: Summariser, name: str) -> None:
    told, why = REFUSED[name]
    server = summariser(told)
    with pytest.raises(SummariserFailed) as caught:
        summarised(OLD, fallback="none")
    assert str(caught.value).startswith(why)
    assert len(server.calls) == 2


@pytest.mark.parametrize("name", REFUSED)
def test_what_was_wrong_is_said_once_and_a_repaired_answer_is_taken(summariser: Summariser, name: str) -> None:
    told, why = REFUSED[name]
    server = summariser(told, says(GOOD))
    made = summarised(OLD, fallback="none")
    assert section(digest_text(made.window), "Pending") == ["[12] Run the tests."]
    assert made.usage == {"input_tokens": 1400, "output_tokens": 120, "calls": 2, "model": "test-model"}
    answer, repair = server.calls[1]["messages"][2:]
    assert answer["role"] == "assistant" and answer["content"].strip()
    assert f"This answer cannot be used. {why}" in repair["content"]


@pytest.mark.parametrize(
    "text",
    [
        "Here it is:\n```json\n%s\n```\nAnything else?",
        '<think>Perhaps {"objective": "x"} or {that}.</think>\n%s',
        "%s\n\n(I left out {nothing}.)",
    ],
    ids=["fence", "thinking", "prose"],
)
def test_the_object_is_taken_out_of_what_is_around_it(summariser: Summariser, text: str) -> None:
    server = summariser(says(text % json.dumps(GOOD)))
    made = summarised(OLD, fallback="none")
    assert section(digest_text(made.window), "Pending") == ["[12] Run the tests."]
    assert len(server.calls) == 1


def test_the_texts_of_a_list_of_parts_are_read(summariser: Summariser) -> None:
    text = json.dumps(GOOD)
    thought = {"type": "thinking", "thinking": "Hm {."}
    server = summariser(in_parts([thought, {"type": "text", "text": text[:50]}, {"type": "text", "text": text[50:]}]))
    made = summarised(OLD, fallback="none")
    assert section(digest_text(made.window), "Pending") == ["[12] Run the tests."]
    assert len(server.calls) == 1


def test_no_line_of_an_accepted_answer_is_cut(summariser: Summariser) -> None:
    said = " ".join(f"cause{n} leads to effect{n}" for n in range(60))
    summariser(says(answer_of(facts=[f"[4] {said}"])))
    assert len(said) > 1_000
    assert section(digest_text(summarised(OLD, fallback="none").window), "Facts") == [f"[4] {said}"]


def test_an_answer_longer_than_its_source_is_told_so(summariser: Summariser) -> None:
    summariser(says(answer_of(facts=["word " * 20_000])))
    made = summarised(OLD)
    source = sum(item.tokens for item in OLD.items[2:12])
    assert made.used == "digest"
    assert f"; its source has {source}; at most " in made.why


def test_a_digest_stands_in_where_the_model_fails(summariser: Summariser) -> None:
    summariser(says("", usage=(500, 0)), says("no", usage=(600, 1)))
    made = summarised(OLD)
    assert made.used == "digest"
    assert made.why == "The model's answer holds no JSON object. A digest stands in for its summary."
    assert made.usage == {"input_tokens": 1100, "output_tokens": 1, "calls": 2, "model": "test-model"}
    assert made.window.items == compressed(OLD, "digest").items


@pytest.mark.parametrize(
    "told",
    [None, [], {}, {"prompt_tokens": "7"}, {"prompt_tokens": True, "completion_tokens": -1}, {"prompt_tokens": 1.5}],
)
def test_what_the_endpoint_does_not_report_is_left_out(summariser: Summariser, told: Any) -> None:
    summariser(says(GOOD, usage=told))
    assert summarised(OLD).usage == {"calls": 1, "model": "test-model"}


def test_a_refusal_by_the_endpoint_costs_no_repair(summariser: Summariser) -> None:
    server = summariser(fails(401, "no such key"))
    with pytest.raises(SummariserFailed, match="Check SUMMARISER_API_KEY"):
        summarised(OLD, fallback="none")
    assert len(server.calls) == 1
