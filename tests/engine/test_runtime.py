"""The working set of an agent: what it holds, what it shares, and that a refusal changes nothing of it."""

import pytest

from sessions_app import engine
from sessions_app.engine import RuntimeSession
from tests.builders import Msg, calls, head, make_session, make_user, raw, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables
from tests.engine.strategies import Fold, Params

pytestmark = pytest.mark.django_db(transaction=True)


def runtime_with(*messages: Msg) -> RuntimeSession:
    return RuntimeSession.create(owner_id=make_user().pk, messages=messages)


def same_as_loaded(runtime: RuntimeSession) -> bool:
    return runtime.context == RuntimeSession.load(runtime.session_id).context


def test_each_operation_leaves_what_a_fresh_load_would_give() -> None:
    runtime = runtime_with(system(), user(), *react_rounds(4))
    runtime.append(calls("a", "b"))
    assert same_as_loaded(runtime) and [c.id for c in runtime.open_calls] == ["a", "b"]
    runtime.append(reply("a"))
    assert same_as_loaded(runtime)
    runtime.recover(reason="crash")
    assert same_as_loaded(runtime) and runtime.open_calls == ()
    runtime.append(reply("b", "real"))
    assert same_as_loaded(runtime) and runtime.messages()[-1] == reply("b", "real")
    runtime.compress(Fold(), created_by="test")
    assert same_as_loaded(runtime) and runtime.head.context_compression_version == 2
    runtime.append(says(), user(), metadata=[{"a": 1}, {}])
    assert same_as_loaded(runtime)
    runtime.restore(1, created_by="test")
    assert same_as_loaded(runtime) and runtime.messages() == raw_without_recovery(runtime)


def raw_without_recovery(runtime: RuntimeSession) -> list[Msg]:
    messages = raw(runtime.session_id)
    late = messages.index(reply("b", "real"))
    return [*messages[: late - 1], messages[late], *messages[late + 1 :]]


def test_an_append_shares_what_did_not_change_and_leaves_the_older_context_alone() -> None:
    runtime = runtime_with(system(), user())
    older = runtime.context
    runtime.append(says("new"))
    assert runtime.context is not older and len(older.window) == 2
    assert all(a is b for a, b in zip(older.window, runtime.context.window, strict=False))


@pytest.mark.case(46)
@pytest.mark.case(49)
def test_of_two_runtimes_the_second_is_stale_and_stays_what_it_was_until_it_reloads() -> None:
    first = runtime_with(user())
    second = RuntimeSession.load(first.session_id)
    first.append(says("first"))
    held, before = second.context, all_tables()
    for write in (
        lambda: second.append(says("second")),
        lambda: second.recover(),
        lambda: second.compress(Fold(), Params()),
        lambda: second.restore(1),
    ):
        with pytest.raises(engine.StaleHead):
            write()
    assert second.context is held and all_tables() == before
    second.reload()
    second.append(says("second"))
    assert raw(first.session_id) == [user(), says("first"), says("second")]


def test_a_refused_message_changes_nothing_in_memory() -> None:
    runtime = runtime_with(user(), calls("a"))
    held = runtime.context
    for messages, refusal in (
        ([], engine.InvalidMessages),
        ([{"role": "user"}], engine.InvalidMessages),
        ([user()], engine.OpenToolCalls),
        ([reply("z")], engine.UnmatchedToolReply),
    ):
        with pytest.raises(refusal):
            runtime.append(*messages)
    assert runtime.context is held


def test_the_dicts_that_it_gives_are_the_callers_own() -> None:
    runtime = runtime_with(user("x"))
    runtime.messages()[0]["content"] = "changed"
    assert runtime.messages() == [user("x")]


@pytest.mark.case(20)
def test_to_load_writes_nothing_and_to_resume_recovers() -> None:
    session_id = make_session(user(), calls("a"))
    before = all_tables()
    assert RuntimeSession.load(session_id).open_calls
    assert all_tables() == before
    resumed = RuntimeSession.resume(session_id, reason="crash")
    assert "a crash" in resumed.messages()[-1]["content"]
    assert resumed.head == head(session_id)
    with pytest.raises(engine.SessionNotFound):
        RuntimeSession.resume("nowhere")


@pytest.mark.case(72)
def test_what_the_user_said_is_there_although_the_model_failed() -> None:
    runtime = runtime_with()
    runtime.append(user("please"))
    # The model raises here, and the process ends.
    assert RuntimeSession.resume(runtime.session_id).messages() == [user("please")]


@pytest.mark.case(77)
def test_the_settings_of_a_session_come_back_on_load() -> None:
    made = RuntimeSession.create(
        owner_id=make_user().pk, keep_context_history=False, require_head=True, compression_policy='{"limit_tokens":9}'
    )
    state = RuntimeSession.load(made.session_id).context.state
    assert (state.keep_context_history, state.require_head) == (False, True)
    assert state.compression_policy == '{"limit_tokens":9}'
    made.append(user("it names its head by itself"))


def test_a_wording_of_its_own_is_used_for_what_it_recovers() -> None:
    session_id = make_session(user(), calls("a", name="deploy"))
    runtime = RuntimeSession.load(session_id, wording=engine.RecoveryWording("No answer of {tool}{reason}."))
    runtime.append(user("on"), recover=True)
    assert runtime.messages()[2]["content"] == "No answer of deploy."
