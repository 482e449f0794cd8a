"""Writers and readers in processes of their own (contract, section 3, Concurrency)."""

import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from sessions_app import engine
from sessions_app.models import ContextMessage, RawFrame
from tests.builders import head, make_session, make_user, raw, react_rounds, says, system, user, window
from tests.conftest import url_of_the_test_database
from tests.engine.crew import Crew, Died, crew_on
from tests.engine.snapshots import all_tables

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(scope="module")
def crew(django_db_setup: None) -> Iterator[Crew]:
    crew = crew_on(url_of_the_test_database())
    yield crew
    crew.stop()


def figure(name: str, value: int) -> None:
    """Shown with -rP: what was measured on the way."""
    print(f"{value:>8,}  {name}")


def as_list(head: engine.Head) -> list[Any]:
    return [head.session_id, head.next_msg_seq, head.context_compression_version, head.incarnation]


@pytest.mark.case(50)
@pytest.mark.case(51)
def test_eight_processes_append_without_a_head_and_each_frame_is_there_once(crew: Crew) -> None:
    session_id = make_session()
    jobs = [("append_many", {"session_id": session_id, "name": f"w{n}", "count": 50}) for n in range(8)]
    answers = crew.do(*jobs)
    frames = raw(session_id)
    assert len(frames) == 400
    assert {m["content"] for m in frames} == {f"w{w}-{n}" for w in range(8) for n in range(50)}
    for w in range(8):
        own = [m["content"] for m in frames if m["content"].startswith(f"w{w}-")]
        assert own == [f"w{w}-{n}" for n in range(50)], "a writer's own order is not kept"
    assert window(session_id) == frames
    state = engine.reads.session_state(session_id)
    assert (state.next_msg_seq, state.context_messages, state.context_tokens) == (401, 400, state.raw_tokens)
    slowest = max(a["seconds"] for a in answers)
    figure("appends a second", round(400 / slowest))
    figure("retries", sum(a["retries"] for a in answers))
    figure("longest append in ms", round(1000 * max(a["longest"] for a in answers)))


@pytest.mark.case(46)
@pytest.mark.case(49)
def test_of_two_processes_with_one_head_one_wins_every_time(crew: Crew) -> None:
    session_id = make_session(user())
    wins = set()
    for n in range(25):
        seen = as_list(head(session_id))
        jobs = [
            ("append_one", {"session_id": session_id, "messages": [user(f"{w}-{n}"), says(f"{w}-{n}")], "head": seen})
            for w in "ab"
        ]
        answers = crew.do(*jobs)
        assert sorted(map(str, answers)) == sorted(
            [str({"refused": "StaleHead"}), str({"seqs": [2 * n + 2, 2 * n + 3], "replayed": False})]
        )
        winner = "ab"["refused" in answers[0]]
        wins.add(winner)
        assert [m["content"] for m in raw(session_id)[-2:]] == [f"{winner}-{n}"] * 2
    assert window(session_id) == raw(session_id)
    assert RawFrame.objects.count() == ContextMessage.objects.count() == 51


@pytest.mark.case(56)
def test_a_write_whose_process_was_killed_right_after_its_commit_is_answered_to_who_asks_again(crew: Crew) -> None:
    owner = make_user()
    session_id = make_session(user(), owner=owner)
    request = {
        "session_id": session_id,
        "messages": [says("once"), user("only")],
        "head": as_list(head(session_id)),
        "key": [owner.pk, "k", "0" * 64],
    }
    [worker] = crew.of(1)
    worker.hand("die_after_commit", **request)
    with pytest.raises(Died) as died:
        worker.answer()
    assert died.value.code == -signal.SIGKILL
    before = all_tables()
    assert crew.do(("append_one", request)) == [{"seqs": [2, 3], "replayed": True}]
    assert all_tables() == before
    assert raw(session_id) == window(session_id) == [user(), says("once"), user("only")]


@pytest.mark.case(9)
@pytest.mark.case(52)
def test_a_process_killed_within_its_transaction_leaves_nothing_and_no_lock(crew: Crew) -> None:
    session_id = make_session(user())
    before = all_tables()
    request = {"session_id": session_id, "messages": [says("half"), user("half")]}
    [worker] = crew.of(1)
    worker.hand("die_within_the_transaction", **request)
    with pytest.raises(Died) as died:
        worker.answer()
    assert died.value.code == -signal.SIGKILL
    assert all_tables() == before
    assert crew.do(("append_one", request)) == [{"seqs": [2, 3], "replayed": False}]


@pytest.mark.case(73)
def test_of_two_requests_under_one_key_at_once_one_writes_and_the_other_is_its_replay(crew: Crew) -> None:
    owner = make_user()
    session_id = make_session(user(), owner=owner)
    for n in range(25):
        request = {"session_id": session_id, "messages": [says(str(n))], "key": [owner.pk, f"k{n}", "0" * 64]}
        # With a head and without: the one that comes second finds it moved, and the replay goes before that.
        if n % 2:
            request["head"] = as_list(head(session_id))
        answers = crew.do(("append_one", request), ("append_one", request))
        assert sorted(answers, key=str) == [
            {"seqs": [n + 2], "replayed": False},
            {"seqs": [n + 2], "replayed": True},
        ]
    assert len(raw(session_id)) == 26


def test_a_reader_never_sees_an_empty_or_a_mixed_window(crew: Crew) -> None:
    session_id = make_session(system(), user(), *react_rounds(12), keep_context_history=False)
    reader, writer = crew.of(2)
    reader.hand("read_windows", session_id=session_id, count=5_000)
    versions = 0
    answered = None
    while answered is None:
        writer.hand("fold_and_restore", session_id=session_id, seconds=1)
        versions += writer.answer()["versions"]
        answered = reader.answer_if_there()
    assert answered["wrong"] == []
    assert answered["versions"] > 20, "hardly anything was switched while it read"
    figure("reads a second", round(5_000 / answered["seconds"]))
    figure("versions made", versions)
    figure("versions seen", answered["versions"])


@pytest.mark.case(54)
def test_a_writer_of_a_deleted_session_never_touches_the_one_made_again(crew: Crew) -> None:
    owner = make_user()
    incarnation = "first"
    session_id = make_session(user(incarnation), owner=owner, make_incarnation=lambda: incarnation)
    writing = ("write_into_each_incarnation", {"session_id": session_id, "seconds": 4})
    deleting = ("delete_and_make_again", {"session_id": session_id, "owner_id": owner.pk, "seconds": 4})
    *writers, deleter = crew.do(writing, writing, deleting)
    assert deleter["strangers"] == []
    assert deleter["times"] > 10 and all(w["written"] > 10 and w["refused"] > 5 for w in writers)
    figure("made again", deleter["times"])
    figure("written", sum(w["written"] for w in writers))


@pytest.mark.case(47)
def test_a_clock_that_stands_still_makes_no_conflict() -> None:
    frozen = datetime(2026, 1, 1, tzinfo=UTC)
    runtime = engine.RuntimeSession.create(owner_id=make_user().pk, now=lambda: frozen)
    for n in range(100):
        runtime.append(user(str(n)))
    assert [m["content"] for m in raw(runtime.session_id)] == [str(n) for n in range(100)]
    stale = engine.RuntimeSession.load(runtime.session_id, now=lambda: frozen)
    runtime.append(says())
    with pytest.raises(engine.StaleHead):
        stale.append(says())
