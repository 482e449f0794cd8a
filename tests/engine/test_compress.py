"""The rules of compression and of restoring (contract, section 3, Compression)."""

import time
from typing import Any

import pytest
from django.utils import timezone

from sessions_app import engine
from sessions_app.engine import Message, Window, publish
from sessions_app.models import ContextMessage
from tests.builders import (
    calls,
    claims,
    head,
    make_session,
    raw,
    react_rounds,
    reply,
    roles,
    says,
    system,
    user,
    window,
)
from tests.engine.snapshots import all_tables
from tests.engine.strategies import Fold, Gives, Params, fold

pytestmark = pytest.mark.django_db(transaction=True)


def long_session(rounds: int = 5, **settings: Any) -> str:
    return make_session(system(), user(), *react_rounds(rounds), **settings)


def test_a_compression_publishes_the_next_version_and_leaves_the_raw_frames() -> None:
    session_id = long_session()
    frames = raw(session_id)
    written = fold(session_id, expected=head(session_id))
    assert written.state.context_compression_version == 2
    assert raw(session_id) == frames
    assert claims(session_id) == [[1], [2], [3, 4, 5, 6, 7, 8, 9, 10], [11], [12]]
    assert written.compression is not None
    assert written.compression.fates == {"kept": 4, "edited": 0, "summarised": 8, "dropped": 0}
    assert written.state.context_tokens == sum(i.tokens for i in engine.reads.current_window(session_id).window)


@pytest.mark.case(25)
def test_a_second_compression_covers_what_the_first_covered() -> None:
    session_id = long_session(5)
    fold(session_id)
    engine.append(session_id=session_id, messages=react_rounds(3, start=6))
    fold(session_id)
    assert claims(session_id)[2] == list(range(3, 17))


def test_nothing_to_gain_moves_no_version() -> None:
    session_id = long_session(1)
    before = all_tables()
    with pytest.raises(engine.NothingToCompress):
        fold(session_id)
    with pytest.raises(engine.NothingToCompress):
        engine.compress(session_id=session_id, strategy=Gives(lambda w: w), params=Params())
    assert all_tables() == before


def test_a_dry_run_shows_the_window_and_writes_nothing() -> None:
    session_id = long_session()
    before = all_tables()
    preview = fold(session_id, dry_run=True)
    assert preview.compression is not None and preview.compression.version == 2
    assert len(preview.context or ()) == 5
    assert preview.state.context_compression_version == 1
    assert all_tables() == before


@pytest.mark.case(33)
def test_a_window_that_breaks_a_rule_is_refused_and_nothing_is_written() -> None:
    session_id = long_session()
    before = all_tables()
    with pytest.raises(engine.RuleBroken) as refused:
        engine.compress(session_id=session_id, strategy=Gives(lambda w: Window(w.items[2:])), params=Params())
    assert {b.rule for b in refused.value.broken} >= {1, 3}
    assert all_tables() == before


def test_a_strategy_that_raises_leaves_everything_as_it_was() -> None:
    session_id = long_session()
    before = all_tables()

    def fails(_window: Window) -> Window:
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError):
        engine.compress(session_id=session_id, strategy=Gives(fails), params=Params())
    assert all_tables() == before


def test_keeping_history_keeps_every_window() -> None:
    session_id = long_session()
    before = window(session_id)
    fold(session_id)
    assert [i.message.copy() for i in engine.reads.window_of_version(session_id, 1).window] == before


def test_switching_history_off_deletes_nothing_until_the_next_compression() -> None:
    session_id = long_session()
    fold(session_id)
    engine.change(session_id=session_id, keep_context_history=False)
    assert engine.reads.is_kept(session_id, 1)
    engine.append(session_id=session_id, messages=react_rounds(3, start=6))
    fold(session_id)
    versions = engine.reads.versions(session_id, current=3)
    assert [(v.entry.version, v.kept) for v in versions] == [(1, False), (2, False), (3, True)]
    with pytest.raises(engine.VersionNotKept):
        engine.reads.window_of_version(session_id, 2)
    assert ContextMessage.objects.filter(session_id=session_id).exclude(version=3).count() == 0


