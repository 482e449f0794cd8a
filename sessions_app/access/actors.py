"""Who is asking, with the role that counts for this request."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from django.core.exceptions import PermissionDenied

from sessions_app.access.models import ApiToken, User
from sessions_app.access.roles import RIGHTS, Right, Role

if TYPE_CHECKING:
    from django.http import HttpRequest
    from rest_framework.request import Request

_LABEL_LENGTH = 200  # of the ledger's column


@dataclass(frozen=True, slots=True)
class Actor:
    """One who asks. `label` is what the ledger records: the user, and the token if there was one."""

    user_id: int
    username: str
    role: Role
    label: str

    def may(self, right: Right) -> bool:
        return right in RIGHTS[self.role]


def actor_for(request: Union["HttpRequest", "Request"]) -> Actor:
    """The actor of a request that has been authenticated, by a token or by the browser's login.

    Raises PermissionDenied for an anonymous one: a view that forgot to ask for a login stays shut.
    """
    user = request.user
    if not isinstance(user, User):
        raise PermissionDenied("Nobody is signed in.")
    token = getattr(request, "auth", None)
    return actor_of(user, token if isinstance(token, ApiToken) else None)


def _label(user: User, token: ApiToken) -> str:
    """A token is named after its user unless told otherwise; that need not be said twice."""
    return user.username if token.name == user.username else f"{user.username} · {token.name}"


def actor_of(user: User, token: ApiToken | None = None) -> Actor:
    """The role is that of the user as it is now, and with a token at most the token's."""
    role, label = Role(user.role), user.username
    if token is not None:
        role, label = role.at_most(Role(token.role)), _label(user, token)
    return Actor(user_id=user.pk, username=user.username, role=role, label=label[:_LABEL_LENGTH])
