"""Which recorded exchanges are one conversation."""

from sessions_app.interchange.exchanges import Chosen, Sent, conversations
from sessions_app.interchange.jsonreading import Record


def found(*requests: Sent) -> list[list[tuple[int, int]]]:
    return [c.exchanges for c in conversations(enumerate(requests, start=1))]


def test_requests_that_begin_with_the_one_before_are_one_conversation():
    assert found(Sent(("a",)), Sent(("a", "b")), Sent(("a", "b", "c"))) == [[(1, 0), (2, 1), (3, 2)]]


def test_conversations_may_take_turns():
    assert found(Sent(("a",)), Sent(("x",)), Sent(("a", "b")), Sent(("x", "y"))) == [
        [(1, 0), (3, 1)],
        [(2, 0), (4, 1)],
    ]


def test_the_same_request_again_adds_nothing():
    assert found(Sent(("a", "b")), Sent(("a", "b"))) == [[(1, 0), (2, 2)]]


def test_what_goes_on_from_an_earlier_place_is_a_conversation_of_its_own():
    assert found(Sent(("a",)), Sent(("a", "b", "c")), Sent(("a", "b", "d"))) == [[(1, 0), (2, 1)], [(3, 0)]]


def test_a_request_goes_on_from_the_summary_that_a_response_gave():
    assert found(Sent(("a", "b"), compacts="s"), Sent(("s", "c"), before=2, resumes="s")) == [[(1, 0), (2, 2)]]


def test_the_same_question_under_another_system_prompt_is_another_conversation():
    title, work = Sent(("a",), system="T", asked=1), Sent(("a",), system="W", asked=1)
    assert found(title, work, Sent(("a", "b", "c"), system="W", asked=1)) == [[(1, 0)], [(2, 0), (3, 1)]]


def test_a_system_prompt_may_change_once_there_is_an_answer():
    first = Sent(("a",), system="at nine", asked=1, answer="b")
    assert found(first, Sent(("a", "b", "c"), system="at ten", asked=1)) == [[(1, 0), (2, 1)]]


def test_records_are_chosen_in_any_order_and_read_once():
    opened = []

    def records():
        opened.append(1)
        return (Record(n, {"n": n}) for n in (1, 2, 3, 4))

    chosen = Chosen(records)
    numbers = [record.value["n"] for n in (2, 4, 1, 3) if (record := chosen.get(n)) is not None]
    assert (numbers, chosen.get(9), len(opened)) == ([2, 4, 1, 3], None, 1)
