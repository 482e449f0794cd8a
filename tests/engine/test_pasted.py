"""Compression of a pasted list: no session, nothing written (contract, `POST compress/`)."""

import pytest

from sessions_app import engine
from sessions_app.engine import Window
from tests.builders import calls, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables
from tests.engine.strategies import Fold, Gives, Params

MESSAGES = [system(), user(), *react_rounds(4)]


@pytest.mark.django_db
def test_it_gives_both_windows_and_writes_nothing() -> None:
    pasted = engine.compress_pasted(messages=MESSAGES, strategy=Fold(), params=Params())
    assert [i.message.copy() for i in pasted.before] == MESSAGES
    assert [list(i.original_seqs) for i in pasted.after] == [[1], [2], [3, 4, 5, 6, 7, 8], [9], [10]]
    assert not any(all_tables().values())


def test_it_is_refused_as_a_session_would_refuse_it() -> None:
    for messages, refusal in (
        ([], engine.InvalidMessages),
        ([{"role": "user"}], engine.InvalidMessages),
        ([user(), calls("a"), user()], engine.OpenToolCalls),
        ([user(), reply("a")], engine.UnmatchedToolReply),
        ([user(), says()], engine.NothingToCompress),
    ):
        with pytest.raises(refusal):
            engine.compress_pasted(messages=messages, strategy=Fold(), params=Params())
    with pytest.raises(engine.RuleBroken):
        engine.compress_pasted(messages=MESSAGES, strategy=Gives(lambda w: Window(w.items[1:])), params=Params())


def test_open_calls_at_its_end_stay() -> None:
    pasted = engine.compress_pasted(messages=[*MESSAGES, calls("open")], strategy=Fold(), params=Params())
    assert pasted.after.open_call_ids == {"open"}
