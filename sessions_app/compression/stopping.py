"""The guard: a session that compresses itself too often stops doing so, and says it (compression page, section 2).

What it knows stands in the stored policy beside what the caller sets, so that an append reads it with the session's
row.
Setting the policy starts it again, and versions made before no longer count.
"""

import json
from typing import Any, Final

from sessions_app import engine
from sessions_app.engine import SessionState

TOO_MANY: Final = 3
"""Automatic versions …"""
WITHIN: Final = 9
"""… among no more assistant frames than these."""

_STOPPED: Final = "stopped"
_COUNTED_AFTER: Final = "counted_after"


def stopped(policy_text: str) -> str:
    """Why automatic compression has stopped; empty where it has not."""
    return str(json.loads(policy_text).get(_STOPPED, "")) if policy_text else ""


def guard_of(policy_text: str) -> dict[str, Any]:
    """What the guard keeps in a stored policy; empty where it never stopped."""
    stored = json.loads(policy_text) if policy_text else {}
    return {name: stored[name] for name in (_STOPPED, _COUNTED_AFTER) if name in stored}


def without_guard(policy_text: str) -> dict[str, Any]:
    """The members that a caller sets."""
    stored: dict[str, Any] = json.loads(policy_text) if policy_text else {}
    return {name: value for name, value in stored.items() if name not in (_STOPPED, _COUNTED_AFTER)}


def started_again(policy_text: str) -> dict[str, Any]:
    """What is left of the guard once the policy was set."""
    return {name: value for name, value in guard_of(policy_text).items() if name != _STOPPED}


def with_guard(policy_text: str, guard: dict[str, Any]) -> str:
    if not (policy_text and guard):
        return policy_text
    return json.dumps({**without_guard(policy_text), **guard}, separators=(",", ":"))


def policy_after(state: SessionState) -> str:
    """The policy as one more automatic version leaves it behind: stopped, where that is one too many.

    At most two statements, and none before the session has had so many versions. What others made in between changes
    nothing.
    """
    policy, current, earlier = state.compression_policy, state.context_compression_version, TOO_MANY - 1
    if current - earlier < guard_of(policy).get(_COUNTED_AFTER, 1):
        return policy
    entries = engine.reads.newest_automatic(state.session_id, earlier)
    if len(entries) < earlier or entries[0].version <= guard_of(policy).get(_COUNTED_AFTER, 1):
        return policy
    since = entries[0].from_next_msg_seq
    if engine.reads.answers_since(state.session_id, since, at_most=WITHIN + 1) > WITHIN:
        return policy
    numbers = f"{', '.join(str(entry.version) for entry in entries)} and {current + 1}"
    why = (
        f"Versions {numbers} were made automatically within nine assistant frames: "
        "automatic compression has stopped for this session. The strategy does not keep the window below the trigger: "
        "raise the limit, protect fewer rounds or take another strategy; set the policy again to start it."
    )
    return with_guard(policy, {_STOPPED: why, _COUNTED_AFTER: current + 1})
