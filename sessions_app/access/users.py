"""Users that commands make, and what users are called. None that a command makes has a password until somebody gives
it one.
"""

from collections.abc import Iterable

from django.contrib.auth.hashers import make_password

from sessions_app.access.models import User
from sessions_app.access.roles import Role

ADMIN = "admin"


def ensure_admin() -> User:
    """The user whom login links sign in, made if missing. One who is there stays as he is."""
    return _found_or_made(ADMIN, role=Role.STAFF, is_staff=True, is_superuser=True)


def ensure_user(username: str, role: Role) -> User:
    """The user of that name, made if missing and raised to `role` if lower.

    Raises ValidationError for what is no name.
    """
    user = _found_or_made(username, role=role)
    lower = [r for r in Role if r is not role and r.at_most(role) is r]
    User.objects.filter(pk=user.pk, role__in=lower).update(role=role)
    user.refresh_from_db(fields=["role"])
    return user


def usernames(user_ids: Iterable[int]) -> dict[int, str]:
    """By id. One query, and none for nobody."""
    wanted = set(user_ids)
    return dict(User.objects.filter(pk__in=wanted).values_list("pk", "username")) if wanted else {}


def _found_or_made(username: str, **fields: object) -> User:
    username = User.normalize_username(username)
    unusable = make_password(None)
    User(username=username, password=unusable, **fields).clean_fields()
    user, _ = User.objects.get_or_create(username=username, defaults={"password": unusable, **fields})
    return user
