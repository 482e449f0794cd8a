"""What the database itself refuses, and how a write takes the session's row (contract, sections 2 and 3)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, models, transaction

from sessions_app.models import Compression, ContextMessage, IdempotencyRecord, RawFrame, Session
from tests.builders import make_session, make_user, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FRAME: dict[str, Any] = {
    "seq": 2,
    "message": "{}",
    "role": "user",
    "tokens": 1,
    "tokenizer": "t",
    "source": "agent",
    "context_version": 1,
    "created_at": NOW,
}
ITEM: dict[str, Any] = {
    "version": 1,
    "position": 2,
    "kind": "original",
    "original_seqs": "1",
    "first_seq": 1,
    "last_seq": 1,
    "tokens": 1,
}
LEDGER: dict[str, Any] = {
    "version": 2,
    "strategy": "fold",
    "from_next_msg_seq": 2,
    "from_version": 1,
    "created_at": NOW,
}


def test_no_statement_selects_for_update() -> None:
    sources = [
        p for folder in ("sessions_app", "inspector", "config") for p in (settings.BASE_DIR / folder).rglob("*.py")
    ]
    assert len(sources) > 50
    word = "select_for_" + "update"
    assert [str(p) for p in sources if word in Path(p).read_text() or "FOR UPDATE" in Path(p).read_text()] == []


@pytest.mark.parametrize(
    ("model", "good", "wrong"),
    [
        (RawFrame, FRAME, {"seq": 1}),
        (RawFrame, FRAME, {"seq": 0}),
        (RawFrame, FRAME, {"role": "robot"}),
        (RawFrame, FRAME, {"source": "elsewhere"}),
        (RawFrame, FRAME, {"message": ""}),
        (RawFrame, FRAME, {"call_seq": 2}),
        (RawFrame, FRAME, {"seq": 9, "call_seq": 3, "recovery_seq": 9}),
        (RawFrame, FRAME, {"seq": 9, "call_seq": 3, "recovery_seq": 3}),
        (ContextMessage, ITEM, {"position": 1}),
        (ContextMessage, ITEM, {"position": 0}),
        (ContextMessage, ITEM, {"version": 0}),
        (ContextMessage, ITEM, {"kind": "other"}),
        (ContextMessage, ITEM, {"first_seq": 2}),
        (ContextMessage, ITEM, {"first_seq": 0}),
        (ContextMessage, ITEM, {"message": "{}"}),
        (ContextMessage, ITEM, {"last_seq": 2}),
        (ContextMessage, ITEM, {"kind": "edited"}),
        (ContextMessage, ITEM, {"kind": "summary"}),
        (Compression, LEDGER, {"version": 1}),
        (Compression, LEDGER, {"strategy": ""}),
        (Compression, LEDGER, {"from_version": 2}),
        (Compression, LEDGER, {"from_version": 3}),
    ],
    ids=lambda v: v.__name__ if isinstance(v, type) else " ".join(f"{k}={x}" for k, x in v.items() if len(v) < 4),
)
def test_the_database_refuses_a_row_that_breaks_a_rule(
    model: type[models.Model], good: dict[str, Any], wrong: dict[str, Any]
) -> None:
    session_id = make_session(user())
    manager = model._default_manager
    before = all_tables()
    with pytest.raises(IntegrityError), transaction.atomic():
        manager.bulk_create([model(session_id=session_id, **{**good, **wrong})])
    assert all_tables() == before
    manager.bulk_create([model(session_id=session_id, **good)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"session_id": ""},
        {"incarnation": ""},
        {"next_msg_seq": 0},
        {"context_compression_version": 0},
        {"tail_role": "robot"},
        {"raw_tokens": -1},
        {"lease_expires_ms": 1},
        {"lease_token_hash": "x"},
        {"lease_holder": "x"},
        {"owner_id": 987_654},
    ],
    ids=repr,
)
def test_the_database_refuses_a_session_that_breaks_a_rule(wrong: dict[str, Any]) -> None:
    good = {"session_id": "s", "incarnation": "i", "owner_id": make_user().pk, "created_at": NOW, "updated_at": NOW}
    with pytest.raises(IntegrityError), transaction.atomic():
        Session.objects.bulk_create([Session(**{**good, **wrong})])
    Session.objects.bulk_create([Session(**good)])


def test_a_frame_of_no_session_and_a_record_without_a_key_are_refused() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        RawFrame.objects.bulk_create([RawFrame(session_id="nowhere", **FRAME)])
    with pytest.raises(IntegrityError), transaction.atomic():
        IdempotencyRecord.objects.bulk_create(
            [IdempotencyRecord(owner=make_user(), key="", request_hash="", status=201, answer="", created_at=NOW)]
        )


def test_ids_are_told_apart_byte_by_byte_and_sort_so() -> None:
    owner = make_user()
    for session_id in ("b", "B", "a", "_", "a1", "A"):
        make_session(owner=owner, session_id=session_id)
    ids = Session.objects.order_by("session_id").values_list("session_id", flat=True)
    assert list(ids) == ["A", "B", "_", "a", "a1", "b"]
