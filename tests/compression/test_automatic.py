"""What a session's policy does by itself after an append (contract, section 4, `compression_policy`)."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from sessions_app import compression, engine
from sessions_app.compression import Policy, is_due, load_policy, parse_policy, stopped
from sessions_app.engine import InvalidInput, Written
from sessions_app.models import Compression, Session
from tests.builders import calls, claims, head, make_session, make_user, raw, react_rounds, reply, says, system, user
from tests.builders import window as messages_of
from tests.engine.snapshots import all_tables
from tests.engine.test_failures import Broken, failing
from tests.engine.test_statements import statements

pytestmark = pytest.mark.django_db(transaction=True)

SLIDE: dict[str, Any] = {"strategy": "sliding_window", "params": {"protect_rounds": 1}, "auto": True}


@pytest.fixture(autouse=True)
def _strategies(settings: Any) -> None:
    settings.STRATEGY_MODULES = ["tests.compression.failing_strategies"]


def policy(**members: Any) -> str:
    """Due from 1,000 tokens on."""
    return parse_policy({"limit_tokens": 2_000, "trigger": 0.5, "target": 0.25, **SLIDE, **members}, "")


def session(*messages: dict[str, Any], **members: Any) -> str:
    return make_session(system(), user(), *messages, compression_policy=policy(**members))


def nearly_due(**members: Any) -> str:
    """One round of react_rounds more, and it is due."""
    session_id = session(*react_rounds(12), **members)
    assert 850 < engine.reads.session_state(session_id).context_tokens < 1_000
    return session_id


def due(session_id: str, start: int = 50, **options: Any) -> Written:
    """Append what makes it due."""
    return compression.append(session_id=session_id, messages=react_rounds(3, start=start), **options)


def entry(session_id: str) -> engine.LedgerEntry:
    newest = engine.reads.ledger_entry(session_id, engine.reads.session_state(session_id).context_compression_version)
    assert newest is not None
    return newest


# --- What it does


def test_a_window_that_is_due_is_compressed_right_after_the_append() -> None:
    session_id = nearly_due()
    frames = raw(session_id)
    written = due(session_id, created_by="ann")
    assert written.state.context_compression_version == 2
    assert written.state.head == head(session_id)
    assert raw(session_id) == frames + [frame.message.copy() for frame in written.frames]
    made = entry(session_id)
    assert (made.strategy, made.automatic, made.created_by) == ("sliding_window", True, "ann")
    assert made == written.compression
    assert made.after.tokens < made.before.tokens


def test_a_window_that_is_not_due_is_left_as_it_is() -> None:
    session_id = nearly_due()
    written = compression.append(session_id=session_id, messages=[says("A word.")])
    assert written.compression is None
    assert head(session_id).context_compression_version == 1


@pytest.mark.parametrize("has_policy", [True, False])
def test_without_auto_nothing_is_compressed(has_policy: bool) -> None:
    session_id = nearly_due()
    engine.change(session_id=session_id, compression_policy=policy(auto=False) if has_policy else "")
    assert due(session_id).compression is None
    assert head(session_id).context_compression_version == 1


def test_the_engines_own_append_compresses_nothing() -> None:
    session_id = nearly_due()
    engine.append(session_id=session_id, messages=react_rounds(3, start=50))
    assert head(session_id).context_compression_version == 1


def test_a_version_that_a_person_asked_for_is_not_automatic() -> None:
    session_id = nearly_due()
    strategy = compression.find("sliding_window")
    engine.compress(session_id=session_id, strategy=strategy, params=strategy.Params())
    assert not entry(session_id).automatic


def test_the_answer_names_what_stands_for_the_new_frames_in_the_new_window() -> None:
    session_id = nearly_due()
    written = due(session_id)
    new = [frame.seq for frame in written.frames]
    stored = engine.reads.current_window(session_id)
    expected = [p for p in stored.placements if set(p.item.original_seqs) & set(new)]
    assert written.context is not None
    assert [(p.position, p.item.message.data) for p in written.context] == [
        (p.position, p.item.message.data) for p in expected
    ]
    assert [list(p.item.original_seqs) for p in written.context] == [[new[-2]], [new[-1]]], "older rounds are dropped"


def test_a_summary_that_covers_a_new_frame_stands_for_it() -> None:
    session_id = nearly_due(strategy="digest")
    written = due(session_id)
    assert written.context is not None
    assert written.context[0].item.kind == "summary"
    assert written.frames[0].seq in written.context[0].item.original_seqs


def test_with_recovery_it_is_compressed_as_well_and_the_recovery_frames_are_in_the_answer() -> None:
    session_id = nearly_due()
    engine.append(session_id=session_id, messages=[calls("lost")])
    written = compression.append(session_id=session_id, messages=[user("word " * 400)], recover=True)
    assert [frame.source for frame in written.frames] == ["recovery", "agent"]
    assert written.state.context_compression_version == 2
    assert messages_of(session_id)[-1]["role"] == "user"


def test_open_calls_stay_and_can_be_answered_next() -> None:
    session_id = nearly_due()
    written = compression.append(
        session_id=session_id, messages=[*react_rounds(2, start=50), calls("open", text="word " * 100)]
    )
    assert written.state.context_compression_version == 2
    after = compression.append(session_id=session_id, messages=[reply("open")], expected=written.state.head)
    assert after.state.open_calls == ()


def test_the_policys_trigger_and_target_are_those_of_a_strategy_that_has_such_parameters(
    caplog: pytest.LogCaptureFixture,
) -> None:
    session_id = nearly_due(strategy="measured", params={"target": 0.125})
    with caplog.at_level(logging.INFO):
        due(session_id)
    assert "0.5 0.125 of 2000" in caplog.text


# --- Heads


def test_the_head_of_the_answer_serves_the_next_append() -> None:
    session_id = nearly_due()
    seen = head(session_id)
    for n in range(4):
        seen = due(session_id, start=50 + 10 * n, expected=seen).state.head
    assert seen == head(session_id)


def test_a_frame_that_came_in_between_is_not_carried_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The head of the answer would cover a frame that its reader never saw."""
    session_id = nearly_due()
    _first(monkeypatch, lambda: engine.append(session_id=session_id, messages=[says("From another.")]))
    written = due(session_id)
    assert written.compression is None
    assert head(session_id).context_compression_version == 1
    assert written.state.next_msg_seq == head(session_id).next_msg_seq - 1
    with pytest.raises(engine.StaleHead):
        compression.append(session_id=session_id, messages=[says()], expected=written.state.head)


