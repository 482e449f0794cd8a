"""What must hold of a session that the product's own strategies compress, again and again."""

from typing import Any

import pytest

from sessions_app import engine
from sessions_app.compression import find, parse_params
from tests.builders import calls, claims, make_session, react_rounds, says, system, user, window
from tests.compression.params import PARAMS, pressed
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = sorted(PARAMS)


def rounds(count: int, *, start: int = 1) -> list[dict[str, Any]]:
    """Rounds in which every strategy finds something: long results of equal calls, and reasoning."""
    messages = react_rounds(count, start=start, size=9_000)
    return [{**m, "reasoning_content": "Let me see. " * 30} if m["role"] == "assistant" else m for m in messages]


def compress(session_id: str, name: str) -> engine.Written:
    strategy = find(name)
    return engine.compress(session_id=session_id, strategy=strategy, params=parse_params(strategy, pressed(name, 3)))


@pytest.mark.case(28)
@pytest.mark.parametrize("name", NAMES)
def test_the_system_message_stands_first_and_unchanged_after_any_number_of_compressions(name: str) -> None:
    session_id = make_session(system("Never delete data."), user())
    for n in range(4):
        engine.append(session_id=session_id, messages=rounds(6, start=1 + 6 * n))
        compress(session_id, name)
    assert window(session_id)[0] == system("Never delete data.")
    assert claims(session_id)[0] == [1]


@pytest.mark.case(34)
@pytest.mark.parametrize("name", NAMES)
def test_where_there_is_nothing_to_compress_nothing_is_written(name: str) -> None:
    session_id = make_session(system(), user(), says())
    before = all_tables()
    with pytest.raises(engine.NothingToCompress):
        compress(session_id, name)
    assert all_tables() == before


@pytest.mark.case(40)
@pytest.mark.parametrize("name", NAMES)
def test_in_the_middle_of_a_turn_the_request_and_the_open_call_stay_verbatim(name: str) -> None:
    request = user("Rename the module, and keep the old name working.")
    session_id = make_session(
        system(), user("First."), says("Done."), request, *rounds(8), calls("open", name="deploy")
    )
    compress(session_id, name)
    assert request in window(session_id)
    assert window(session_id)[-1] == calls("open", name="deploy")


@pytest.mark.case(42)
def test_tokens_held_only_grow_and_the_size_of_the_window_is_counted_apart() -> None:
    session_id = make_session(system(), user(), *rounds(8))
    before = engine.reads.session_state(session_id)
    written = compress(session_id, "digest")
    assert written.state.raw_tokens == before.raw_tokens
    assert written.state.context_tokens < before.context_tokens
    engine.append(session_id=session_id, messages=[says()])
    after = engine.RuntimeSession.load(session_id).context
    assert after.state.raw_tokens > before.raw_tokens
    assert after.state.context_tokens == after.window.tokens


@pytest.mark.case(45)
@pytest.mark.parametrize("name", NAMES)
def test_the_ledger_says_from_where_a_window_was_made_and_what_it_holds(name: str) -> None:
    session_id = make_session(system(), user(), *rounds(8))
    compress(session_id, name)
    read = engine.reads.current_window(session_id)
    entry = engine.reads.versions(session_id, current=2)[-1].entry
    assert (entry.from_next_msg_seq, entry.from_version) == (19, 1)
    assert (entry.after.messages, entry.after.tokens) == (len(read.window), read.window.tokens)
    assert sum(entry.fates.values()) == 18
