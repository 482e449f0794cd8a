"""The built-in strategies, published by the engine under its rules."""

from typing import Any

import pytest

from sessions_app import engine
from sessions_app.compression import find, parse_params
from tests.builders import calls, make_session, raw, react_rounds, reply, roles, system, user, window

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "Rebuild the upload with care. " * 200


def compress(session_id: str, name: str, **params: Any) -> engine.Written:
    strategy = find(name)
    return engine.compress(session_id=session_id, strategy=strategy, params=parse_params(strategy, params))


@pytest.mark.parametrize("name", ["sliding_window", "clear_tool_results", "dedupe_reads", "digest"])
def test_the_engine_publishes_what_a_built_in_strategy_makes(name: str) -> None:
    session_id = make_session(system(), user(LONG), *react_rounds(6), user("And the docs."), *react_rounds(6))
    frames = raw(session_id)
    written = compress(session_id, name)
    assert written.state.context_compression_version == 2
    assert raw(session_id) == frames
    with pytest.raises(engine.NothingToCompress):
        compress(session_id, name)


def test_a_digest_of_a_digest_keeps_the_quote_that_the_engine_asks_for() -> None:
    session_id = make_session(user(LONG), *react_rounds(6), user("And the docs."), *react_rounds(6))
    compress(session_id, "digest")
    engine.append(session_id=session_id, messages=[*react_rounds(4), user("And tests."), *react_rounds(4)])
    compress(session_id, "digest")
    assert engine.first_tokens(LONG, engine.QUOTED_TOKENS) in window(session_id)[0]["content"]
    assert roles(window(session_id)) == "UUARARAR"


def test_a_digest_is_published_while_calls_are_open() -> None:
    session_id = make_session(user(), *react_rounds(9, size=900), calls("x", "y"), reply("x"))
    compress(session_id, "digest")
    assert window(session_id)[-2:] == [calls("x", "y"), reply("x")]
    engine.append(session_id=session_id, messages=[reply("y")])


def test_a_small_window_is_left_with_a_reason() -> None:
    with pytest.raises(engine.NothingToCompress, match="digest"):
        compress(make_session(user(), *react_rounds(2)), "digest")