def test_a_frame_that_comes_while_the_window_is_made_is_not_carried_over(monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = nearly_due()
    strategy = compression.find("sliding_window")
    made = type(strategy).compress

    def slow(self: Any, *args: Any, **options: Any) -> Any:
        engine.append(session_id=session_id, messages=[says("From another.")])
        return made(self, *args, **options)

    monkeypatch.setattr(type(strategy), "compress", slow)
    written = due(session_id)
    assert written.compression is None
    assert head(session_id).context_compression_version == 1
    assert messages_of(session_id)[-1] == says("From another.")


@pytest.mark.parametrize("clears", [True, False])
def test_a_policy_that_was_set_meanwhile_is_honoured(monkeypatch: pytest.MonkeyPatch, clears: bool) -> None:
    session_id = nearly_due()
    text = "" if clears else policy(auto=False)
    strategy = compression.find("sliding_window")
    made = type(strategy).compress

    def slow(self: Any, *args: Any, **options: Any) -> Any:
        engine.change(session_id=session_id, compression_policy=text)
        return made(self, *args, **options)

    monkeypatch.setattr(type(strategy), "compress", slow)
    assert due(session_id).compression is None
    assert head(session_id).context_compression_version == 1
    assert Session.objects.get(pk=session_id).compression_policy == text


@pytest.mark.case(43)
def test_an_old_handle_meets_a_documented_refusal_reloads_and_appends_once() -> None:
    session_id = nearly_due()
    agent = engine.RuntimeSession.load(session_id)
    due(session_id)
    before = len(raw(session_id))
    with pytest.raises(engine.StaleHead) as refused:
        agent.append(says("Mine."))
    assert refused.value.actual.context_compression_version == 2
    agent.reload()
    agent.append(says("Mine."))
    assert len(raw(session_id)) == before + 1
    assert raw(session_id).count(says("Mine.")) == 1
    assert claims(session_id)[-1] == [before + 1]


def _first(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let `act` be done between the append and the compression that follows it."""
    plain = engine.compress_after

    def later(*args: Any, **options: Any) -> Written:
        act()
        return plain(*args, **options)

    monkeypatch.setattr(engine, "compress_after", later)


# --- A failure never fails the append


@pytest.mark.parametrize(
    ("strategy", "level", "said"),
    [
        ("declines", "INFO", "There is nothing to do."),
        ("breaks_a_rule", "WARNING", "rule 1"),
        ("raises", "ERROR", "could not be compressed automatically by 'raises'"),
    ],
)
def test_a_strategy_that_fails_leaves_the_append_as_it_is_and_is_logged(
    strategy: str, level: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    session_id = nearly_due(strategy=strategy, params={})
    with caplog.at_level(logging.INFO):
        written = due(session_id)
    assert written.compression is None
    assert written.state.head == head(session_id)
    assert len(written.context or ()) == len(written.frames) == 6
    assert Compression.objects.filter(session_id=session_id).count() == 1
    (record,) = [r for r in caplog.records if r.name == "sessions_app.compression.automatic"]
    assert record.levelname == level
    assert said in record.getMessage()
    assert session_id in record.getMessage()


def test_a_strategy_that_is_no_longer_installed_leaves_the_append_as_it_is(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    session_id = nearly_due(strategy="declines", params={})
    settings.STRATEGY_MODULES = []
    assert due(session_id).compression is None
    assert "there is no 'declines'" in caplog.text


def test_a_refused_append_compresses_nothing() -> None:
    session_id = nearly_due()
    due(session_id, expected=None)
    before = all_tables()
    with pytest.raises(engine.UnmatchedToolReply):
        compression.append(session_id=session_id, messages=[reply("nonesuch")])
    assert all_tables() == before


# --- Replays


def keyed(session_id: str) -> engine.IdempotencyKey:
    owner_id = engine.reads.session_state(session_id).owner_id
    return engine.IdempotencyKey(owner_id=owner_id, key="k", request_hash="0" * 64)


def test_a_replay_tells_the_compression_too_and_does_nothing() -> None:
    session_id = nearly_due()
    first = due(session_id, idempotency=keyed(session_id))
    before = all_tables()
    again = due(session_id, idempotency=keyed(session_id))
    assert again.replayed
    assert all_tables() == before
    assert again.state.head == first.state.head
    assert again.compression == first.compression
    assert [f.seq for f in again.frames] == [f.seq for f in first.frames]
    assert [(p.position, p.item.message.data) for p in again.context or ()] == [
        (p.position, p.item.message.data) for p in first.context or ()
    ]


def test_a_replay_of_an_append_that_was_not_compressed_compresses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a crash between the two transactions: the append alone is the truth."""
    session_id = nearly_due()

    def crash(*_args: Any, **_options: Any) -> Written:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(engine, "compress_after", crash)
        with pytest.raises(KeyboardInterrupt):
            due(session_id, idempotency=keyed(session_id))
    again = due(session_id, idempotency=keyed(session_id))
    assert again.replayed
    assert again.compression is None
    assert again.state.head == head(session_id)
    assert len(again.context or ()) == 6


# --- The working set


def test_a_runtime_that_is_given_it_holds_the_window_after_the_compression() -> None:
    session_id = nearly_due()
    agent = engine.RuntimeSession.load(session_id, append_with=compression.append)
    for n in range(3):
        agent.append(*react_rounds(3, start=50 + 10 * n))
    fresh = engine.RuntimeSession.load(session_id)
    assert agent.head == fresh.head
    assert agent.head.context_compression_version > 1
    assert agent.messages() == fresh.messages()
    assert [i.original_seqs for i in agent.context.window] == [i.original_seqs for i in fresh.context.window]


def test_a_runtime_that_is_made_or_resumed_appends_with_what_it_is_given() -> None:
    made = engine.RuntimeSession.create(
        owner_id=make_user().pk,
        messages=[system(), user()],
        compression_policy=policy(),
        append_with=compression.append,
    )
    made.append(*react_rounds(20))
    assert made.head.context_compression_version == 2
    resumed = engine.RuntimeSession.resume(made.session_id, append_with=compression.append)
    resumed.append(*react_rounds(20, start=30))
    assert resumed.head.context_compression_version == 3


# --- The guard


def crowded(**members: Any) -> str:
    """What stays of it is due at once, so that each append compresses."""
    return session(*react_rounds(2), trigger=10, target=10, **members)


def step(session_id: str, n: int, *, answers: int = 1, **options: Any) -> Written:
    return compression.append(session_id=session_id, messages=react_rounds(answers, start=100 * n), **options)


def test_three_automatic_versions_within_nine_assistant_frames_stop_it_and_the_third_says_so() -> None:
    session_id = crowded()
    written = [step(session_id, n) for n in (1, 2, 3)]
    assert [w.state.context_compression_version for w in written] == [2, 3, 4]
    assert [bool(stopped(w.state.compression_policy)) for w in written] == [False, False, True]
    assert stopped(written[2].state.compression_policy).startswith("Versions 2, 3 and 4 were made automatically")
    stored = engine.reads.session_state(session_id)
    assert stored.compression_policy == written[2].state.compression_policy
    after = step(session_id, 4)
    assert after.compression is None
    assert is_due(policy_text=after.state.compression_policy, context_tokens=after.state.context_tokens)


def test_what_a_person_does_in_between_does_not_hide_them_from_the_guard() -> None:
    session_id = crowded()
    for n in (1, 2):
        step(session_id, n)
        engine.restore(session_id=session_id, version=1)
    third = step(session_id, 3)
    assert third.state.context_compression_version == 6
    assert stopped(third.state.compression_policy).startswith("Versions 2, 4 and 6 were made automatically")
    assert step(session_id, 4).compression is None


def test_with_ten_assistant_frames_between_it_goes_on() -> None:
    session_id = crowded()
    for n in range(1, 6):
        written = step(session_id, n, answers=5)
        assert written.state.context_compression_version == n + 1
        assert not stopped(written.state.compression_policy)


@pytest.mark.parametrize(("answers", "stops"), [(9, True), (10, False)])
def test_nine_are_too_few_and_ten_are_enough(answers: int, stops: bool) -> None:
    """Counted from the head that the first of the three was made from."""
    session_id = crowded()
    step(session_id, 1, answers=30)
    step(session_id, 2, answers=answers - 4)
    written = step(session_id, 3, answers=4)
    assert written.state.context_compression_version == 4
    assert bool(stopped(written.state.compression_policy)) is stops


def test_whichever_of_its_statements_fails_the_append_stands_and_it_has_not_stopped() -> None:
    """The version, the stop and the amended answer are written together or not at all."""
    for k in range(1, 100):
        session_id = crowded()
        step(session_id, 1)
        step(session_id, 2)
        key, counted = keyed(session_id), list[str]()
        try:
            with failing(k, counted):
                written = step(session_id, 3, idempotency=key)
        except Broken:
            continue  # one of the append's own
        if len(counted) < k:
            break
        assert written.compression is None, counted[-1]
        assert written.state == engine.reads.session_state(session_id)
        assert written.state.context_compression_version == 3
        assert not stopped(written.state.compression_policy)
        assert step(session_id, 3, idempotency=key).compression is None, "the replay tells the append alone"
    assert written.compression is not None
    assert k >= 14, f"only {k - 1} statements were made to fail"


def test_setting_the_policy_starts_it_again_and_counts_anew() -> None:
    session_id = crowded()
    for n in (1, 2, 3):
        step(session_id, n)
    text = parse_policy({"target": 5}, engine.reads.session_state(session_id).compression_policy)
    assert not stopped(text)
    engine.change(session_id=session_id, compression_policy=text)
    written = [step(session_id, n) for n in (4, 5, 6)]
    assert [w.state.context_compression_version for w in written] == [5, 6, 7]
    assert [bool(stopped(w.state.compression_policy)) for w in written] == [False, False, True]


def test_what_the_guard_keeps_is_no_member_of_the_policy() -> None:
    session_id = crowded()
    for n in (1, 2, 3):
        step(session_id, n)
    text = engine.reads.session_state(session_id).compression_policy
    read = load_policy(text)
    assert read is not None
    assert set(read.model_dump()) == set(Policy.model_fields)
    assert json.loads(parse_policy(read.model_dump(), text))["auto"] is True, "what is served can be sent back"


# --- What it costs


def test_it_takes_one_read_and_one_transaction_more() -> None:
    """6 of the append; the window; BEGIN, UPDATE, the switch of the history, two inserts, COMMIT."""
    session_id = nearly_due()
    with statements(at_most=13):
        assert due(session_id).compression is not None


def test_the_guard_takes_two_more_from_the_third_version_on() -> None:
    session_id = crowded()
    step(session_id, 1)
    step(session_id, 2)
    with statements(at_most=15):
        assert stopped(step(session_id, 3).state.compression_policy)


def test_a_key_takes_three_more() -> None:
    """Two of the append, and the amended answer."""
    session_id = nearly_due()
    key = keyed(session_id)
    with statements(at_most=16):
        assert due(session_id, idempotency=key).compression is not None


@pytest.mark.parametrize("has_policy", [True, False])
def test_an_append_after_which_nothing_is_due_costs_what_it_did(has_policy: bool) -> None:
    session_id = nearly_due()
    if not has_policy:
        engine.change(session_id=session_id, compression_policy="")
    with statements(at_most=6):
        compression.append(session_id=session_id, messages=[says("One more.")])


# --- Which strategies may


def test_a_strategy_that_asks_a_model_cannot_run_by_itself() -> None:
    with pytest.raises(InvalidInput, match="asks a model") as caught:
        policy(strategy="writes", params={})
    assert [f.pointer for f in caught.value.faults] == ["/compression_policy/auto"]
    assert json.loads(policy(strategy="writes", params={}, auto=False))["auto"] is False


def test_one_that_does_without_under_its_parameters_can() -> None:
    session_id = nearly_due(strategy="writes", params={"fallback": "digest"})
    assert due(session_id).state.context_compression_version == 2
