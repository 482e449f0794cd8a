"""What an import would write, without a database: the same frames, whatever the history."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import count
from uuid import uuid4

import pytest
from hypothesis import given, settings

from sessions_app import engine
from sessions_app.engine import Frame, ImportedMessage, ImportStep, Message
from tests.builders import calls, make_user, reply, says, user
from tests.engine.test_import import TALK, _histories, compacted, said, take

BEGAN = datetime(2025, 5, 1, 10, tzinfo=UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def timed(steps: list[ImportStep]) -> list[ImportStep]:
    minutes = count()
    return [replace(step, at=BEGAN + timedelta(minutes=next(minutes))) for step in steps]


def recorded(steps: list[ImportStep]) -> list[Frame]:
    return engine.recorded_frames(history=steps, now=lambda: NOW)


def stored(steps: list[ImportStep]) -> list[Frame]:
    """All of version 1: which version was current is what a recording does not know."""
    session_id = str(uuid4())
    take(steps, session_id=session_id, now=lambda: NOW)
    return [replace(f, context_version=1) for f in engine.reads.frames_between(session_id, 1, 10**9)]


def test_no_database_is_asked() -> None:
    frames = recorded([*said(*TALK), compacted(4), *said(user("on"), calls("b"), says())])
    assert [(f.seq, f.role, f.source) for f in frames[-3:]] == [
        (7, "assistant", "import"),
        (8, "tool", "recovery"),
        (9, "assistant", "import"),
    ]
    assert {f.context_version for f in frames} == {1}


def test_a_message_without_a_time_is_said_now_and_a_recovery_frame_has_the_time_before_it() -> None:
    steps: list[ImportStep] = [ImportedMessage(Message.of(calls("a")), at=BEGAN), *said(user())]
    assert [f.created_at for f in recorded(steps)] == [BEGAN, BEGAN, NOW]


def test_orphan_and_late_replies_say_what_they_are() -> None:
    frames = recorded(said(user(), reply("zz"), calls("a"), says(), reply("a", "late")))
    assert [f.is_orphan for f in frames] == [False, True, False, False, False, False]
    assert (frames[-1].call_seq, frames[-1].recovery_seq) == (3, 4)


@pytest.mark.django_db
@settings(max_examples=60)
@given(steps=_histories)
def test_any_history_gives_the_frames_that_its_import_stores(steps: list[ImportStep]) -> None:
    assert recorded(timed(steps)) == stored(timed(steps))


@pytest.mark.django_db
@pytest.mark.parametrize("size", [1, 2, 3])
def test_batches_of_any_size_do_too(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(import_module("sessions_app.engine.retelling"), "_BATCH", size)
    steps = timed([*said(user(), calls("a"), says(), calls("b"), reply("a"), reply("b")), compacted(2), *said(user())])
    assert recorded(steps) == stored(steps)


@pytest.mark.django_db
def test_a_copy_gives_the_frames_that_its_import_stores() -> None:
    session_id, again = str(uuid4()), str(uuid4())
    owner = make_user().pk
    take(
        [*said(*TALK), compacted(4), *said(user(), calls("b"), says(), reply("b"))], owner=owner, session_id=session_id
    )
    copy = engine.reads.copy_of(engine.reads.session_record(session_id))
    engine.import_copy(copy, owner_id=owner, session_id=again)
    assert engine.copied_frames(copy) == engine.reads.frames_between(again, 1, 10**9)


def test_a_copy_that_could_not_be_is_refused() -> None:
    def parts() -> Iterator[engine.Part]:
        yield engine.CopiedFrame(2, "agent", NOW, 1, {}, Message.of(user()))

    copy = engine.Copy("s", "", (), True, False, "", 2, 1, parts)
    with pytest.raises(engine.CopyRefused):
        engine.copied_frames(copy)
