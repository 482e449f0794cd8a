"""Whose session it is and what may be done with it: decided here, for pages and API alike.

Nothing above the engine reaches a session by its id in another way.
"""

from sessions_app.access.actors import Actor
from sessions_app.access.roles import Right, Role
from sessions_app.engine import SESSION_ID, SessionNotFound
from sessions_app.models import Session, SessionQuerySet


class Forbidden(Exception):
    """The session is the actor's to see, or there is none yet, but the role lacks the right."""

    def __init__(self, right: Right, role: Role) -> None:
        self.right, self.role = right, role
        super().__init__(f"The role {role.value} does not include the right to {right.value}.")


def sessions_for(actor: Actor) -> SessionQuerySet:
    """The sessions that exist for `actor`: everyone's for staff, else the user's own."""
    if actor.role is Role.STAFF:
        return Session.objects.all()
    return Session.objects.owned_by(actor.user_id)


def session_for(actor: Actor, session_id: str, right: Right) -> Session:
    """The session, once `actor` may do this with it. One query.

    Raises SessionNotFound for another's session as for none, and only then Forbidden: who may not
    know of a session does not learn of it from the refusal.
    """
    # PostgreSQL cannot even be asked for some of the ids that fit into a URL (one with a NUL).
    known = sessions_for(actor).filter(session_id=session_id) if SESSION_ID.match(session_id) else ()
    for session in known:
        require(actor, right)
        return session
    raise SessionNotFound(session_id)


def require(actor: Actor, right: Right) -> None:
    """Raise Forbidden unless `actor` has the right. By itself for what has no session yet."""
    if not actor.may(right):
        raise Forbidden(right, actor.role)
