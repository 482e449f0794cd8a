"""The names of a session's tools."""

import pytest

from sessions_app import engine
from sessions_app.engine.reads import tool_names
from tests.builders import calls, make_session, react_rounds, reply, says, user

pytestmark = pytest.mark.django_db

NAMES = ["read_file", "grep", "Grep", "a\nb", '"', "\\", "工具", "\x00", "\udc88", "n" * 199, "é" * 3_000]


def session_of(*names: str) -> str:
    messages = [m for n, name in enumerate(names) for m in (calls(f"c{n}", name=name), reply(f"c{n}"))]
    return make_session(user(), *messages)


def test_each_name_is_told_once_and_in_order_whatever_it_holds() -> None:
    assert tool_names(session_of(*NAMES, *NAMES)) == tuple(sorted(NAMES))


def test_a_session_without_replies_has_none() -> None:
    make_session(*react_rounds(1))
    assert tool_names(make_session(user(), says())) == tool_names(make_session()) == ()


def test_a_tool_that_a_recovery_answered_for_is_among_them() -> None:
    session_id = make_session(user(), calls("a", name="deploy"))
    assert tool_names(session_id) == ()
    engine.recover(session_id=session_id)
    assert tool_names(session_id) == ("deploy",)


def test_as_many_are_told_as_were_asked_for() -> None:
    session_id = session_of("a", "b", "c")
    assert tool_names(session_id, limit=3) == ("a", "b", "c")
    assert tool_names(session_id, limit=2) == ("a", "b")


def test_of_names_that_begin_alike_for_200_characters_one_is_told() -> None:
    long = "n" * 200
    assert tool_names(session_of(long + "a", long + "b")) in ((long + "a",), (long + "b",))
