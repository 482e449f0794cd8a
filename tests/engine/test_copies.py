"""A copy of a session is equal to it in every row, and what could be no session is refused (docs/bundle.md)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from sessions_app import engine
from sessions_app.engine import CopiedContext, Copy, CopyRefused, Part, Seqs
from tests.builders import make_session, make_user, says, user
from tests.engine.copies import copied, everything
from tests.engine.snapshots import all_tables
from tests.engine.test_machine import Sessions

pytestmark = pytest.mark.django_db(transaction=True)


class Copied(Sessions):
    def teardown(self) -> None:
        if hasattr(self, "model"):
            copy = copied(self.session_id, owner_id=self.owner_id)
            assert everything(copy) == everything(self.session_id)
        super().teardown()


@pytest.mark.slow
@pytest.mark.no_cover  # as tests/conftest.py says of property tests
def test_whatever_was_done_to_a_session_its_copy_is_equal() -> None:
    Copied.owner_id = make_user().pk
    run_state_machine_as_test(Copied, settings=settings(max_examples=40, stateful_step_count=30))


def copy_of(session_id: str) -> Copy:
    return engine.reads.copy_of(engine.reads.session_record(session_id))


def refused(copy: Copy) -> str:
    owner = make_user()
    before = all_tables()
    with pytest.raises(CopyRefused) as why:
        engine.import_copy(copy, owner_id=owner.pk, session_id="new")
    assert all_tables() == before
    return str(why.value)


def test_a_copy_without_a_version_is_refused() -> None:
    assert refused(replace(copy_of(make_session()), parts=lambda: iter(()))) == "version 1 is missing"


@pytest.mark.parametrize("head", [{"next_msg_seq": 4}, {"context_compression_version": 2}])
def test_a_copy_with_another_head_than_its_parts_lead_to_is_refused(head: dict[str, Any]) -> None:
    copy = replace(copy_of(make_session(user(), says())), **head)
    assert refused(copy) == "it has 2 frames and 1 versions, and says otherwise"


def test_a_changed_message_without_a_text_is_refused() -> None:
    copy = copy_of(make_session(user(), says()))

    def parts() -> Iterator[Part]:
        for part in copy.parts():
            is_last = isinstance(part, CopiedContext) and part.position == 2
            yield CopiedContext(1, 2, "edited", Seqs.one(2), None) if is_last else part

    assert refused(replace(copy, parts=parts)) == "the window of version 1: message 2 has no text"


def test_a_copy_under_an_id_that_is_taken_is_refused() -> None:
    session_id = make_session(user())
    with pytest.raises(engine.SessionExists):
        engine.import_copy(copy_of(session_id), owner_id=make_user().pk, session_id=session_id)


def test_a_copy_is_made_now_and_its_frames_were_said_then() -> None:
    session_id = make_session(user(), says())
    made = copied(session_id, owner_id=make_user().pk)
    then, now = (engine.reads.session_record(i) for i in (session_id, made))
    assert now.created_at == now.updated_at > then.created_at
    assert now.state.incarnation != then.state.incarnation
    assert engine.reads.frame(made, 1).created_at == engine.reads.frame(session_id, 1).created_at
