"""The fate strip says of each frame what a reading of the whole window would, and never reads one."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from sessions_app import engine
from sessions_app.engine import ImportedCompaction, ImportedMessage, ImportStep, Message, Window, fate_bins, fate_strip
from sessions_app.models import Compression, ContextMessage, RawFrame
from tests.builders import Msg, calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.engine.copies import copied
from tests.engine.strategies import Fold, Gives, Params, fold
from tests.engine.strips import check_strip, stored_fates
from tests.engine.test_machine import Sessions
from tests.engine.test_statements import plan_of, statements

pytestmark = pytest.mark.django_db


def letters(strip: engine.Strip | None) -> str:
    """One letter a frame: kept, edited, summarised, dropped, recovery, later."""
    assert strip is not None and strip.width == 1
    return "".join(fate[0] for cell in strip.cells for fate, count in cell.counts.items() if count)


def drawn(session_id: str, version: int, **options: Any) -> str:
    return letters(engine.reads.strip(engine.reads.session_state(session_id), version, **options))


def append(session_id: str, *messages: Msg, **options: Any) -> engine.Written:
    return engine.append(session_id=session_id, messages=list(messages), **options)


def long_session(rounds: int = 3) -> str:
    return make_session(system(), user(), *react_rounds(rounds))


def interrupted() -> str:
    """A recovery frame, 9, and then a summary of two rounds before it."""
    session_id = make_session(system(), user(), *react_rounds(2), calls("a", "b"), reply("b"))
    engine.recover(session_id=session_id)
    fold(session_id)
    return session_id


# --- What a strip says ---------------------------------------------------------------------------------


def test_before_any_compression_every_frame_is_kept() -> None:
    assert drawn(long_session(), 1) == "kkkkkkkk"


def test_a_session_without_frames_has_no_cells() -> None:
    strip = engine.reads.strip(engine.reads.session_state(make_session()), 1)
    assert strip == engine.Strip((), dict.fromkeys(engine.STRIP_FATES, 0), 1)


def test_a_summary_covers_its_frames_and_what_comes_after_is_kept() -> None:
    session_id = long_session()
    fold(session_id)
    append(session_id, says("and on"))
    assert drawn(session_id, 2) == "kksssskkk"


def test_what_came_under_a_newer_version_is_later() -> None:
    session_id = long_session()
    fold(session_id)
    append(session_id, says("and on"), user())
    assert drawn(session_id, 1) == "kkkkkkkkll"


def test_a_recovery_frame_that_is_kept_is_told_apart() -> None:
    session_id = interrupted()
    assert drawn(session_id, 1) == "kkkkkkkkr"
    assert drawn(session_id, 2) == "kksssskkr"


def test_a_late_reply_makes_its_recovery_frame_an_edited_one_though_that_lies_in_the_bins() -> None:
    session_id = interrupted()
    append(session_id, reply("a", "real"))
    assert drawn(session_id, 2)[-2:] == "ee"


def test_what_the_model_saw_before_the_late_reply_has_the_recovery_frame() -> None:
    session_id = interrupted()
    append(session_id, user("wait"), reply("a", "real"))
    assert drawn(session_id, 2)[-3:] == "eke"
    assert drawn(session_id, 2, below_seq=11)[-3:] == "rkl"
    assert drawn(session_id, 2, below_seq=10)[-3:] == "rll"


def test_a_late_reply_that_became_a_note_is_edited_and_its_recovery_frame_stays() -> None:
    session_id = interrupted()
    append(session_id, says("going on"), reply("a", "real"))
    assert drawn(session_id, 2)[-3:] == "rke"


def test_a_recovery_frame_that_a_summary_covers_is_summarised() -> None:
    session_id = make_session(system(), user(), calls("a"))
    engine.recover(session_id=session_id)
    append(session_id, *react_rounds(2))
    fold(session_id)
    assert drawn(session_id, 2) == "kksssskk"


def test_a_reply_to_nothing_is_dropped_before_and_after_a_compaction() -> None:
    said = [system(), user(), reply("lost"), says(), user("more"), says(), reply("lost too"), user()]
    steps: list[ImportStep] = [ImportedMessage(Message.of(m)) for m in said]
    steps.insert(6, ImportedCompaction(frozenset({4, 5}), Message.of(user("What was."))))
    engine.import_session(
        owner_id=make_user().pk, session_id="orphans", history=lambda: iter(steps), strategy="import:test"
    )
    assert drawn("orphans", 1) == "kkdkkkll"
    assert drawn("orphans", 2) == "kssskkdk"


def test_frames_that_came_while_a_version_was_made_are_kept_in_both() -> None:
    session_id = make_session(system(), user(), *react_rounds(3), calls("z"))
    engine.recover(session_id=session_id)

    def meanwhile(window: Window) -> Window:
        append(session_id, user("hurry"), reply("z", "real"))
        return Fold().compress(window, params=Params(), tools=engine.Toolbox())

    engine.compress(session_id=session_id, strategy=Gives(meanwhile), params=Params())
    append(session_id, says("after"))
    assert drawn(session_id, 1) == "kkkkkkkkkekel"
    assert drawn(session_id, 2)[-4:] == "ekek"
    for version in (1, 2):
        check_strip(session_id, version, stored_fates(session_id, version))


def test_what_others_have_written_since_is_no_part_of_a_strip() -> None:
    session_id = interrupted()
    before = engine.reads.session_state(session_id)
    then = engine.reads.strip(before, 2)
    append(session_id, reply("a", "real"), says("and on"))
    assert engine.reads.strip(before, 2) == then


def test_a_version_that_is_no_longer_kept_has_none() -> None:
    session_id = make_session(system(), user(), *react_rounds(3), keep_context_history=False)
    fold(session_id)
    state = engine.reads.session_state(session_id)
    assert engine.reads.strip(state, 1) is None
    assert letters(engine.reads.strip(state, 2)) == "kksssskk"


def test_a_window_that_goes_while_its_strip_is_read_leaves_no_half_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = long_session()
    fold(session_id)
    state = engine.reads.session_state(session_id)
    module: Any = import_module("sessions_app.engine.reads.strips")
    orphans = module._orphans

    def meanwhile(*args: Any) -> Any:
        engine.change(session_id=session_id, keep_context_history=False)
        append(session_id, *react_rounds(2, start=50))
        fold(session_id)
        return orphans(*args)

    monkeypatch.setattr(module, "_orphans", meanwhile)
    assert engine.reads.strip(state, 2) is None


@pytest.mark.parametrize("version", [0, 3])
def test_a_version_that_there_is_not_is_refused(version: int) -> None:
    session_id = long_session()
    fold(session_id)
    with pytest.raises(engine.VersionNotFound):
        engine.reads.strip(engine.reads.session_state(session_id), version)


def test_a_version_cannot_be_seen_as_it_was_before_it_was_made() -> None:
    session_id = long_session()
    fold(session_id)
    with pytest.raises(ValueError, match="version 2 was made after frame 8"):
        drawn(session_id, 2, below_seq=8)


def test_before_a_frame_of_a_newer_version_it_is_as_it_was_left() -> None:
    session_id = long_session()
    fold(session_id)
    append(session_id, says("and on"), user())
    assert drawn(session_id, 1, below_seq=10) == drawn(session_id, 1) == "kkkkkkkkll"


# --- Long sessions -------------------------------------------------------------------------------------


def very_long_session() -> str:
    """Some 1,400 frames in three versions, with recovery frames and late replies in each."""
    session_id = make_session(system(), user())
    for part in range(3):
        for n in range(0, 225, 15):
            append(session_id, *react_rounds(n % 7 + 10, start=n, size=20), calls("x"))
            engine.recover(session_id=session_id)
            append(session_id, user("on"), *([reply("x", "real")] if n % 2 else [says(), reply("x", "real")]))
        append(session_id, calls("open", "answered"), reply("answered"))
        engine.recover(session_id=session_id)
        if part < 2:
            fold(session_id, keep=12)
            append(session_id, reply("open", "real"))
    return session_id


def test_in_a_long_session_each_cell_counts_its_frames_as_one_by_one() -> None:
    session_id = very_long_session()
    state = engine.reads.session_state(session_id)
    assert state.frame_count > 2 * fate_bins.MOST and state.context_compression_version == 3
    for version in (1, 2, 3):
        fates = stored_fates(session_id, version)
        for cells in (512, 240, 60, 1):
            check_strip(session_id, version, fates, cells=cells)


def test_the_cells_are_as_narrow_as_their_number_allows() -> None:
    session_id = make_session(*[says(f"{n}") for n in range(240)])
    for more, width, cells in [(0, 1, 240), (1, 2, 121), (239, 2, 240), (1, 4, 121)]:
        if more:
            append(session_id, *[says(f"{n}") for n in range(more)])
        strip = engine.reads.strip(engine.reads.session_state(session_id), 1)
        assert strip is not None
        assert (strip.width, len(strip.cells)) == (width, cells)


# --- Before it is published, and elsewhere ---------------------------------------------------------------


def test_the_strip_of_a_dry_run_is_that_of_the_version_it_would_make() -> None:
    session_id = make_session(system(), user(), *react_rounds(3), calls("a", "b"), reply("b"))
    engine.recover(session_id=session_id)
    would = fold(session_id, dry_run=True)
    assert would.compression is not None and would.context is not None
    preview = engine.reads.strip_of_candidate(session_id, would.compression, would.context)
    fold(session_id)
    assert preview == engine.reads.strip(engine.reads.session_state(session_id), 2)
    assert letters(preview)[-1] == "r"


def test_the_strip_of_bins_alone_knows_no_recovery_frame() -> None:
    session_id = make_session(system(), user(), *react_rounds(3), calls("a"))
    engine.recover(session_id=session_id)
    made = fold(session_id, dry_run=True).compression
    assert made is not None and made.fate_bins is not None
    assert letters(engine.strip_of_bins(made.fate_bins))[-1] == "k"


def test_a_copy_of_the_session_has_the_same_strips() -> None:
    session_id = interrupted()
    append(session_id, reply("a", "real"), *react_rounds(3, start=20))
    fold(session_id)
    copy = copied(session_id, owner_id=make_user().pk)
    for version in (1, 2, 3):
        assert drawn(copy, version) == drawn(session_id, version)


# --- What it costs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("frames", [300, 3000])
def test_a_strip_takes_five_statements_at_any_length(frames: int) -> None:
    session_id = make_session(system(), user(), *react_rounds(5))
    fold(session_id)
    while (missing := frames - engine.reads.session_state(session_id).frame_count) > 0:
        append(session_id, *[says(f"{n} and counting") for n in range(min(missing, 1000))])
    state = engine.reads.session_state(session_id)
    for version in (1, 2):
        with statements(at_most=5):
            assert engine.reads.strip(state, version) is not None


def test_lists_of_the_ledger_do_not_read_the_bins() -> None:
    session_id = interrupted()
    with CaptureQueriesContext(connection) as captured:
        engine.reads.versions(session_id, current=2)
        engine.reads.ledger_entry(session_id, 2)
        engine.reads.fates_of_frame(session_id, seq=4, since_version=1, current=2)
        list(engine.reads.copy_of(engine.reads.session_record(session_id)).parts())
        engine.reads.session_state(session_id)
    assert any("compression" in query["sql"] for query in captured.captured_queries)
    assert not any("fate_bins" in query["sql"] for query in captured.captured_queries)


def test_what_a_strip_cannot_take_as_kept_is_found_by_an_index_of_its_own() -> None:
    session_id = very_long_session()
    owner = make_user()
    for _ in range(20):
        make_session(system(), user(), *react_rounds(30, size=20), owner=owner)
    with connection.cursor() as cursor:
        for model in (RawFrame, ContextMessage, Compression):
            cursor.execute(f"ANALYZE {model._meta.db_table}")
    state = engine.reads.session_state(session_id)
    with CaptureQueriesContext(connection) as captured:
        engine.reads.strip(state, 2)
    plans = ["\n".join(plan_of(query["sql"])) for query in captured.captured_queries]
    served_by = ["compression", "context_edited", "frame_recovery", "frame_orphan", "compression"]
    for plan, index in zip(plans, served_by, strict=True):
        assert index in plan, plan
        assert "Seq Scan" not in plan and " SCAN " not in plan


# --- Any session ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_with_wide_bins_too_the_strips_of_any_session_are_as_the_model_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions of the other runs are too short for bins of more than one frame."""
    for module in (fate_bins, fate_strip):
        monkeypatch.setattr(module, "MOST", 8)
    Sessions.owner_id = make_user().pk
    run_state_machine_as_test(Sessions, settings=settings(max_examples=10, stateful_step_count=30))


def test_the_migration_stores_what_a_version_stores_that_is_published_now() -> None:
    kept = [very_long_session(), interrupted(), make_session(), long_session()]
    append(kept[1], reply("a", "real"))
    gone = make_session(system(), user(), *react_rounds(3), keep_context_history=False)
    fold(gone)
    rows = Compression.objects.order_by("session_id", "version").values_list("session_id", "version", "fate_bins")
    before = list(rows)
    assert [bool(text) for session_id, _, text in before if session_id == gone] == [False, True]
    Compression.objects.update(fate_bins="")
    import_module("sessions_app.migrations.0002_fate_bins").fill(apps, connection.schema_editor())
    assert list(rows) == before
