"""Delete: the session row first, by conditional delete, then frames, windows, ledger and keys, in one transaction."""

from sessions_app.engine import reads
from sessions_app.engine.attempts import ANY_HEAD, Expected, check_head
from sessions_app.engine.commit import commit_delete
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.errors import HeadRequired
from sessions_app.engine.state import SessionState


@with_typed_failures
def delete(*, session_id: str, expected: Expected) -> SessionState:
    """Remove the session and all that it holds; the state that it was in is the answer.

    `expected`: the head, or ANY_HEAD. Raises SessionNotFound, HeadRequired, StaleHead.
    """
    while True:
        state = reads.session_state(session_id)
        if expected is None:
            raise HeadRequired(actual=state)
        check_head(expected, state)
        # Zero rows: read again, and the loop says 404 or 412. With ANY_HEAD only another incarnation can be in the way.
        if commit_delete(state, any_head=expected is ANY_HEAD):
            return state
