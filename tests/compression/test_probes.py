"""Texts that a window should still have, and whether they are found."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from sessions_app.compression.measures import Haystack, Probe, generated_probes, is_found
from sessions_app.compression.measures.probes import LONGEST
from sessions_app.engine import Message, Window
from tests.builders import call, calls, reply, says, user
from tests.compression.histories import histories
from tests.compression.raw_frames import frames_of
from tests.compression.windows import window_of

Msg = dict[str, Any]


def calling(call_id: str, name: str, **arguments: Any) -> Msg:
    return {**calls(call_id), "tool_calls": [call(call_id, name, json.dumps(arguments))]}


def probes(source: str, *messages: Msg) -> list[str]:
    return [probe.text for probe in generated_probes(frames_of(messages)) if probe.source == source]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("never  TOUCH\nthe migrations", user("You must never touch the migrations.")),
        ("必须用中文", user("必须用中文回答。")),
        ("src/a.py\nline two", calling("c1", "write", text="src/a.py\nline  two")),
        ("给我", calling("c1", "说", text="给我看")),
        ("read_file", calling("c1", "read_file")),
        ("x not json", {**calls("c1"), "tool_calls": [call("c1", "run", '{"x not json')]}),
        ("deep in thought", {"role": "assistant", "content": "x", "reasoning_content": "Deep in thought"}),
        ("a\x00b \ud83d", user("A\x00b \ud83d")),
        ("straße", user("STRASSE")),
    ],
)
def test_a_text_is_found_whatever_its_case_and_blanks(text: str, message: Msg) -> None:
    assert is_found(text, window_of([message]))


@pytest.mark.parametrize("text", ["", " \n ", "migration", "one two", "user", "file_path"])
def test_a_text_that_is_not_there_is_not_found(text: str) -> None:
    window = window_of([user("one"), user("two"), calling("c1", "read", file_path="x")])
    assert not is_found(text, window)


def test_nothing_is_found_in_an_empty_window() -> None:
    assert not is_found("x", Window())


def test_a_window_is_folded_once_for_many_probes() -> None:
    haystack = Haystack.of(window_of([user("One two"), says("Three")]))
    assert [haystack.has(text) for text in ("one  TWO", "three", "four")] == [True, True, False]


def test_the_last_three_constraints_are_probed_newest_first() -> None:
    said = [
        user("Never do a. Never do b."),
        says("You must do x."),
        user("Never do c. Never do d."),
        user("Never do d."),
    ]
    assert probes("constraint", *said) == ["Never do d.", "Never do c.", "Never do b."]


def test_a_long_constraint_is_probed_by_its_beginning() -> None:
    [probe] = probes("constraint", user("You must never " + "touch any of the files " * 40))
    assert len(probe) <= LONGEST
    assert probe.startswith("You must never touch") and not probe.endswith("…")
    assert is_found(probe, window_of([user("You must never " + "touch any of the files " * 40)]))


def test_the_last_five_edited_paths_are_probed() -> None:
    edits = [calling(f"c{n}", "edit_file", path=f"src/{n}.py") for n in (1, 2, 3, 4, 5, 6, 2)]
    reads = [calling("r1", "read_file", path="src/read.py")]
    assert probes("edited_path", *edits, *reads) == ["src/2.py", "src/6.py", "src/5.py", "src/4.py", "src/3.py"]


def test_the_last_error_is_probed_by_the_line_that_tells_it() -> None:
    said = [
        calling("c1", "bash", command="pytest"),
        reply("c1", "Traceback (most recent call last):\n  File x\nKeyError: 'old'"),
        calling("c2", "bash", command="pytest"),
        reply("c2", "Traceback (most recent call last):\n  File x\nValueError: bad"),
        calling("c3", "read_file", path="log.txt"),
        reply("c3", "a file, exit code 1, that tells of another"),
    ]
    assert probes("last_error", *said) == ["ValueError: bad"]


def test_an_interruption_is_no_error() -> None:
    text = "Execution was interrupted. The result of bash is unknown: the tool may or may not have run."
    assert probes("last_error", calling("c1", "bash", command="x"), reply("c1", text, is_error=True)) == []


def test_the_last_test_result_and_the_last_decision_are_probed() -> None:
    said = [
        calling("c1", "bash", command="pytest"),
        reply("c1", "==== 3 passed, 1 failed in 0.2s ===="),
        says("I'll use SQLite instead of files. Then we look."),
        says("Fine."),
    ]
    assert probes("last_check", *said) == ["3 passed, 1 failed in 0.2s"]
    assert probes("last_decision", *said) == ["I'll use SQLite instead of files."]


def test_no_text_is_probed_twice() -> None:
    said = [user("Never do a."), user("never  do A."), says("We decided: never do a.")]
    assert generated_probes(frames_of(said)) == (
        Probe("never do A.", "constraint"),
        Probe("We decided: never do a.", "last_decision"),
    )


def test_a_session_of_nothing_suggests_nothing() -> None:
    assert generated_probes([]) == ()
    assert generated_probes(frames_of([Message("damaged"), user("Hello"), says("Hi")])) == ()


@settings(deadline=None, max_examples=25)
@given(histories())
def test_what_a_session_suggests_is_short_distinct_and_found_in_it(history: Any) -> None:
    messages = [i.message.data for i in history.window]
    suggested = generated_probes(frames_of(messages))
    assert suggested == generated_probes(frames_of(messages))
    assert len({" ".join(p.text.casefold().split()) for p in suggested}) == len(suggested)
    assert all(3 <= len(p.text) <= LONGEST for p in suggested)
    haystack = Haystack.of(window_of(messages))
    assert [p for p in suggested if not haystack.has(p.text)] == []
