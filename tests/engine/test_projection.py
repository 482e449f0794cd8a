"""Where a frame stands in a window: the same for an append, a carried tail, a restored and a rebuilt window."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from sessions_app import engine
from sessions_app.engine import Frame, Message, Window
from sessions_app.engine.projection import project
from tests.builders import (
    Msg,
    calls,
    claims,
    make_session,
    make_user,
    react_rounds,
    reply,
    roles,
    says,
    system,
    user,
    window,
)
from tests.engine.strategies import Fold, Gives, Params, fold


def frame(seq: int, message: Msg, **members: int) -> Frame:
    made = Message.of(message)
    return Frame(
        seq=seq,
        source="agent",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        context_version=1,
        tokens=made.count_tokens(),
        metadata={},
        message=made,
        role=made.role,
        tool_names=("run",),
        call_seq=members.get("call_seq"),
        recovery_seq=members.get("recovery_seq"),
    )


CALLED = [frame(1, calls("a")), frame(2, reply("a", "unknown"), call_seq=1)]
LATE = {"call_seq": 1, "recovery_seq": 2}


def shape(made: Window) -> tuple[str, list[list[int]]]:
    return roles([i.message.data for i in made]), [list(i.original_seqs) for i in made]


def test_a_reply_that_matches_no_call_stands_in_no_window() -> None:
    assert shape(project(Window(), [frame(1, user()), frame(2, reply("z")), frame(3, says())])) == ("UA", [[1], [3]])


@pytest.mark.parametrize("cut", range(5))
def test_frames_stand_alike_wherever_the_window_that_they_come_to_ends(cut: int) -> None:
    in_place = [*CALLED, frame(3, user()), frame(4, reply("a", "real"), **LATE)]
    noted = [*CALLED, frame(3, says()), frame(4, reply("a", "real"), **LATE)]
    for frames, expected in ((in_place, ("ARU", [[1], [2, 4], [3]])), (noted, ("ARAU", [[1], [2], [3], [4]]))):
        made = project(project(Window(), frames[:cut]), frames[cut:])
        assert shape(made) == expected
        assert made.tokens == sum(i.message.count_tokens() for i in made)


def test_a_recovery_message_that_is_gone_or_changed_is_not_replaced() -> None:
    only_user = project(Window(), [frame(3, user())])
    assert shape(project(only_user, [frame(4, reply("a", "real"), **LATE)])) == ("UU", [[3], [4]])
    cleared = project(Window(), CALLED)
    cleared = cleared.with_item(1, cleared[1].with_message(Message.of(reply("a", "[cleared]"))))
    assert shape(project(cleared, [frame(4, reply("a", "real"), **LATE)])) == ("ARU", [[1], [2], [4]])


@pytest.mark.django_db(transaction=True)
def test_a_note_stays_a_note_in_a_restored_window() -> None:
    session_id = make_session(system(), user(), *react_rounds(4), calls("z"))
    engine.append(session_id=session_id, messages=[user("go on"), says("without it")], recover=True)
    fold(session_id)
    engine.append(session_id=session_id, messages=[reply("z", "real"), says("ah")])
    engine.restore(session_id=session_id, version=1)
    assert roles(window(session_id)) == "SU" + "AR" * 4 + "ARUA" + "UA"
    assert claims(session_id) == [[n] for n in range(1, 17)]


@pytest.mark.django_db(transaction=True)
def test_a_window_without_a_word_of_the_user_is_compressed_all_the_same() -> None:
    session_id = make_session(system(), *react_rounds(4))
    fold(session_id)
    assert claims(session_id) == [[1], [2, 3, 4, 5, 6, 7], [8], [9]]


@pytest.mark.django_db(transaction=True)
@pytest.mark.case(73)
def test_a_compression_that_was_overtaken_by_the_same_request_is_its_replay() -> None:
    owner = make_user()
    session_id = make_session(system(), user(), *react_rounds(4), owner=owner)
    key = engine.IdempotencyKey(owner.pk, "k", "0" * 64)

    def folded(made: Window) -> Window:
        return Fold().compress(made, params=Params(), tools=engine.Toolbox())

    def compress(make: Callable[[Window], Window]) -> engine.Written:
        return engine.compress(session_id=session_id, strategy=Gives(make), params=Params(), idempotency=key)

    def meanwhile(made: Window) -> Window:
        compress(folded)
        return folded(made)

    written = compress(meanwhile)
    assert written.replayed and written.state.context_compression_version == 2
