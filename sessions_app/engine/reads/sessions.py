"""Reading session rows and idempotency records. Each by its key: no message is read."""

from datetime import datetime

from sessions_app.engine.errors import KeyReused, SessionNotFound
from sessions_app.engine.receipts import KEPT_FOR, IdempotencyKey, records
from sessions_app.engine.state import SessionRecord, SessionState
from sessions_app.models import IdempotencyRecord, Session


def session_state(session_id: str) -> SessionState:
    """One query by primary key. Raises SessionNotFound."""
    return SessionState.of(_row(session_id))


def session_exists(session_id: str) -> bool:
    return Session.objects.filter(session_id=session_id).exists()


def session_record(session_id: str) -> SessionRecord:
    """One query by primary key. Raises SessionNotFound."""
    return SessionRecord.of(_row(session_id))


def remembered(
    key: IdempotencyKey, *, session_id: str, incarnation: str, now: datetime
) -> tuple[IdempotencyRecord | None, bool]:
    """What was answered under this key, and whether an expired record stands in the way of a new one.

    Raises KeyReused where the key belongs to another request.
    """
    record = records(key, session_id=session_id, incarnation=incarnation).first()
    if record is None:
        return None, False
    if now - record.created_at > KEPT_FOR:
        return None, True
    if record.request_hash != key.request_hash:
        raise KeyReused(key.key)
    return record, False


def _row(session_id: str) -> Session:
    row = Session.objects.filter(session_id=session_id).first()
    if row is None:
        raise SessionNotFound(session_id)
    return row
