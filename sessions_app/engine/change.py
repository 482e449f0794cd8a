"""Change: title, labels and settings. Moves no head and writes only the columns that are named."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from sessions_app import jsontext
from sessions_app.engine import reads
from sessions_app.engine.attempts import Expected, check_head
from sessions_app.engine.commit import commit_change
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import SessionNotFound
from sessions_app.engine.settings_of_session import check_labels, check_policy, check_title
from sessions_app.engine.state import SessionRecord


@with_typed_failures
def change(
    *,
    session_id: str,
    expected: Expected = None,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    keep_context_history: bool | None = None,
    require_head: bool | None = None,
    compression_policy: str | None = None,
    now: Callable[[], datetime] = timezone.now,
) -> SessionRecord:
    """Change what is given; None leaves a setting as it is. No head is needed; one that is given must be current.

    Raises InvalidInput, SessionNotFound, StaleHead.
    """
    columns: dict[str, Any] = {}
    if title is not None:
        check_title(title)
        columns["title"] = title
    if labels is not None:
        check_labels(labels)
        columns["labels"] = jsontext.escape_lines(tuple(labels))
    if compression_policy is not None:
        check_policy(compression_policy)
    settings = {
        "keep_context_history": keep_context_history,
        "require_head": require_head,
        "compression_policy": compression_policy,
    }
    columns |= {name: value for name, value in settings.items() if value is not None}

    state = reads.session_state(session_id)
    if expected is not None:
        check_head(expected, state)
    if columns and not commit_change(state, columns | {"updated_at": now()}):
        raise SessionNotFound(session_id)
    return reads.session_record(session_id)
