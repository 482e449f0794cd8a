"""The rules of importing: a history is replayed as appends and as versions, whole or not at all."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app import engine
from sessions_app.compression import parse_params, strategies
from sessions_app.compression.clear_tool_results import ClearToolResults
from sessions_app.engine import ImportedCompaction, ImportedMessage, ImportStep, Message, Window, commit
from tests.builders import Msg, calls, claims, make_user, raw, react_rounds, reply, roles, says, system, user, window
from tests.compression.params import pressed
from tests.engine.copies import copied
from tests.engine.invariants import check_pairing
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

SESSION = "imported"
SUMMARY = {"role": "user", "content": "What happened so far."}


def said(*messages: Msg) -> list[ImportStep]:
    return [ImportedMessage(Message.of(m)) for m in messages]


def compacted(*keeps: int, summary: Msg | None = SUMMARY, **members: Any) -> ImportedCompaction:
    return ImportedCompaction(frozenset(keeps), None if summary is None else Message.of(summary), **members)


def take(steps: list[ImportStep], *, owner: int | None = None, session_id: str = SESSION, **options: Any) -> Any:
    def history() -> Iterator[ImportStep]:
        return iter(steps)

    return engine.import_session(
        owner_id=owner or make_user().pk, session_id=session_id, history=history, strategy="import:test", **options
    )


def sources(session_id: str = SESSION) -> str:
    return "".join(f.source[0] for f in engine.reads.frames_between(session_id, 1, 10**9))


TALK = [system(), user(), calls("a"), reply("a"), says()]


def test_a_history_becomes_frames_and_version_1_in_its_order() -> None:
    imported = take(said(*TALK), title="Talk", labels=["test"], created_by="ann")
    record = engine.reads.session_record(SESSION)
    assert (imported.status, imported.state.frame_count, imported.orphan_replies) == ("created", 5, ())
    assert raw(SESSION) == window(SESSION) == TALK
    assert sources() == "iiiii"
    assert (record.title, record.labels, record.state) == ("Talk", ("test",), imported.state)


def test_frames_keep_the_times_of_the_history_and_their_order_is_its_own() -> None:
    late, early = datetime(2025, 5, 2, tzinfo=UTC), datetime(2025, 5, 1, tzinfo=UTC)
    steps: list[ImportStep] = [
        ImportedMessage(Message.of(calls("a")), {"record": 7}, late),
        ImportedMessage(Message.of(user("next")), {"record": 8}, early),
    ]
    take(steps)
    frames = engine.reads.frames_between(SESSION, 1, 9)
    assert [f.created_at for f in frames] == [late, late, early], "a recovery frame has the time before it"
    assert [f.metadata for f in frames] == [{"record": 7}, {}, {"record": 8}]


def test_a_call_that_the_history_leaves_behind_gets_a_recovery_frame_there() -> None:
    take(said(user(), calls("a", "b"), reply("b"), user("next"), says()))
    assert roles(raw(SESSION)) == "UARRUA"
    assert sources() == "iiirii"


def test_calls_that_are_open_at_the_end_stay_open() -> None:
    imported = take(said(user(), calls("a", "b"), reply("a")))
    assert imported.state.state == "awaiting_tools"
    assert [c.id for c in imported.state.open_calls] == ["b"]
    assert len(engine.recover(session_id=SESSION).frames) == 1


@pytest.mark.case(16)
def test_a_reply_after_another_message_is_a_late_reply() -> None:
    take(said(user(), calls("a"), user("wait"), reply("a", "done")))
    assert roles(raw(SESSION)) == "UARUR"
    shown = window(SESSION)
    assert shown[2] == reply("a", "done"), "no assistant message came between: in the place of the recovery message"
    assert claims(SESSION) == [[1], [2], [3, 5], [4]]


def test_a_reply_after_the_model_went_on_is_a_note() -> None:
    take(said(user(), calls("a"), says("went on"), reply("a", "done")))
    assert roles(window(SESSION)) == "UARAU"
    assert "done" in window(SESSION)[-1]["content"]


def test_a_late_reply_waits_until_no_call_is_open() -> None:
    steps = said(user(), calls("a"), says("x"), calls("b"), reply("a", "late"), reply("b"), says())
    imported = take(steps)
    assert roles(raw(SESSION)) == "UARAARRA"
    assert [m.get("tool_call_id") for m in raw(SESSION) if m["role"] == "tool"] == ["a", "b", "a"]
    assert roles(window(SESSION)) == "UARAARUA"
    assert imported.orphan_replies == ()
    assert take(steps, owner=imported.state.owner_id).status == "exists", "the order of storing is known again"


def test_a_late_reply_that_nothing_waits_for_any_more_is_an_orphan() -> None:
    imported = take(said(user(), calls("a"), says("x"), calls("b"), reply("a", "late")))
    assert imported.orphan_replies == (4,)
    assert [c.id for c in imported.state.open_calls] == ["b"]
    assert roles(window(SESSION)) == "UARAA"


def test_a_reply_before_its_call_matches_nothing_and_stands_in_no_window() -> None:
    imported = take(said(user(), reply("a"), calls("a"), says()))
    assert imported.orphan_replies == (1,)
    assert roles(raw(SESSION)) == "URARA"
    assert claims(SESSION) == [[1], [3], [4], [5]]
    assert engine.reads.frame(SESSION, 2).is_orphan


def test_a_compaction_is_the_next_version_and_its_summary_is_no_frame() -> None:
    at = datetime(2025, 5, 1, tzinfo=UTC)
    imported = take(
        [*said(*TALK), compacted(4, params={"trigger": "auto"}, usage={"output_tokens": 9}, at=at), *said(user("on"))],
        created_by="ann",
    )
    assert (imported.state.frame_count, imported.state.context_compression_version) == (6, 2)
    assert window(SESSION) == [system(), SUMMARY, says(), user("on")]
    assert claims(SESSION) == [[1], [2, 3, 4], [5], [6]]
    assert [f.context_version for f in engine.reads.frames_between(SESSION, 1, 9)] == [1, 1, 1, 1, 1, 2]
    entry = engine.reads.ledger_entry(SESSION, 2)
    assert entry is not None
    assert entry.strategy == "import:test"
    assert (entry.params["trigger"], entry.params["compaction"]) == ("auto", 1)
    assert (entry.usage, entry.created_by, entry.created_at) == ({"output_tokens": 9}, "ann", at)
    assert entry.fates == {"kept": 2, "edited": 0, "summarised": 3, "dropped": 0}


def test_a_compaction_may_make_the_window_larger() -> None:
    take([*said(user("a"), says("b")), compacted(summary={"role": "user", "content": "long " * 500})])
    assert len(window(SESSION)) == 1


def test_without_a_summary_what_does_not_stay_is_dropped() -> None:
    take([*said(*TALK), compacted(4, summary=None)])
    assert window(SESSION) == [system(), says()]


@pytest.mark.parametrize("keeps", [(2,), (3,)])
def test_a_call_group_stays_whole_or_goes(keeps: tuple[int, ...]) -> None:
    take([*said(*TALK), compacted(*keeps)])
    assert window(SESSION) == [system(), SUMMARY]


def test_a_recovery_frame_goes_and_stays_with_its_call() -> None:
    take([*said(user(), calls("a"), user("next"), says()), compacted(1, 3)])
    assert roles(window(SESSION)) == "UARA"
    assert claims(SESSION) == [[1, 4], [2], [3], [5]]


def test_the_group_of_an_open_call_stays_whatever_the_file_says() -> None:
    take([*said(*TALK, user("go"), calls("b", "c"), reply("b")), compacted(), *said(reply("c"))])
    assert window(SESSION) == [system(), SUMMARY, calls("b", "c"), reply("b"), reply("c")]


def test_a_later_compaction_replaces_the_summary_and_may_bring_frames_back() -> None:
    first = {"role": "user", "content": "first"}
    take([*said(*TALK), compacted(summary=first), *said(user("on"), says()), compacted(1, 2, 3)])
    assert window(SESSION) == [*TALK[:4], SUMMARY]
    assert claims(SESSION) == [[1], [2], [3], [4], [5, 6, 7]]


def test_without_a_new_summary_the_earlier_one_stays() -> None:
    take([*said(*TALK), compacted(4), *said(user("on"), says("bye")), compacted(4, 6, summary=None)])
    assert window(SESSION) == [system(), SUMMARY, says(), says("bye")]


@pytest.mark.parametrize(
    ("compaction", "why"),
    [
        (compacted(0, 1, 2, 3, 4), "has a summary that stands for no frame"),
        (compacted(0, 1, 2, 3, 4, summary=None), "changes nothing"),
        (compacted(summary={"role": "assistant", "content": "x"}), "would break rule 11"),
        (compacted(summary={"role": "user", "content": " "}), "would break rule 8"),
    ],
)
def test_a_compaction_that_makes_no_window_is_left_out_and_named(compaction: ImportedCompaction, why: str) -> None:
    imported = take([*said(*TALK), compaction, *said(user("on"))])
    assert len(imported.refused) == 1 and imported.refused[0][0] == 1 and imported.refused[0][1].startswith(why)
    assert imported.state.context_compression_version == 1
    assert window(SESSION) == [*TALK, user("on")]


def test_a_compaction_before_any_message_is_left_out() -> None:
    imported = take([*said(reply("zz")), compacted(), *said(user())])
    assert imported.refused == ((1, "comes before any message"),)


def test_a_compaction_that_was_left_out_stays_so() -> None:
    steps = [*said(user(), says()), compacted(0, 1), *said(user("on"), says())]
    first = take(steps)
    again = take([*steps, *said(user("more"))], owner=first.state.owner_id)
    assert (again.status, again.state.context_compression_version) == ("extended", 1)


def test_a_compaction_that_would_empty_the_window_is_left_out() -> None:
    imported = take([*said(user(), says()), compacted(summary=None)])
    assert imported.refused == ((1, "would leave an empty window"),)


def order_of(version: int) -> Any:
    entry = engine.reads.ledger_entry(SESSION, version)
    assert entry is not None
    return entry.params.get("order")


TWO = said(user("one"), says("a1"), user("two"), says("a2"))


def test_a_compaction_leaves_the_messages_in_the_order_in_which_the_model_saw_them() -> None:
    take([*TWO, compacted(0, 2, order=(0, 2, None)), *said(user("three"))])
    assert window(SESSION) == [user("one"), user("two"), SUMMARY, user("three")]
    assert claims(SESSION) == [[1], [3], [2, 4], [5]]


def test_another_order_than_that_of_the_frames_is_flagged_in_the_ledger() -> None:
    take([*TWO, compacted(0, 2, order=(0, None, 2)), compacted(0, 2, order=(2, None, 0)), compacted(0, 2)])
    assert [order_of(version) for version in (2, 3, 4)] == [None, "file", None]
    assert claims(SESSION) == [[1], [2, 4], [3]]


def test_whatever_the_order_the_system_message_stands_first_and_an_open_call_last() -> None:
    steps = [*said(*TALK, user("go"), calls("b", "c"), reply("b")), compacted(0, 4, 5, 6, order=(6, 5, None, 4, 0))]
    take([*steps, *said(reply("c"))])
    assert window(SESSION) == [system(), user("go"), SUMMARY, says(), calls("b", "c"), reply("b"), reply("c")]


@pytest.mark.parametrize("order", [(3, 2, None), (2, None, 3), (3, None, 2), (2, None)])
def test_a_call_group_stands_together_whatever_the_order(order: tuple[int | None, ...]) -> None:
    take([*said(*TALK), compacted(2, 3, order=order)])
    assert roles(window(SESSION)[:3]) in ("SAR", "SUA")
    check_pairing(window(SESSION))
    assert sorted(roles(window(SESSION))) == sorted("SARU")


def test_without_a_new_summary_the_earlier_one_stands_where_the_order_says() -> None:
    take(
        [
            *TWO,
            compacted(0, 2, order=(0, 2, None)),
            *said(user("on")),
            compacted(2, 0, summary=None, order=(2, None, 0)),
        ]
    )
    assert window(SESSION) == [user("two"), SUMMARY, user("one")]


def test_a_late_reply_takes_the_place_of_its_recovery_message_in_any_order() -> None:
    steps = [*said(user(), says(), calls("a"), user("next")), compacted(1, 2, 3, order=(2, 3, None, 1))]
    imported = take(steps)
    engine.restore(session_id=SESSION, version=1)
    engine.append(session_id=SESSION, messages=[reply("a", "real")])
    engine.restore(session_id=SESSION, version=2)
    shown = [calls("a"), reply("a", "real"), user("next"), SUMMARY, says()]
    assert window(SESSION) == shown
    copied(SESSION, owner_id=imported.state.owner_id)


ROUNDS = react_rounds(6, size=4000)
IN_FILE_ORDER: dict[str, list[ImportStep]] = {
    "the summary after later words": [
        *said(system(), user("one"), says("a1"), user("two"), says("a2")),
        compacted(1, 3, order=(1, 3, None)),
        *said(user("three"), *ROUNDS, says("bye " * 900), user("end"), says()),
    ],
    "the first request behind another": [
        *said(user("one " * 900), says("a1"), user("two"), says("a2 " * 900), *ROUNDS),
        compacted(0, 2, 3, *range(6, 16), summary=None, order=(3, 2, *range(6, 10), 0, *range(10, 16))),
        *said(says("bye"), user("end"), says()),
    ],
    "the first request between others": [
        *said(user("one"), *ROUNDS, says("well " * 900), user("two")),
        compacted(0, *range(3, 15), order=(13, 0, None, *range(3, 13), 14)),
        *said(*react_rounds(2, start=20), says()),
    ],
    "rounds backwards": [
        *said(user("one"), *ROUNDS, user("two")),
        compacted(0, *range(3, 14), order=(13, 9, 10, 11, 12, None, 7, 8, 5, 6, 3, 4, 0)),
    ],
    "an open call": [
        *said(user("one"), *ROUNDS, user("two"), calls("x", "y"), reply("x")),
        compacted(0, *range(3, 14), order=(13, 11, 12, None, 9, 10, 7, 8, 5, 6, 3, 4, 0)),
    ],
    "calls behind the summary": [
        *said(user("one"), *ROUNDS[:6], user("two")),
        compacted(0, 3, 4, 7, order=(0, 7, None, 3, 4)),
        *said(*ROUNDS[6:], says("x " * 900), user("three"), says()),
    ],
}


NOTHING_TO_GAIN = {"dedupe_reads", "drop_reasoning"}
"""These histories ask for nothing twice, and have no reasoning."""


@pytest.mark.parametrize("name", IN_FILE_ORDER)
@pytest.mark.parametrize("strategy", strategies(), ids=lambda s: s.name)
def test_every_strategy_goes_on_from_a_window_in_the_order_of_its_file(strategy: Any, name: str) -> None:
    imported = take(IN_FILE_ORDER[name])
    assert order_of(2) == "file"
    for rounds in (2, 1):
        with suppress(engine.NothingToCompress):
            params = parse_params(strategy, pressed(strategy.name, rounds))
            engine.compress(session_id=SESSION, strategy=strategy, params=params)
        check_pairing(window(SESSION))
    if strategy.name not in NOTHING_TO_GAIN:
        assert engine.reads.session_state(SESSION).context_compression_version > 2
    copied(SESSION, owner_id=imported.state.owner_id)


@pytest.mark.parametrize("name", IN_FILE_ORDER)
def test_a_window_in_the_order_of_its_file_is_restored_and_copied_with_all_that_follows(name: str) -> None:
    imported = take(IN_FILE_ORDER[name])
    shown = claims(SESSION)
    compress_by_all(SESSION)
    engine.append(session_id=SESSION, messages=[user("on"), calls("new")], recover=True)
    tail = claims(SESSION)[-2:]
    engine.restore(session_id=SESSION, version=1)
    engine.restore(session_id=SESSION, version=2)
    assert claims(SESSION)[: len(shown)] == shown
    assert claims(SESSION)[-2:] == tail
    compress_by_all(SESSION)
    copied(SESSION, owner_id=imported.state.owner_id)


def test_what_comes_while_such_a_window_is_compressed_is_carried_over() -> None:
    take(IN_FILE_ORDER["rounds backwards"])

    def meanwhile() -> None:
        engine.append(session_id=SESSION, messages=[user("meanwhile")])

    strategy = Meddling(meanwhile)
    engine.compress(session_id=SESSION, strategy=strategy, params=strategy.Params(protect_rounds=1))
    assert window(SESSION)[-1] == user("meanwhile")
    assert window(SESSION)[0] == user("two")


def compress_by_all(session_id: str) -> None:
    for strategy in strategies():
        with suppress(engine.NothingToCompress):
            params = parse_params(strategy, pressed(strategy.name, 1))
            engine.compress(session_id=session_id, strategy=strategy, params=params)


class Meddling(ClearToolResults):
    """Something happens while it works, once."""

    def __init__(self, meddle: Callable[[], None]) -> None:
        self._meddle = meddle

    def compress(self, window: Window, *, params: Any, tools: engine.Toolbox) -> Window:
        after = super().compress(window, params=params, tools=tools)
        self._meddle()
        return after


def test_a_compaction_that_was_refused_before_another_is_not_tried_again() -> None:
    """By then the window is another one, and might let it in."""
    owner = make_user().pk
    steps = [*said(user(), user()), compacted(2, 2, summary=None), compacted(0)]
    first = take(steps, owner=owner)
    assert (first.status, [number for number, _ in first.refused]) == ("created", [1])
    again = take(steps, owner=owner)
    assert (again.status, again.state) == ("exists", first.state)
    more = take([*steps, *said(says())], owner=owner)
    assert (more.status, more.state.context_compression_version) == ("extended", 2)


STEPS = [*said(*TALK), compacted(4)]


def test_a_compaction_that_came_alone_does_not_undo_what_was_done_to_the_window_since() -> None:
    owner = make_user().pk
    take(STEPS, owner=owner)
    engine.restore(session_id=SESSION, version=1)
    before = engine.reads.session_state(SESSION)
    again = take([*STEPS, compacted(4)], owner=owner)
    assert (again.status, again.state, [number for number, _ in again.refused]) == ("exists", before, [2])
    more = take([*STEPS, compacted(4), *said(user("on")), compacted(4, 5)], owner=owner)
    assert (more.status, more.state.context_compression_version) == ("extended", before.context_compression_version + 1)


class TestAgain:
    STEPS = [*said(*TALK), compacted(4), *said(user("on"), says("bye"))]

    def test_the_same_history_exists_and_nothing_is_written(self, django_assert_num_queries: Any) -> None:
        first = take(self.STEPS)
        before = all_tables()
        with django_assert_num_queries(3):  # the session row, its last imported compaction, the frames
            second = take(self.STEPS, owner=first.state.owner_id)
        assert (second.status, second.state) == ("exists", first.state)
        assert all_tables() == before

    @pytest.mark.parametrize("first_part", range(1, 8))
    def test_a_longer_history_extends_the_session_to_what_the_whole_one_makes(self, first_part: int) -> None:
        owner = make_user().pk
        take(self.STEPS[:first_part], owner=owner)
        extended = take(self.STEPS, owner=owner)
        take(self.STEPS, owner=owner, session_id="whole")
        assert (extended.status, extended.state.context_compression_version) == ("extended", 2)
        assert (raw(SESSION), window(SESSION), claims(SESSION)) == (raw("whole"), window("whole"), claims("whole"))

    def test_a_compaction_alone_extends_too(self) -> None:
        owner = make_user().pk
        take(self.STEPS[:5], owner=owner)
        assert take(self.STEPS[:6], owner=owner).status == "extended"
        assert take(self.STEPS[:6], owner=owner).status == "exists"

    def test_a_shorter_history_exists(self) -> None:
        owner = make_user().pk
        take(self.STEPS, owner=owner)
        assert take(self.STEPS[:3], owner=owner).status == "exists"

    def test_what_was_recovered_meanwhile_does_not_diverge(self) -> None:
        owner = make_user().pk
        take(said(user(), calls("a")), owner=owner)
        engine.recover(session_id=SESSION)
        assert take(said(user(), calls("a")), owner=owner).status == "exists"
        assert take(said(user(), calls("a"), reply("a", "real"), says()), owner=owner).status == "extended"
        assert roles(raw(SESSION)) == "UARRA"
        assert roles(window(SESSION)) == "UARA"

    def test_what_was_compressed_meanwhile_does_not_diverge(self) -> None:
        owner = make_user().pk
        take(self.STEPS, owner=owner)
        engine.restore(session_id=SESSION, version=1)
        assert take(self.STEPS, owner=owner).status == "exists"

    def test_a_message_that_was_stored_half_written_goes_on(self) -> None:
        owner = make_user().pk
        whole = calls("a", "b", text="I look.")
        take(said(user(), says("I look.")), owner=owner)
        take(said(user(), calls("a", text="I look."), reply("a")), owner=owner)
        steps = said(user(), whole, reply("a"), reply("b"), says())
        assert take(steps, owner=owner).status == "extended"
        assert raw(SESSION) == [user(), says("I look."), calls("a"), reply("a"), calls("b"), reply("b"), says()]
        assert take(steps, owner=owner).status == "exists"
        assert window(SESSION) == raw(SESSION)

    def test_only_replies_come_between_a_message_and_its_rest(self) -> None:
        owner = make_user().pk
        take(said(user(), says("Done"), user("next")), owner=owner)
        with pytest.raises(engine.HistoryDiverged):
            take(said(user(), says("Done, really"), user("next")), owner=owner)

    def test_another_compaction_in_the_same_place_is_another_history(self) -> None:
        owner = make_user().pk
        take(self.STEPS, owner=owner)
        other = compacted(4, summary={"role": "user", "content": "Otherwise."})
        for steps in ([*self.STEPS[:5], other], [*self.STEPS[:5], other, *self.STEPS[6:]]):
            with pytest.raises(engine.HistoryDiverged) as refused:
                take(steps, owner=owner)
            assert refused.value.steps == 6

    def test_a_compaction_that_stands_before_stored_messages_and_is_no_version_is_named(self) -> None:
        owner = make_user().pk
        take([*self.STEPS[:5], *self.STEPS[6:]], owner=owner)
        again = take(self.STEPS, owner=owner)
        assert (again.status, [n for n, _ in again.refused]) == ("exists", [1])

    @pytest.mark.parametrize("other", [user("other"), reply("zz"), says("other")])
    def test_other_frames_are_another_history(self, other: Msg) -> None:
        owner = make_user().pk
        take(said(*TALK[:3], reply("a"), other), owner=owner)
        before = all_tables()
        with pytest.raises(engine.HistoryDiverged):
            take(self.STEPS, owner=owner)
        assert all_tables() == before

    def test_the_session_of_another_owner_is_another_history(self) -> None:
        take(self.STEPS)
        with pytest.raises(engine.HistoryDiverged):
            take(self.STEPS)


@pytest.mark.django_db(transaction=True)
def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    owner = make_user().pk
    steps = [*said(*TALK, reply("zz")), compacted(4)]
    before = all_tables()
    would = take(steps, owner=owner, dry_run=True)
    assert all_tables() == before
    did = take(steps, owner=owner)
    assert (would.status, would.orphan_replies, would.state.frame_count) == ("created", (5,), 6)
    assert (did.status, did.orphan_replies, did.state.frame_count) == ("created", (5,), 6)


@pytest.mark.django_db(transaction=True)  # the key to the owner is looked at when all is committed
def test_an_owner_that_does_not_exist_is_told_and_nothing_stays() -> None:
    before = all_tables()
    with pytest.raises(IntegrityError):
        take(said(*TALK), owner=10**9)
    assert all_tables() == before


def test_a_writer_that_comes_between_makes_it_look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user().pk
    take(said(*TALK), owner=owner)
    module = import_module("sessions_app.engine.import_session")
    real = module.find_continuation
    interrupted: list[engine.Written] = []

    def find_and_be_interrupted(state: Any, steps: Any, **options: Any) -> Any:
        found = real(state, steps, **options)
        if not interrupted:
            interrupted.append(engine.append(session_id=SESSION, messages=[user("on")]))
        return found

    monkeypatch.setattr(module, "find_continuation", find_and_be_interrupted)
    assert take(said(*TALK, user("on"), says("bye")), owner=owner).status == "extended"
    assert raw(SESSION) == [*TALK, user("on"), says("bye")]


def test_a_dry_run_without_compactions_takes_no_lock_and_says_the_same(django_assert_num_queries: Any) -> None:
    owner = make_user().pk
    steps = said(user(), calls("a"), says("x"), reply("a", "late"), reply("zz"), calls("b"))
    with django_assert_num_queries(1):  # is there such a session?
        would = take(steps, owner=owner, dry_run=True)
    did = take(steps, owner=owner)
    assert (would.status, would.orphan_replies) == (did.status, did.orphan_replies) == ("created", (4,))
    assert (would.state.frame_count, would.state.open_calls) == (did.state.frame_count, did.state.open_calls)


@pytest.mark.django_db(transaction=True)  # by a real transaction, not by a savepoint
@pytest.mark.parametrize("fails_at", range(1, 6))
def test_a_failure_anywhere_leaves_nothing_of_the_session(monkeypatch: pytest.MonkeyPatch, fails_at: int) -> None:
    writes = 0
    real = commit._insert_context

    def fail(*args: Any) -> None:
        nonlocal writes
        writes += 1
        if writes == fails_at:
            raise RuntimeError("the disk is full")
        real(*args)

    monkeypatch.setattr(commit, "_insert_context", fail)
    owner = make_user().pk
    before = all_tables()
    with pytest.raises(RuntimeError):
        take([*said(*TALK), compacted(4), *said(user(), says()), compacted(), *said(user("end"))], owner=owner)
    assert all_tables() == before


def test_a_history_of_many_batches_is_the_same_as_one_of_a_single(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = said(user(), calls("a"), says("x"), calls("b", "c"), reply("a"), reply("c"), reply("b"), says(), calls("d"))
    owner = make_user().pk
    take(steps, owner=owner, session_id="single")
    for size in (1, 2, 3):
        monkeypatch.setattr(import_module("sessions_app.engine.retelling"), "_BATCH", size)
        take(steps, owner=owner, session_id=f"by-{size}")
        assert (raw(f"by-{size}"), claims(f"by-{size}")) == (raw("single"), claims("single"))
        assert window(f"by-{size}") == window("single")


_ids = st.sampled_from(["a", "b", "c"])
_messages = st.one_of(
    st.just(user()),
    st.just(says()),
    st.lists(_ids, min_size=1, max_size=3, unique=True).map(lambda ids: calls(*ids)),
    _ids.map(reply),
)
_histories = st.lists(
    st.one_of(
        _messages.map(lambda m: said(m)[0]),
        _messages.map(lambda m: said(m)[0]),
        st.builds(
            compacted,
            st.integers(0, 10),
            st.integers(0, 10),
            summary=st.sampled_from([None, SUMMARY]),
            order=st.lists(st.one_of(st.none(), st.integers(0, 10)), max_size=5).map(tuple),
        ),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=80)
@given(steps=_histories, first_part=st.integers(0, 14))
def test_any_history_gives_windows_that_keep_the_rules_and_loses_no_message(
    steps: list[ImportStep], first_part: int
) -> None:
    session_id, owner = str(uuid4()), make_user().pk
    if steps[:first_part]:
        take(steps[:first_part], owner=owner, session_id=session_id)
    imported = take(steps, owner=owner, session_id=session_id)
    messages = [s.message.copy() for s in steps if isinstance(s, ImportedMessage)]
    frames = engine.reads.frames_between(session_id, 1, 10**9)
    kept = [f.message.copy() for f in frames if f.source == "import"]
    assert sorted(kept, key=repr) == sorted(messages, key=repr)
    assert [m for m in kept if m["role"] != "tool"] == [m for m in messages if m["role"] != "tool"]
    for version in range(1, imported.state.context_compression_version + 1):
        read = engine.reads.window_of_version(session_id, version)
        check_pairing([item.message.copy() for item in read.window])
        claimed = [seq for item in read.window for seq in item.original_seqs]
        assert len(claimed) == len(set(claimed))
        firsts = [item.original_seqs.first for item in read.window]
        entry = engine.reads.ledger_entry(session_id, version)
        assert entry is not None
        assert (firsts != sorted(firsts)) == (entry.params.get("order") == "file")
    assert take(steps, owner=owner, session_id=session_id).status == "exists"
    compress_by_all(session_id)
    copied(session_id, owner_id=owner)
    current = engine.reads.current_window(session_id)
    assert (
        current.window.tokens == current.state.context_tokens == sum(i.message.count_tokens() for i in current.window)
    )
    assert len(current.window) == current.state.context_messages
    assert take(steps, owner=owner, session_id=session_id).status == "exists"
    engine.append(session_id=session_id, messages=[user("go on")], recover=True)
    check_pairing(window(session_id))
