"""The API tokens of a user as plain values."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from inspector.presenters.shown import Moment, text
from sessions_app.access.models import ApiToken
from sessions_app.access.roles import Role


@dataclass(frozen=True, slots=True)
class TokenLine:
    """`role`: what it can do now; `made_as`: the role that it was made with, where that has become too high."""

    id: int
    name: str
    role: str
    made_as: str
    made: Moment
    used: Moment | None
    revoked: Moment | None
    revoke: str


@dataclass(frozen=True, slots=True)
class MadeToken:
    """The one time that the secret is seen. `command`: a call that shows that it works."""

    name: str
    secret: str
    command: str


def token_line(token: ApiToken, *, user_role: Role, now: datetime) -> TokenLine:
    made_as = Role(token.role)
    role = made_as.at_most(user_role)
    return TokenLine(
        id=token.pk,
        name=text(token.name),
        role=str(role.label),
        made_as=str(made_as.label) if made_as is not role else "",
        made=Moment.of(token.created_at, now=now),
        used=Moment.of(token.last_used_at, now=now) if token.last_used_at else None,
        revoked=Moment.of(token.revoked_at, now=now) if token.revoked_at else None,
        revoke=reverse("token_revoke", args=[token.pk]),
    )


def token_lines(tokens: Iterable[ApiToken], *, user_role: Role, now: datetime) -> tuple[TokenLine, ...]:
    return tuple(token_line(token, user_role=user_role, now=now) for token in tokens)


def made_token(secret: str, token: ApiToken, *, sessions_url: str) -> MadeToken:
    command = f'curl -H "Authorization: Token {secret}" {sessions_url}'
    return MadeToken(name=text(token.name), secret=secret, command=command)
