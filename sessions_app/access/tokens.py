"""API tokens: made once, looked up at each request, revoked when no longer needed."""

import logging
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import OperationalError
from django.db.models import F, Q
from django.utils.translation import gettext as _

from sessions_app.access.digests import digest_of, new_secret
from sessions_app.access.models import ApiToken, User
from sessions_app.access.roles import Role

PREFIX = "se_"  # so that a scanner for leaked secrets can tell what it has found
USE_NOTED_EVERY = timedelta(hours=1)

logger = logging.getLogger(__name__)


def make_token(*, user: User, name: str, role: Role, now: datetime) -> tuple[str, ApiToken]:
    """Make a token and return it with its row. The first is in no table: it is shown once.

    The role is at most that of the user. It is held against the user's again at each request, so
    a user who is lowered takes the tokens along.
    """
    secret = new_secret(PREFIX)
    token = ApiToken.objects.create(
        digest=digest_of(secret),
        user=user,
        name=name,
        role=role.at_most(Role(user.role)),
        created_at=now,
    )
    return secret, token


def check_token_name(name: str) -> str:
    """`name` without the spaces around it. Raises ValidationError for what is none."""
    name = name.strip()
    if not name.isprintable():
        raise ValidationError(_("The name of a token is one line of text."))
    ApiToken(name=name).clean_fields(exclude=["digest", "user", "role", "created_at"])
    return name


def authenticate(secret: str, now: datetime) -> ApiToken | None:
    """The token whose secret this is, with its user; None if revoked, unknown, or of one who left.

    One query; once an hour another notes the use.
    """
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=digest_of(secret), revoked_at__isnull=True, user__is_active=True)
        .first()
    )
    if token is not None and _use_is_due(token, now):
        _note_use(token, now)
    return token


def tokens_of(user: User) -> list[ApiToken]:
    """The tokens of `user` alone, whatever his role: those that still work first, the newest first. One query."""
    return list(ApiToken.objects.filter(user=user).order_by(F("revoked_at").desc(nulls_first=True), "-pk"))


def token_of(user: User, token_id: int) -> ApiToken | None:
    """None for somebody else's as for none."""
    return ApiToken.objects.filter(user=user, pk=token_id).first()


def revoke(token: ApiToken, now: datetime) -> bool:
    """Revoke for good. False where it had been before: the first time is the one that is kept."""
    rows = ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True)
    return rows.update(revoked_at=now) == 1


def _use_is_due(token: ApiToken, now: datetime) -> bool:
    return token.last_used_at is None or token.last_used_at <= now - USE_NOTED_EVERY


def _note_use(token: ApiToken, now: datetime) -> None:
    due = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - USE_NOTED_EVERY)
    try:
        ApiToken.objects.filter(due, pk=token.pk).update(last_used_at=now)
    except OperationalError as error:
        # Locked by a long write. The request may be a read, which needs no lock: it goes on, and
        # the next one notes the use.
        logger.warning("The use of token %s was not noted: %s", token.pk, error)