def test_the_switch_is_read_inside_the_transaction() -> None:
    session_id = long_session()

    def switches_off(window: Window) -> Window:
        engine.change(session_id=session_id, keep_context_history=False)
        return Fold().compress(window, params=Params(), tools=engine.Toolbox())

    engine.compress(session_id=session_id, strategy=Gives(switches_off), params=Params())
    assert not engine.reads.is_kept(session_id, 1)


@pytest.mark.case(29)
@pytest.mark.case(43)
def test_frames_appended_while_a_summary_is_made_stand_after_it() -> None:
    session_id = long_session()
    seen = head(session_id)

    def meanwhile(window: Window) -> Window:
        engine.append(session_id=session_id, messages=[says("meanwhile"), user("more")])
        return Fold().compress(window, params=Params(), tools=engine.Toolbox())

    written = engine.compress(session_id=session_id, strategy=Gives(meanwhile), params=Params(), expected=seen)
    assert claims(session_id)[-2:] == [[13], [14]]
    assert window(session_id)[-2:] == [says("meanwhile"), user("more")]
    assert written.state.next_msg_seq == 15 and written.state.context_compression_version == 2
    assert [f.context_version for f in engine.reads.frames_between(session_id, 13, 14)] == [1, 1]
    with pytest.raises(engine.StaleHead):
        engine.append(session_id=session_id, messages=[says("old head")], expected=seen)


def test_a_late_reply_that_came_meanwhile_takes_its_place_in_the_new_window() -> None:
    session_id = make_session(system(), user(), *react_rounds(4), calls("z"))
    engine.recover(session_id=session_id)

    def meanwhile(window: Window) -> Window:
        engine.append(session_id=session_id, messages=[reply("z", "real")])
        return Fold().compress(window, params=Params(), tools=engine.Toolbox())

    engine.compress(session_id=session_id, strategy=Gives(meanwhile), params=Params())
    assert window(session_id)[-1] == reply("z", "real")
    assert claims(session_id)[-1] == [12, 13]


def test_frames_are_carried_over_five_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = long_session()
    commit: Any = vars(publish)["commit"]

    def overtaken(prepared: Any) -> bool:
        engine.append(session_id=session_id, messages=[user("again")])
        return bool(commit(prepared))

    monkeypatch.setattr(publish, "commit", overtaken)
    with pytest.raises(engine.Conflict):
        fold(session_id)
    assert head(session_id).context_compression_version == 1


def test_a_window_that_moved_meanwhile_is_a_conflict() -> None:
    session_id = long_session()

    def meanwhile(window: Window) -> Window:
        fold(session_id)
        return Fold().compress(window, params=Params(), tools=engine.Toolbox())

    with pytest.raises(engine.Conflict):
        engine.compress(session_id=session_id, strategy=Gives(meanwhile), params=Params(keep=2))
    assert head(session_id).context_compression_version == 2


@pytest.mark.case(30)
def test_a_session_deleted_meanwhile_stays_deleted() -> None:
    session_id = long_session()

    def meanwhile(window: Window) -> Window:
        engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
        return Fold().compress(window, params=Params(), tools=engine.Toolbox())

    with pytest.raises(engine.SessionNotFound):
        engine.compress(session_id=session_id, strategy=Gives(meanwhile), params=Params())
    assert not any(all_tables().values())


def test_restore_publishes_an_earlier_window_with_the_frames_that_came_later() -> None:
    session_id = long_session()
    before = window(session_id)
    fold(session_id)
    engine.append(session_id=session_id, messages=[says("later")])
    written = engine.restore(session_id=session_id, version=1, expected=head(session_id))
    assert written.state.context_compression_version == 3
    assert window(session_id) == [*before, says("later")]
    assert written.compression is not None and written.compression.strategy == "restore"


def test_version_1_is_rebuilt_from_the_raw_frames_where_it_is_not_kept() -> None:
    session_id = make_session(system(), user(), calls("a"), keep_context_history=False)
    engine.append(session_id=session_id, messages=[user("go on"), reply("a", "in place"), calls("b")], recover=True)
    engine.append(session_id=session_id, messages=[user("and on"), says("yes"), reply("b", "note")], recover=True)
    engine.append(session_id=session_id, messages=react_rounds(4))
    before, before_claims = window(session_id), claims(session_id)
    fold(session_id)
    assert not engine.reads.is_kept(session_id, 1)
    engine.restore(session_id=session_id, version=1)
    assert window(session_id) == before
    assert claims(session_id) == before_claims


