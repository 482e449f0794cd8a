"""What is read off a window: the system message, rounds, turns, open calls, requests."""

from dataclasses import replace

from sessions_app.engine import ContextItem, Message, Seqs, Span, Window
from sessions_app.engine.recovery_text import late_note
from tests.builders import calls, reply, says, system, user
from tests.engine.test_rules import item, window_of

DEVELOPER = {"role": "developer", "content": "Be brief."}


def spans(window: Window) -> list[tuple[int, int]]:
    return [(s.start, s.stop) for s in window.rounds]


def test_the_system_message_is_the_leading_run_of_system_and_developer_messages() -> None:
    assert window_of(system(), DEVELOPER, user(), system()).system_stop == 2
    assert window_of(system()).system_stop == 1
    assert window_of(user()).system_stop == Window().system_stop == 0


def test_a_round_is_the_user_messages_before_an_assistant_message_that_message_and_its_replies() -> None:
    window = window_of(system(), user(), user(), calls("a", "b"), reply("b"), reply("a"), says(), user())
    assert spans(window) == [(1, 6), (6, 7)]
    assert 5 in window.rounds[0] and 6 not in window.rounds[0]


def test_what_stands_between_two_rounds_belongs_to_the_later_one() -> None:
    assert spans(window_of(user(), says(), system("later"), says())) == [(0, 2), (2, 4)]


def test_the_newest_round_is_not_complete_while_its_calls_are_open() -> None:
    window = window_of(user(), says(), calls("a", "b"), reply("a"))
    assert window.open_call_ids == {"b"}
    assert window.complete_rounds == (Span(0, 2),)
    whole = window.extended([item(5, reply("b"))])
    assert whole.open_call_ids == frozenset() and len(whole.complete_rounds) == 2


def test_calls_of_older_groups_are_never_open() -> None:
    assert window_of(calls("a"), user()).open_call_ids == frozenset()
    assert window_of(calls("a"), says()).open_call_ids == frozenset()
    assert Window().open_call_ids == frozenset()


def test_a_summary_and_a_late_note_are_no_requests_of_the_user() -> None:
    note = late_note(reply=Message.of(reply("a", "real")), tool="run")
    window = Window.of(
        [
            item(1, user()),
            ContextItem.summary(seqs=Seqs.of([2, 3]), message=Message.of(user("[summary]"))),
            ContextItem.edited(seqs=Seqs.one(4), message=note),
            replace(item(5, note.copy()), kind="original"),  # a user may write what reads like a note
            ContextItem.edited(seqs=Seqs.one(6), message=Message.of(user("cut"))),
        ]
    )
    assert window.request_indexes == (0, 3, 4)


def test_a_note_carries_parts_as_they_came() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:x"}}
    note = late_note(reply=Message.of({**reply("a"), "content": [picture]}), tool="run")
    first, second = note.data["content"]
    assert "run" in first["text"] and second == picture


def test_a_new_window_shares_the_messages_that_did_not_change() -> None:
    window = window_of(user(), says())
    longer = window.extended([item(3, user("more"))])
    assert longer[0] is window[0] and longer[1] is window[1]
    assert window.extended([]) is window
    other = longer.with_item(1, item(2, says("else")))
    assert other[0] is window[0] and other[2] is longer[2] and longer[1].message.body == "Done."


def test_the_tail_and_the_tokens() -> None:
    window = window_of(user("hello world"), says("hello world"))
    assert (window.tail_role, window.tokens) == ("assistant", 12)
    assert (Window().tail_role, Window().tokens) == ("", 0)
