from typing import Any

import pytest

from sessions_app.engine import ContextItem, Message, Window
from tests.builders import call, react_rounds, reply, user
from tests.compression.windows import compressed, data_of, window_of

OLD = "what the file held before\n" * 40
NEW = "what the file holds now\n" * 40
POINTER = "[read_file was called again later with the same arguments: see the later result]"
UNKNOWN = "Execution was interrupted. The result of read_file is unknown: the tool may or may not have run."
TAIL = react_rounds(3, start=90)


def reads(
    content: Any, arguments: str = '{"path":"a.py"}', name: str = "read_file", **members: Any
) -> list[dict[str, Any]]:
    asked = {"role": "assistant", "content": None, "tool_calls": [call("c", name, arguments)]}
    return [asked, reply("c", content, **members)]


def window(*rounds: list[dict[str, Any]]) -> Window:
    return window_of([user(), *(message for messages in rounds for message in messages), *TAIL])


def results(*rounds: list[dict[str, Any]]) -> list[Any]:
    """What becomes of the results of `rounds`, all of them old."""
    after = compressed(window(*rounds), "dedupe_reads")
    return [m["content"] for m in data_of(after)[1 : -len(TAIL)] if m["role"] == "tool"]


def test_an_older_result_points_to_the_later_one_though_they_are_not_equal() -> None:
    assert results(reads(OLD), reads(NEW)) == [POINTER, NEW]


def test_all_but_the_newest_become_pointers() -> None:
    assert results(reads(OLD), reads(OLD), reads(NEW)) == [POINTER, POINTER, NEW]


def test_the_later_one_may_be_among_the_newest_rounds() -> None:
    before = window_of([user(), *reads(OLD), *TAIL, *reads(NEW)])
    after = data_of(compressed(before, "dedupe_reads"))
    assert (after[2]["content"], after[-1]["content"]) == (POINTER, NEW)


def test_the_newest_rounds_stay() -> None:
    before = window_of([user(), *reads(OLD), *reads(NEW)])
    assert compressed(before, "dedupe_reads") is before


def test_calls_stay() -> None:
    before = window(reads(OLD), reads(NEW))
    assert compressed(before, "dedupe_reads")[1] == before[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"path":"a.py","limit":5}', '{ "limit": 5, "path": "a.py" }'),
        ('{"q":"\\u4f60"}', '{"q":"你"}'),
        ('{"q": "cut', '{"q": "cut'),
        ("", ""),
    ],
)
def test_arguments_are_equal_as_json_or_else_as_text(one: str, other: str) -> None:
    assert results(reads(OLD, one), reads(NEW, other)) == [POINTER, NEW]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"path":"a.py"}', '{"path":"b.py"}'),
        ('{"path":"a.py"}', '{"path":"a.py","limit":5}'),
        ('{"n":1}', '{"n":true}'),
        ('{"n":1}', '{"n":"1"}'),
        ("[1,2]", "[2,1]"),
        ("cut {", "cut  {"),
    ],
)
def test_other_arguments_are_another_question(one: str, other: str) -> None:
    before = window(reads(OLD, one), reads(NEW, other))
    assert compressed(before, "dedupe_reads") is before


def test_another_tool_is_another_question() -> None:
    before = window(reads(OLD), reads(NEW, name="stat"))
    assert compressed(before, "dedupe_reads") is before


@pytest.mark.parametrize(
    ("content", "members"),
    [
        (NEW, {"is_error": True}),
        (NEW, {"status": "error"}),
        ("Error: no such file", {}),
        ('{"error": "no such file"}', {}),
        (UNKNOWN, {}),
    ],
)
def test_a_later_result_that_failed_or_is_unknown_is_no_reason(content: str, members: dict[str, Any]) -> None:
    before = window(reads(OLD), reads(content, **members))
    assert compressed(before, "dedupe_reads") is before


def test_what_failed_last_leaves_the_newest_good_result_in_place() -> None:
    assert results(reads(OLD), reads(NEW), reads("Error: gone")) == [POINTER, NEW, "Error: gone"]


def test_a_later_result_that_was_cleared_is_no_reason() -> None:
    whole = window(reads(OLD), reads(NEW))
    cleared = Message.of(reply("c", "[old result of read_file, cleared]"))
    before = Window.of([*whole.items[:4], whole[4].with_message(cleared), *whole.items[5:]])
    assert compressed(before, "dedupe_reads") is before


def test_a_recovery_message_stays() -> None:
    before = window(reads(UNKNOWN), reads(NEW))
    assert compressed(before, "dedupe_reads") is before


def test_equal_calls_made_at_once_are_no_repetition() -> None:
    made = [call(call_id, "read_file", '{"path":"a.py"}') for call_id in ("a", "b")]
    both = {"role": "assistant", "content": None, "tool_calls": made}
    before = window([both, reply("a", OLD), reply("b", NEW)])
    assert compressed(before, "dedupe_reads") is before


def test_a_result_shorter_than_the_pointer_stays() -> None:
    before = window(reads("ok"), reads(NEW))
    assert compressed(before, "dedupe_reads") is before


def test_the_pointer_stays_when_the_result_that_it_points_to_is_replaced_as_well() -> None:
    once = compressed(window(reads(OLD), reads(NEW)), "dedupe_reads")
    later = window_of([*reads(NEW), *react_rounds(3, start=95)], start=20)
    twice = compressed(once.extended(later.items), "dedupe_reads")
    assert [m["content"] for m in data_of(twice) if m.get("tool_call_id") == "c"] == [POINTER, POINTER, NEW]
    assert twice[2] == once[2]


def test_a_pointer_is_edited_and_stands_for_the_same_frame() -> None:
    item: ContextItem = compressed(window(reads(OLD, is_error=False), reads(NEW)), "dedupe_reads")[2]
    assert (item.kind, list(item.original_seqs)) == ("edited", [3])
    assert item.message.data == reply("c", POINTER, is_error=False)
