"""The rows of a window say of each message what the message itself says."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from sessions_app import engine, jsontext
from sessions_app.engine import ContextItem, ImportedCompaction, ImportedMessage, ImportStep, Message
from sessions_app.engine.reads import ContextRow, WindowRead, WindowRows, window_at, window_of_version, window_rows
from sessions_app.models import ContextMessage, RawFrame
from tests.builders import Msg, call, calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.engine.strategies import fold
from tests.engine.test_machine import Sessions

pytestmark = pytest.mark.django_db

EXCERPT_OF = {"original": 280, "edited": 600, "summary": 1_200}


def said_by(item: ContextItem) -> dict[str, Any]:
    """What a row must say of a message, read off the whole of it."""
    message, limit = item.message, EXCERPT_OF[item.kind]
    return {
        "kind": item.kind,
        "original_seqs": item.original_seqs,
        "tokens": item.tokens,
        "role": message.role,
        "excerpt": jsontext.printable(message.body[:limit]),
        "calls": message.calls,
        "is_error": message.is_error,
        "is_damaged": False,
        "is_note": item.kind == "edited" and engine.is_late_note(message),
        "is_cut": len(message.body) > limit,
    }


def check_rows(rows: WindowRows, whole: WindowRead, *, after: int, limit: int) -> None:
    rest = [p for p in whole.placements if p.position > after]
    assert (rows.state, rows.version, rows.more) == (whole.state, whole.version, len(rest) > limit)
    assert [row.position for row in rows.rows] == [p.position for p in rest[:limit]]
    for row, placement in zip(rows.rows, rest, strict=False):
        expected = said_by(placement.item)
        assert {name: getattr(row, name) for name in expected} == expected


def check_all_rows(session_id: str) -> None:
    """Every window that is kept, and what the model saw before every frame, whole and in part."""
    state = engine.reads.session_state(session_id)
    windows = [(version, None) for version in range(1, state.context_compression_version + 1)]
    seen = [(None, seq) for seq in range(1, state.frame_count + 1)]
    for version, seq in [*windows, *seen]:
        for after, limit in ((0, 1_000), (1, 2), (4, 3), (10_000, 5)):
            try:
                whole = window_of_version(session_id, version) if version else window_at(session_id, seq or 0)
            except engine.VersionNotKept:
                with pytest.raises(engine.VersionNotKept):
                    window_rows(session_id, version=version, at_seq=seq, after_position=after, limit=limit)
                continue
            rows = window_rows(session_id, version=version, at_seq=seq, after_position=after, limit=limit)
            check_rows(rows, whole, after=after, limit=limit)


class WithRows(Sessions):
    def teardown(self) -> None:
        if hasattr(self, "model"):
            check_all_rows(self.session_id)


@pytest.mark.slow
def test_whatever_is_done_to_a_session_its_rows_say_what_its_messages_say() -> None:
    WithRows.owner_id = make_user().pk
    run_state_machine_as_test(WithRows, settings=settings(max_examples=8, stateful_step_count=15))


def rows_of(session_id: str, **page: Any) -> tuple[ContextRow, ...]:
    return window_rows(session_id, version=None, **page).rows


def told_otherwise(*messages: Msg, **others: Msg) -> str:
    """A session of these messages. `others`: what stands in place of a frame, `edited_2=…` or `summary_2=…`."""
    session_id = make_session(*messages)
    for name, message in others.items():
        kind, _, seq = name.partition("_")
        rows = ContextMessage.objects.filter(session_id=session_id, position=int(seq))
        assert rows.update(kind=kind, message=Message.of(message).text) == 1
    return session_id


def test_a_summary_shows_more_of_its_text_than_an_edited_message_and_that_more_than_a_frame() -> None:
    session_id = told_otherwise(
        user(), user(), says(), says("f" * 281), summary_2=user("s" * 1_201), edited_3=says("e" * 601)
    )
    shown = [(row.kind, len(row.excerpt), row.is_cut) for row in rows_of(session_id)]
    assert shown == [
        ("original", 20, False),
        ("summary", 1_200, True),
        ("edited", 600, True),
        ("original", 280, True),
    ]


def test_a_text_that_fills_its_excerpt_is_not_cut() -> None:
    session_id = make_session(user("x" * 280), user("x" * 281), user("中" * 280) | {"extra": "y" * 5_000})
    assert [row.is_cut for row in rows_of(session_id)] == [False, True, False]


def test_a_reply_names_its_tool_also_where_only_its_frame_does() -> None:
    session_id = told_otherwise(
        user(), *react_rounds(2), edited_4=calls("c2", name="grep"), edited_5=reply("c2", "cleared")
    )
    names = [row.tool_names for row in rows_of(session_id)]
    assert names == [(), ("read_file",), ("read_file",), ("grep",), ("read_file",)]


def test_a_late_reply_is_a_note_that_names_its_tool() -> None:
    session_id = make_session(user(), calls("a"))
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[says(), reply("a", "late")])
    *_, recovery, _, note = rows_of(session_id)
    assert (recovery.is_recovery, recovery.is_note) == (True, False)
    assert (note.is_recovery, note.is_note, note.role, note.tool_names) == (False, True, "user", ("run",))


def test_a_recovery_message_reads_as_it_did_before_its_real_reply_came() -> None:
    session_id = make_session(user(), calls("a"))
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "late")])
    now, then = rows_of(session_id)[2], rows_of(session_id, at_seq=4)[2]
    assert (now.kind, now.is_recovery, now.excerpt, str(now.original_seqs)) == ("edited", False, "late", "3-4")
    assert (then.kind, then.is_recovery, str(then.original_seqs)) == ("original", True, "3")


def test_a_message_that_says_its_role_last_is_read_to_its_end() -> None:
    session_id = told_otherwise(says(), edited_1={"content": "c" * 5_000, "role": "assistant"})
    row = rows_of(session_id)[0]
    assert (row.role, len(row.excerpt), row.is_cut) == ("assistant", 600, True)


@pytest.mark.parametrize("cut", range(0, 12, 2))
def test_a_changed_message_may_be_cut_anywhere(cut: int) -> None:
    arguments = " " * cut + "\ud83d\0\\u12" * 700
    session_id = told_otherwise(says(), edited_1=says("told") | {"tool_calls": [call("a", "run", arguments)]})
    row = rows_of(session_id)[0]
    assert (row.role, row.excerpt, row.is_cut, row.is_damaged) == ("assistant", "told", False, False)
    assert [c.name for c in row.calls] == ["run"]
    assert len(row.calls[0].arguments) > 1_000 and arguments.startswith(row.calls[0].arguments)


def test_the_first_part_and_the_reasoning_stand_for_a_text_that_there_is_not() -> None:
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x" * 9_000}}]}
    thought = {"role": "assistant", "content": None, "reasoning_content": "Hm."}
    session_id = told_otherwise(user(), says(), picture, edited_1=picture, edited_2=thought)
    shown = [(row.excerpt, row.first_part, row.has_reasoning) for row in rows_of(session_id)]
    assert shown == [("", "image_url", False), ("", "", True), ("", "image_url", False)]


def test_a_failed_reply_is_told_whoever_wrote_its_message() -> None:
    failed = [reply("a", is_error=True), reply("b", status="error"), reply("c")]
    session_id = told_otherwise(
        calls("a", "b", "c"), *failed, edited_3=reply("b", "cleared", status="error"), edited_4=reply("c", "cleared")
    )
    assert [row.is_error for row in rows_of(session_id)] == [False, True, True, False]


@pytest.mark.parametrize("damage", ['{"role": "assist', "[]", '{"role":"user","content":[1]}', "[" * 5_000])
def test_a_damaged_message_is_told_and_hides_no_other(damage: str) -> None:
    session_id = told_otherwise(user(), says(), says(), edited_2=says("fine"))
    RawFrame.objects.filter(session_id=session_id, seq=1).update(message=damage)
    ContextMessage.objects.filter(session_id=session_id, position=2).update(message=damage)
    shown = [(row.is_damaged, row.role) for row in rows_of(session_id)]
    assert shown == [(True, "user"), (True, ""), (False, "assistant")]


def test_a_page_beyond_the_end_knows_the_session() -> None:
    session_id = make_session(user(), calls("a"))
    page = window_rows(session_id, version=1, after_position=99)
    assert (page.rows, page.more) == ((), False)
    assert page.state == engine.reads.session_state(session_id)


def test_a_window_in_the_order_of_a_file_is_read_in_that_order() -> None:
    steps: list[ImportStep] = [
        *(ImportedMessage(Message.of(m)) for m in (user("one"), says("two"), user("three"))),
        ImportedCompaction(frozenset([0, 2]), Message.of(user("sum")), order=(2, None, 0)),
        ImportedMessage(Message.of(says("four"))),
        ImportedMessage(Message.of(user("five"))),
    ]
    engine.import_session(
        owner_id=make_user().pk, session_id="imported", history=lambda: iter(steps), strategy="import:test"
    )
    assert [str(row.original_seqs) for row in rows_of("imported")] == ["3", "2", "1", "4", "5"]
    assert [str(row.original_seqs) for row in rows_of("imported", at_seq=5)] == ["3", "2", "1", "4"]
    check_all_rows("imported")


def test_what_is_not_there_is_told_by_its_name() -> None:
    session_id = make_session(system(), user(), *react_rounds(4), keep_context_history=False)
    fold(session_id)
    with pytest.raises(engine.SessionNotFound):
        window_rows("nowhere", version=None)
    with pytest.raises(engine.SessionNotFound):
        window_rows("nowhere", version=None, at_seq=1)
    for version in (0, -1, 3):
        with pytest.raises(engine.VersionNotFound):
            window_rows(session_id, version=version)
    for seq in (0, -1, 11):
        with pytest.raises(engine.FrameNotFound):
            window_rows(session_id, version=None, at_seq=seq)
    with pytest.raises(engine.VersionNotKept):
        window_rows(session_id, version=1)
    with pytest.raises(engine.VersionNotKept):
        window_rows(session_id, version=None, at_seq=5)
