"""What changed between two versions is what becomes of each frame by itself, told in few words."""

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from sessions_app import engine
from sessions_app.engine import ContextItem, ImportedCompaction, ImportedMessage, ImportStep, Message, Window
from sessions_app.engine.reads import Difference, difference, window_of_version
from sessions_app.models import ContextMessage, RawFrame
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.engine.strategies import Gives, Params, fold
from tests.engine.test_machine import Sessions

pytestmark = pytest.mark.django_db


def moves_of(found: Difference) -> list[tuple[str, str, str, int]]:
    return [(move.fate_before, move.fate_after, str(move.seqs), move.count) for move in found.moves]


def fates_in(session_id: str, version: int) -> dict[int, str]:
    """The fate of every frame, frame by frame."""
    claimed = {
        seq: engine.fate_of(item)
        for item in window_of_version(session_id, version).window
        for seq in item.original_seqs
    }
    frames = RawFrame.objects.filter(session_id=session_id).values_list("seq", "context_version")
    return {seq: claimed.get(seq, "later" if written_under > version else "dropped") for seq, written_under in frames}


def tokens_in(session_id: str, version: int) -> Counter[str]:
    tokens: Counter[str] = Counter()
    for item in window_of_version(session_id, version).window:
        tokens["summary" if item.kind == "summary" else item.role] += item.tokens
    return tokens


def check_difference(session_id: str, before: int, after: int) -> None:
    found = difference(session_id, before=before, after=after)
    was, now = fates_in(session_id, before), fates_in(session_id, after)
    changed = {seq: (was[seq], now[seq]) for seq in was if was[seq] != now[seq]}
    assert {seq: (m.fate_before, m.fate_after) for m in found.moves for seq in m.seqs} == changed
    assert sum(m.count for m in found.moves) == len(changed)
    assert found.tokens_by_role_before == tokens_in(session_id, before)
    assert found.tokens_by_role_after == tokens_in(session_id, after)
    check_replaced(session_id, found, before, after)


def check_replaced(session_id: str, found: Difference, before: int, after: int) -> None:
    old, new = (window_of_version(session_id, version).placements for version in (before, after))
    stays = {p.item for p in new}
    expected = {
        p.position: tuple(n.position for n in new if set(n.item.original_seqs) & set(p.item.original_seqs))
        for p in old
        if p.item.kind == "summary" and p.item not in stays
    }
    assert {r.position: r.by for r in found.replaced} == expected
    assert all(r.seqs == old[r.position - 1].item.original_seqs for r in found.replaced)


class Compared(Sessions):
    def teardown(self) -> None:
        if hasattr(self, "model"):
            versions = range(1, self.model.version + 1)
            kept = [v for v in versions if v in self.model.windows]
            for before in kept:
                for after in kept:
                    check_difference(self.session_id, before, after)


@pytest.mark.slow
def test_whatever_was_done_to_a_session_its_versions_are_compared_frame_by_frame() -> None:
    Compared.owner_id = make_user().pk
    run_state_machine_as_test(Compared, settings=settings(max_examples=8, stateful_step_count=15))


def test_frames_that_went_the_same_way_are_one_move() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id)
    assert moves_of(difference(session_id, before=1, after=2)) == [("kept", "summarised", "3-12", 10)]
    assert moves_of(difference(session_id, before=2, after=1)) == [("summarised", "kept", "3-12", 10)]


def test_what_both_versions_have_is_no_change() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id)
    found = difference(session_id, before=2, after=2)
    assert (found.moves, found.replaced) == ((), ())


def test_frames_that_came_after_a_version_are_later_in_it() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id)
    engine.append(session_id=session_id, messages=[says("more"), user("and more")])
    assert moves_of(difference(session_id, before=1, after=2))[1:] == [("later", "kept", "15-16", 2)]
    assert moves_of(difference(session_id, before=2, after=1))[1:] == [("kept", "later", "15-16", 2)]


def test_a_later_frame_that_no_window_took_is_dropped_where_it_came() -> None:
    steps: list[ImportStep] = [
        *(ImportedMessage(Message.of(m)) for m in (user("one"), says("two"), user("three"))),
        ImportedCompaction(frozenset([0, 2]), Message.of(user("sum"))),
        ImportedMessage(Message.of(reply("nothing called it"))),
    ]
    engine.import_session(
        owner_id=make_user().pk, session_id="imported", history=lambda: iter(steps), strategy="import:test"
    )
    found = difference("imported", before=1, after=2)
    assert moves_of(found) == [("kept", "summarised", "2", 1), ("later", "dropped", "4", 1)]
    check_difference("imported", 1, 2)
    check_difference("imported", 2, 1)


def test_a_summary_that_is_gone_says_what_stands_for_its_frames_now() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id, keep=3)
    engine.append(session_id=session_id, messages=react_rounds(2, start=7))
    fold(session_id)
    found = difference(session_id, before=2, after=3)
    assert [(r.position, str(r.seqs), r.by) for r in found.replaced] == [(3, "3-8", (3,))]
    engine.restore(session_id=session_id, version=1)
    back = difference(session_id, before=2, after=4)
    assert [r.by for r in back.replaced] == [(3, 4, 5, 6, 7, 8)]


def test_a_summary_said_anew_for_the_same_frames_has_replaced_the_old_one() -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id)

    def shorter(window: Window) -> Window:
        summary = ContextItem.summary(seqs=window[2].original_seqs, message=Message.of(user("[s]")))
        return window.with_item(2, summary)

    engine.compress(session_id=session_id, strategy=Gives(shorter), params=Params())
    found = difference(session_id, before=2, after=3)
    assert (found.moves, [r.by for r in found.replaced]) == ((), [(3,)])


def test_the_role_of_a_changed_message_is_its_own_wherever_it_says_it() -> None:
    session_id = make_session(user(), calls("a"))
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[says(), reply("a", "late")])
    rows = ContextMessage.objects.filter(session_id=session_id, position=4)
    rows.update(kind="edited", message='{"content":"x","role":"developer"}')
    found = difference(session_id, before=1, after=1)
    assert set(found.tokens_by_role_before) == {"user", "assistant", "tool", "developer"}
    assert found.tokens_by_role_before == tokens_in(session_id, 1)


def test_versions_that_are_not_there_are_told_by_their_name() -> None:
    session_id = make_session(system(), user(), *react_rounds(4), keep_context_history=False)
    fold(session_id)
    for before, after in ((1, 2), (2, 1)):
        with pytest.raises(engine.VersionNotKept):
            difference(session_id, before=before, after=after)
    for version in (0, 3):
        with pytest.raises(engine.VersionNotFound):
            difference(session_id, before=2, after=version)
    with pytest.raises(engine.SessionNotFound):
        difference("nowhere", before=1, after=1)


def test_an_empty_window_can_be_compared() -> None:
    found = difference(make_session(), before=1, after=1)
    assert found == Difference((), (), {}, {})
