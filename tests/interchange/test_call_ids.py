"""Ids that a file lacks: deterministic, unique in their message, and the same for call and reply."""

from typing import Any

from sessions_app.interchange.call_ids import CallIds
from tests import builders as b


def ids_of(*messages: dict[str, Any]) -> list[Any]:
    ids = CallIds()
    found: list[Any] = []
    for message in (ids.complete(m) for m in messages):
        found += [c["id"] for c in message.get("tool_calls", ())]
        found += [message["tool_call_id"]] if message["role"] == "tool" else []
    return found


def test_ids_that_are_there_stay() -> None:
    assert ids_of(b.calls("x", "y"), b.reply("y"), b.reply("x")) == ["x", "y", "y", "x"]


def test_missing_ids_name_the_message_and_the_place() -> None:
    assert ids_of(b.user(), b.calls("", ""), b.reply(""), b.reply("")) == [
        *("call_2_1", "call_2_2"),
        *("call_2_1", "call_2_2"),
    ]


def test_a_longer_file_gives_the_same_ids() -> None:
    talk = [b.calls(""), b.reply(""), b.calls("")]
    assert ids_of(*talk, b.reply("")) == [*ids_of(*talk), "call_3_1"]


def test_a_reply_without_an_id_answers_the_call_of_its_name() -> None:
    asks = {"role": "assistant", "tool_calls": [b.call("", "read"), b.call("", "write")]}
    assert ids_of(asks, b.reply("", name="write"), b.reply("", name="read"))[2:] == ["call_1_2", "call_1_1"]


def test_an_id_that_stands_twice_in_a_message_gets_a_suffix_and_so_does_its_reply() -> None:
    assert ids_of(b.calls("x", "x"), b.reply("x"), b.reply("x")) == ["x", "x#2", "x", "x#2"]


def test_a_suffix_never_meets_another_id() -> None:
    assert len(set(ids_of(b.calls("x#2", "x", "x")))) == 3


def test_a_reply_that_fits_no_call_keeps_its_id_or_gets_one() -> None:
    assert ids_of(b.reply("z"), b.reply("")) == ["z", "reply_2"]
