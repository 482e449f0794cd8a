"""The request headers that make a write safe: `If-Match` and `Idempotency-Key`."""

import hashlib
import re
from typing import Final

from rest_framework.request import Request

from sessions_app import jsontext
from sessions_app.engine import ANY_HEAD, Expected, Fault, Head, IdempotencyKey, InvalidInput
from sessions_app.models import Session

_TAG: Final = re.compile(r'(?:W/)?"([1-9]\d{0,18})\.([1-9]\d{0,18})(?:\.([0-9a-f]{16}))?"\Z')
_MAX_KEY: Final = 255


def expected_head(request: Request, session: Session) -> Expected:
    """What `If-Match` says: one tag, `*`, or nothing. Raises InvalidInput for anything else.

    A tag without its third part names the incarnation that is there.
    """
    given = request.headers.get("If-Match")
    if given is None:
        return None
    if given.strip() == "*":
        return ANY_HEAD
    tag = _TAG.match(given.strip())
    if tag is None:
        detail = 'must be one tag "<next_msg_seq>.<version>" or "<next_msg_seq>.<version>.<incarnation>", or *'
        raise InvalidInput([Fault("If-Match", detail)])
    return Head(
        session_id=session.session_id,
        next_msg_seq=int(tag[1]),
        context_compression_version=int(tag[2]),
        incarnation=tag[3] or session.incarnation,
    )


def idempotency_key(request: Request, *, owner_id: int) -> IdempotencyKey | None:
    """The key, with a hash of what was asked under it: method, path and body. Raises InvalidInput."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    # The server hands headers over as latin-1.
    key = key.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
    if not 1 <= len(key) <= _MAX_KEY:
        raise InvalidInput([Fault("Idempotency-Key", f"must have 1 to {_MAX_KEY} characters")])
    if jsontext.printable(key) != key:
        raise InvalidInput([Fault("Idempotency-Key", "holds NUL or bytes that are no UTF-8")])
    asked = hashlib.sha256(f"{request.method} {request.path}\n".encode())
    asked.update(request.body)
    return IdempotencyKey(owner_id=owner_id, key=key, request_hash=asked.hexdigest())
