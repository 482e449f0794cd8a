"""What of a model's answer is refused, what it is told then, and what stands in."""

import json
from typing import Any

import pytest

from sessions_app.compression.errors import SummariserFailed
from tests.compression.model_server import Summariser, Told, answer_of, fails, says
from tests.compression.test_summarize import GOOD, OLD, summarised
from tests.compression.windows import compressed, digest_text, section

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
    with pytest.raises(SummariserFailed, match=r"^The model's endpoint answered 401 Unauthorized\.$"):
        summarised(OLD, fallback="none")
    assert len(server.calls) == 1
