"""Cursors of the list of sessions: where a page ended, as one opaque word."""

import base64
import binascii
import json
from datetime import UTC, datetime
from typing import Any

from sessions_app import engine
from sessions_app.engine import Fault, InvalidInput


def dump_cursor(mark: engine.reads.Mark, ordering: str) -> str:
    value = mark.value.astimezone(UTC).isoformat() if isinstance(mark.value, datetime) else mark.value
    text = json.dumps([ordering, value, mark.session_id], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def load_cursor(cursor: str, ordering: str) -> engine.reads.Mark:
    """Raises InvalidInput for what `dump_cursor` did not make for this ordering."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        made_for, value, session_id = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        return engine.reads.Mark(_value(value, ordering, made_for), _text(session_id))
    except (binascii.Error, ValueError, TypeError, RecursionError) as e:
        raise InvalidInput([Fault("/cursor", "is not a cursor of this list in this ordering")]) from e


def _value(value: Any, ordering: str, made_for: Any) -> datetime | int:
    if made_for != ordering:
        raise ValueError("made for another ordering")
    if ordering == "tokens":
        if type(value) is not int or not 0 <= value < 2**63:
            raise ValueError("no count of tokens")
        return value
    moment = datetime.fromisoformat(_text(value))
    if moment.tzinfo is None:
        raise ValueError("no time zone")
    return moment.astimezone(UTC)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.isascii() or "\0" in value:
        raise ValueError("no text of ours")
    return value