def test_restoring_the_current_a_missing_or_an_unknown_version_is_refused() -> None:
    session_id = long_session(keep_context_history=False)
    with pytest.raises(engine.NothingToCompress):
        engine.restore(session_id=session_id, version=1)
    fold(session_id)
    engine.append(session_id=session_id, messages=react_rounds(3, start=6))
    fold(session_id)
    with pytest.raises(engine.VersionNotKept):
        engine.restore(session_id=session_id, version=2)
    for unknown in (0, 4):
        with pytest.raises(engine.VersionNotFound):
            engine.restore(session_id=session_id, version=unknown)


def test_a_late_reply_that_came_under_a_later_version_stands_right_in_a_restored_window() -> None:
    session_id = make_session(system(), user(), *react_rounds(4), calls("z"))
    engine.recover(session_id=session_id)
    fold(session_id)
    engine.append(session_id=session_id, messages=[reply("z", "real"), says("ok")])
    engine.restore(session_id=session_id, version=1)
    assert roles(window(session_id)) == "SUARARARARARA"
    assert claims(session_id)[-2:] == [[12, 13], [14]]


def test_an_unchanged_message_is_stored_without_a_copy_of_it() -> None:
    session_id = long_session()
    fold(session_id)
    rows = ContextMessage.objects.filter(session_id=session_id)
    assert {(r.kind, r.message == "") for r in rows} == {("original", True), ("summary", False)}


def test_a_frame_tells_what_became_of_it_in_each_version() -> None:
    session_id = long_session()
    fold(session_id)
    engine.append(session_id=session_id, messages=[says("new")])
    of_4 = engine.reads.fates_of_frame(session_id, seq=4, since_version=1, current=2)
    assert [(f.version, f.kept, f.fate, f.position) for f in of_4] == [(1, True, "kept", 4), (2, True, "summarised", 3)]
    of_13 = engine.reads.fates_of_frame(session_id, seq=13, since_version=2, current=2)
    assert [(f.version, f.fate, f.position) for f in of_13] == [(2, "kept", 6)]


def test_a_window_marked_original_must_hold_the_messages_that_it_had() -> None:
    session_id = long_session()

    def forges(window: Window) -> Window:
        forged = engine.ContextItem.original(seq=12, message=Message.of(says("forged")), tokens=1)
        return Window((*window.items[:10], forged))

    with pytest.raises(engine.RuleBroken) as refused:
        engine.compress(session_id=session_id, strategy=Gives(forges), params=Params())
    assert 6 in {b.rule for b in refused.value.broken}


def test_a_dry_run_needs_no_head_even_where_writes_do() -> None:
    session_id = long_session(require_head=True)
    assert fold(session_id, dry_run=True).dry_run
    assert engine.recover(session_id=session_id, dry_run=True).dry_run
    with pytest.raises(engine.HeadRequired):
        fold(session_id)


def test_the_rules_are_checked_again_on_the_window_with_the_carried_frames() -> None:
    session_id = long_session()
    judged: list[tuple[int, int]] = []

    def ensure_rules(before: Window, after: Window, _state: engine.SessionState) -> None:
        judged.append((len(before), len(after)))
        if len(judged) == 2:
            raise engine.RuleBroken([engine.Broken(2, None, "only with what was carried over")], strategy="fold")

    def propose(read: engine.reads.WindowRead) -> publish.Proposal:
        window = Fold().compress(read.window, params=Params(), tools=engine.Toolbox())
        engine.append(session_id=session_id, messages=[says("meanwhile"), user("more")])
        return publish.Proposal(window=window, strategy="fold", params={}, ensure_rules=ensure_rules)

    with pytest.raises(engine.RuleBroken):
        publish.publish(
            session_id=session_id,
            propose=propose,
            expected=None,
            dry_run=False,
            created_by="",
            idempotency=None,
            now=timezone.now,
            clock=time.monotonic,
        )
    assert judged == [(12, 5), (14, 7)]
    assert head(session_id).context_compression_version == 1
