"""Each rule of a candidate window: one that breaks it and one that does not (compression page, section 2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.engine import (
    Candidate,
    ContextItem,
    FirstRequest,
    Message,
    OpenCall,
    Seqs,
    Window,
    check,
    first_tokens,
)
from tests.builders import Msg, call, calls, reply, says, system, user
from tests.engine.generated import CALL_IDS, CALLING, PLAIN, TEXTS

LONG = "line of output " * 50
TASK = "Fix the upload test. " * 300
MESSAGES: list[Msg] = [
    system(),
    user(TASK),
    {**calls("a", text="Let me look. " * 20), "reasoning_content": "hm"},
    reply("a", LONG),
    says("Well. " * 40),
    user("And the second. " * 20),
    calls("b"),
    reply("b", LONG),
    user("Now the last."),
    calls("c"),
    reply("c", LONG),
]


def item(seq: int, message: Msg) -> ContextItem:
    made = Message.of(message)
    return ContextItem.original(seq=seq, message=made, tokens=made.count_tokens())


def window_of(*messages: Msg) -> Window:
    return Window.of(item(seq, message) for seq, message in enumerate(messages, start=1))


BEFORE = window_of(*MESSAGES)
SUMMARY = ContextItem.summary(seqs=Seqs.parse("3-8"), message=Message.of(user("[summary: looked twice]")))


def folded(*extra: ContextItem, without: Sequence[int] = (), before: Window = BEFORE) -> Window:
    """`before` with frames 3 to 8 as one summary, some frames left out, and others put in by their first frame."""
    items = [i for i in before if i.original_seqs.first not in {3, 4, 5, 6, 7, 8, *without}]
    return Window.of(sorted([*items, SUMMARY, *extra], key=lambda i: i.original_seqs.first))


def edited(seq: int, **members: Any) -> ContextItem:
    message = Message.of({**BEFORE[seq - 1].message.data, **members})
    return BEFORE[seq - 1].with_message(message)


def broken(
    after: Window, *, before: Window = BEFORE, open_calls: Sequence[OpenCall] = (), first: FirstRequest | None = None
) -> set[int]:
    first = first or FirstRequest(2, TASK)
    last = max(i.original_seqs.last for i in before)
    return {b.rule for b in check(Candidate(before, after, tuple(open_calls), last, first))}


def test_a_good_window_breaks_none() -> None:
    assert broken(folded()) == set()


def test_1_the_system_message_stands_first_unchanged() -> None:
    assert broken(folded(without=[1])) == {1}
    assert broken(folded(edited(1, content="x"), without=[1])) == {1}
    assert broken(Window(folded().items[1:] + folded().items[:1])) >= {1}


def test_2_the_last_user_message_stays_verbatim() -> None:
    assert 2 in broken(folded(edited(9, content="N"), without=[9]))


def test_2_the_newest_complete_round_stays_verbatim() -> None:
    assert broken(folded(edited(11, content="cleared"), without=[11])) == {2}
    assert 2 in broken(folded(without=[10, 11]))


def test_2_a_summary_right_before_the_newest_round_is_no_part_of_it() -> None:
    before = folded()
    again = ContextItem.summary(seqs=SUMMARY.original_seqs, message=Message.of(user("[summary]")))
    after = Window.of(again if i is SUMMARY else i for i in before)
    assert broken(after, before=before) == set()


def test_2_the_message_of_an_open_call_stays_verbatim() -> None:
    asks = {**calls("x"), "content": "I shall ask. " * 9, "tool_calls": [call("x", "run", '{"path": "/a/long/path"}')]}
    before = window_of(*MESSAGES, asks)
    opened = [OpenCall("x", "run", 12)]
    assert broken(folded(before=before), before=before, open_calls=opened) == set()
    assert broken(folded(before=before, without=[12]), before=before, open_calls=opened) == {2}
    other = before[11].with_message(Message.of({**asks, "content": None, "tool_calls": [call("x", "run", "{}")]}))
    assert broken(folded(other, before=before, without=[12]), before=before, open_calls=opened) == {2}


def test_3_the_first_user_message_stays_or_is_quoted_by_the_summary_that_covers_it() -> None:
    def covering(text: str) -> Window:
        summary = ContextItem.summary(seqs=Seqs.parse("2-8"), message=Message.of(user(text)))
        return Window.of([BEFORE[0], summary, *BEFORE.items[8:]])

    assert 3 in broken(folded(without=[2]))
    assert 3 in broken(folded(edited(2, content="Fix it."), without=[2]))
    assert 3 in broken(covering("[summary: something about a test]"))
    assert broken(covering(f"[summary] It began with: {first_tokens(TASK, 500)}")) == set()


def test_3_what_a_window_had_lost_before_is_not_asked_for() -> None:
    assert broken(folded(), first=FirstRequest(999, "lost long ago")) == set()


@pytest.mark.case(24)
def test_4_a_call_and_its_replies_stand_together_or_go_together() -> None:
    kept_call = BEFORE[2]
    assert 4 in broken(Window.of(i for i in BEFORE if i.original_seqs.first != 4))
    assert 4 in broken(Window.of(i for i in BEFORE if i.original_seqs.first != 3))
    late = replace(BEFORE[3], original_seqs=Seqs.one(5))
    assert 4 in broken(Window.of([*BEFORE.items[:2], kept_call, item(4, user("x")), late, *BEFORE.items[5:]]))
    assert 4 not in broken(Window.of(i for i in BEFORE if i.original_seqs.first not in (3, 4)))


def test_4_the_last_call_may_lack_its_reply_only_where_it_is_open() -> None:
    before = window_of(*MESSAGES, calls("x", "y"), reply("x"))
    opened = [OpenCall("y", "run", 12)]
    assert broken(folded(before=before), before=before, open_calls=opened) == set()
    assert broken(folded(before=before, without=[13]), before=before, open_calls=opened) == {4}


def test_5_reasoning_goes_with_the_call_that_it_led_to() -> None:
    for reasoning in ({"reasoning_content": "hm"}, {"content": [{"type": "thinking", "thinking": "hm"}]}):
        alone = BEFORE[2].with_message(Message.of({**says("looked"), **reasoning}))
        after = Window.of(alone if i is BEFORE[2] else i for i in BEFORE if i is not BEFORE[3])
        assert 5 in broken(after)
    silent = BEFORE[2].with_message(Message.of(says("looked")))
    after = Window.of(silent if i is BEFORE[2] else i for i in BEFORE if i is not BEFORE[3])
    assert broken(after) == set()


@pytest.mark.parametrize("ranges", [((3, 9),), ((8, 3),), ((5, 8), (3, 4)), ((3, 99),), ((0, 3),), ()])
def test_6_frames_are_claimed_once_in_order_and_exist(ranges: tuple[tuple[int, int], ...]) -> None:
    wrong = replace(SUMMARY, original_seqs=Seqs(ranges))
    assert 6 in broken(Window.of(wrong if i is SUMMARY else i for i in folded()))


def test_6_messages_stand_in_the_order_of_their_first_frames_and_sets_may_interleave() -> None:
    items = list(folded().items)
    assert 6 in broken(Window([*items[:1], items[2], items[1], *items[3:]]))  # type: ignore[arg-type]
    before = window_of(*MESSAGES[:8], calls("d"), reply("d"), user("Now the last."), calls("c"), reply("c"))
    one = ContextItem.summary(seqs=Seqs.parse("3-4,7-8"), message=Message.of(user("[one]")))
    other = ContextItem.summary(seqs=Seqs.parse("5-6"), message=Message.of(user("[other]")))
    after = Window((*before.items[:2], one, other, *before.items[8:]))
    assert broken(after, before=before) == set()


def test_6_messages_that_stood_in_another_order_may_stay_in_it_and_take_no_other() -> None:
    first, request, call_a, reply_a, well, second, *rest = BEFORE
    before = Window((first, well, second, call_a, reply_a, request, *rest))
    assert 6 not in broken(Window((first, well, call_a, reply_a, request, *rest)), before=before)
    assert 6 not in broken(BEFORE, before=before), "the order of the frames is always one"
    assert 6 in broken(Window((first, well, second, request, call_a, reply_a, *rest)), before=before)
    assert 6 in broken(before, before=BEFORE)


def test_6_a_summary_stands_where_the_smallest_of_its_frames_stood() -> None:
    first, request, call_a, reply_a, well, second, *rest = BEFORE
    before = Window((first, well, second, call_a, reply_a, request, *rest))
    summary = ContextItem.summary(seqs=Seqs.parse("3-5"), message=Message.of(user("[looked]")))
    assert 6 not in broken(Window((first, second, summary, request, *rest)), before=before)
    assert 6 in broken(Window((first, second, request, summary, *rest)), before=before)


def test_6_what_is_marked_original_is_a_message_that_the_window_had() -> None:
    forged = item(5, says("forged"))
    assert broken(folded(forged, without=[5])) >= {6}


def test_7_the_window_gets_smaller() -> None:
    assert 7 in broken(BEFORE)
    longer = ContextItem.summary(seqs=SUMMARY.original_seqs, message=Message.of(user("word " * 3_000)))
    assert broken(Window.of(longer if i is SUMMARY else i for i in folded())) == {7}


def test_7_a_strategy_does_not_decide_what_a_message_counts() -> None:
    longer = ContextItem.summary(seqs=SUMMARY.original_seqs, message=Message.of(user("word " * 3_000)))
    lying = replace(longer, tokens=1)
    assert broken(Window.of(lying if i is SUMMARY else i for i in folded())) == {7}


@pytest.mark.case(33)
@pytest.mark.parametrize("content", ["", "  \n", None, [], [{"type": "text", "text": " "}]])
def test_8_no_new_message_is_empty(content: Any) -> None:
    empty = replace(SUMMARY.with_message(Message.of({"role": "user", "content": content})), kind="summary")
    assert broken(Window.of(empty if i is SUMMARY else i for i in folded())) == {8}


def test_8_a_picture_is_something_and_no_window_is_nothing() -> None:
    picture = [{"type": "image_url", "image_url": {"url": "data:x"}}]
    before = window_of(
        *MESSAGES[:3], {**reply("a"), "content": [{"type": "text", "text": LONG}, *picture]}, *MESSAGES[4:]
    )
    shown = before[3].with_message(Message.of({**reply("a"), "content": picture}))
    assert broken(before.with_item(3, shown), before=before) <= {9}
    assert 8 in broken(Window())


def test_9_what_replaces_a_message_is_shorter() -> None:
    before = window_of(*MESSAGES[:3], reply("a", "short"), *MESSAGES[4:])
    cleared = before[3].with_message(Message.of(reply("a", "[the result was cleared to save space]")))
    assert 9 in broken(before.with_item(3, cleared), before=before)
    assert broken(BEFORE.with_item(3, edited(4, content="[cleared]"))) == set()


def test_9_as_long_as_before_is_not_shorter() -> None:
    before = window_of(*MESSAGES[:3], reply("a", "yes"), *MESSAGES[4:])
    same_length = before[3].with_message(Message.of(reply("a", "no")))
    assert same_length.tokens == before[3].tokens
    assert 9 in broken(before.with_item(3, same_length), before=before)


@pytest.mark.parametrize(
    ("was", "becomes", "rules"),
    [
        ('{"text": "' + "x " * 99 + '"}', '{"text": "x x', {10}),
        ('{"text": "' + "x " * 99 + '"}', "{}", set()),
        ('{"text": "never closed ' + "x " * 99, '{"text": "never', set()),
        ('{"text": "' + "x " * 99 + '"}', "[" * 200_000, {9, 7, 10}),
    ],
)
def test_10_no_cut_falls_inside_the_arguments_of_a_call(was: str, becomes: str, rules: set[int]) -> None:
    before = window_of(*MESSAGES[:2], {**calls("a"), "tool_calls": [call("a", "run", was)]}, *MESSAGES[3:])
    cut = before[2].with_message(Message.of({**calls("a"), "tool_calls": [call("a", "run", becomes)]}))
    assert broken(before.with_item(2, cut), before=before) == rules


def test_11_a_summary_has_the_role_of_a_user() -> None:
    said = replace(SUMMARY.with_message(Message.of(says("[summary]"))), kind="summary")
    assert broken(Window.of(said if i is SUMMARY else i for i in folded())) == {11}


# --- Any window ------------------------------------------------------------------------------------

SEQS = st.builds(Seqs, st.lists(st.tuples(st.integers(-1, 9), st.integers(-1, 9)), max_size=3).map(tuple))
PARTS = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "thinking", "image_url"])}, optional={"text": TEXTS})
)
ANY_MESSAGE = st.one_of(
    PLAIN,
    CALLING,
    st.builds(lambda i, t: reply(i, t), CALL_IDS, TEXTS),
    st.builds(lambda p: {"role": "assistant", "content": p, "reasoning_content": "hm"}, PARTS),
    st.builds(
        lambda a: {"role": "assistant", "tool_calls": [call("a", "run", a)]}, st.sampled_from(["{", "[" * 5_000])
    ),
)
ANY_ITEM = st.builds(
    lambda kind, seqs, tokens, message: ContextItem(kind, seqs, tokens, Message.of(message)),
    st.sampled_from(["original", "edited", "summary"]),
    SEQS,
    st.integers(0, 50),
    ANY_MESSAGE,
)
WINDOWS = st.builds(Window.of, st.lists(ANY_ITEM, max_size=8))
OPEN = st.lists(st.builds(OpenCall, CALL_IDS, st.just("run"), st.integers(1, 9)), max_size=2).map(tuple)


@pytest.mark.case(10)
@settings(max_examples=300)
@given(
    before=WINDOWS, after=WINDOWS, open_calls=OPEN, first=st.none() | st.builds(FirstRequest, st.integers(1, 9), TEXTS)
)
def test_no_window_makes_a_rule_raise(
    before: Window, after: Window, open_calls: tuple[OpenCall, ...], first: FirstRequest | None
) -> None:
    named = Window.of(i for i in before if i.original_seqs.ranges)  # what stands in the tables has frames
    for candidate in (after, named, Window((*named.items, *after.items))):
        assert isinstance(check(Candidate(named, candidate, open_calls, 9, first)), list)
