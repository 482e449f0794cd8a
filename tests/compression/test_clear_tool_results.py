from typing import Any

import pytest

from sessions_app.engine import CannotCompress, ContextItem, Message, Seqs, Window
from tests.builders import call, calls, react_rounds, reply, user
from tests.compression.windows import compressed, data_of, window_of

LONG = "a line of output\n" * 40
TAIL = react_rounds(3, start=90)
CLEARED = "[old result of run, cleared]"


def cleared(*messages: dict[str, Any], **params: Any) -> list[dict[str, Any]]:
    """What becomes of `messages` once three rounds stand behind them."""
    after = compressed(window_of([user(), *messages, *TAIL]), "clear_tool_results", **params)
    return data_of(after)[1 : -len(TAIL)]


def test_old_results_become_placeholders_that_name_the_tool() -> None:
    assert cleared(calls("c1"), reply("c1", LONG)) == [calls("c1"), reply("c1", CLEARED)]


def test_the_newest_rounds_stay() -> None:
    window = window_of([user(), calls("c1"), reply("c1", LONG), *TAIL])
    assert compressed(window, "clear_tool_results").items[3:] == window.items[3:]
    assert compressed(window, "clear_tool_results", protect_rounds=4) is window


def test_a_cleared_result_is_edited_and_keeps_its_frames_and_members() -> None:
    window = window_of([user(), calls("c1"), reply("c1", LONG, name="run", is_error=True), *TAIL])
    item = compressed(window, "clear_tool_results")[2]
    assert item.kind == "edited"
    assert item.original_seqs == Seqs.one(3)
    assert item.message.data == reply("c1", CLEARED, name="run", is_error=True)


def test_a_result_that_is_no_longer_than_a_placeholder_stays() -> None:
    assert cleared(calls("c1", "c2"), reply("c1", "ok"), reply("c2", LONG))[1] == reply("c1", "ok")


def test_each_parallel_reply_is_cleared_under_the_name_of_its_own_call() -> None:
    both = {"role": "assistant", "content": None, "tool_calls": [call("a", "grep"), call("b", "build")]}
    assert [m["content"] for m in cleared(both, reply("b", LONG), reply("a", LONG))[1:]] == [
        "[old result of build, cleared]",
        "[old result of grep, cleared]",
    ]


def test_an_id_that_was_used_again_names_the_later_call() -> None:
    messages = [calls("c1", name="grep"), reply("c1", LONG), calls("c1", name="build"), reply("c1", LONG)]
    assert [m["content"] for m in cleared(*messages)[1::2]] == [
        "[old result of grep, cleared]",
        "[old result of build, cleared]",
    ]


def test_results_made_of_parts_are_cleared_whole() -> None:
    parts = [{"type": "text", "text": LONG}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]
    assert cleared(calls("c1"), {**reply("c1"), "content": parts})[1] == reply("c1", CLEARED)


@pytest.mark.parametrize(
    "text",
    [
        "Execution was interrupted. The result of run is unknown: the tool may or may not have run. Check its state.",
        "The call of run was interrupted and gave no result: a crash. It may or may not have had an effect.",
        "调用 run 时执行中断，结果未知。",
    ],
)
def test_a_recovery_message_stays_for_cleared_it_would_read_as_if_the_tool_had_run(text: str) -> None:
    assert cleared(calls("c1", "c2"), reply("c1", text), reply("c2", LONG))[1] == reply("c1", text)


def test_excluded_tools_keep_results_and_inputs() -> None:
    keep = {
        "role": "assistant",
        "content": None,
        "tool_calls": [call("a", "notes", '{"text":"' + LONG[:16] * 9 + '"}')],
    }
    messages = [keep, reply("a", LONG), calls("b"), reply("b", LONG)]
    after = cleared(*messages, exclude_tools=["notes"], clear_inputs=True)
    assert after[:2] == messages[:2]
    assert after[3] == reply("b", CLEARED)


def test_inputs_become_an_empty_object_if_asked() -> None:
    long = '{"text":"' + "x y " * 40 + '"}'
    custom = {"id": "b", "type": "custom", "custom": {"name": "patch", "input": "*** Begin Patch\n" * 9}}
    message = {"role": "assistant", "content": "Now.", "tool_calls": [call("a", "run", long), custom]}
    [after, *_] = cleared(message, reply("a"), reply("b"), clear_inputs=True)
    assert after["content"] == "Now."
    assert after["tool_calls"] == [call("a", "run", "{}"), {**custom, "custom": {"name": "patch", "input": "{}"}}]


def test_inputs_stay_unless_asked() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [call("a", "run", '{"text":"' + "x y " * 40 + '"}')]}
    assert cleared(message, reply("a", LONG))[0] == message


def test_less_than_min_saving_is_not_worth_a_version() -> None:
    with pytest.raises(CannotCompress, match="fewer than the 5000"):
        cleared(calls("c1"), reply("c1", LONG), min_saving=5_000)


def test_summaries_and_late_notes_stay() -> None:
    window = window_of([user(), calls("c1"), reply("c1", LONG), *TAIL])
    summary = ContextItem.summary(seqs=Seqs.one(2), message=Message.of(user(LONG)))
    note = ContextItem.edited(seqs=Seqs.one(3), message=Message.of(user(f"[late tool result] The call c1\n{LONG}")))
    before = Window.of([window[0], summary, note, *window.items[3:]])
    assert compressed(before, "clear_tool_results", protect_rounds=1).items[:3] == before.items[:3]
