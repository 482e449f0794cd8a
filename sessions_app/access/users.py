"""Users that commands make. None of them has a password until somebody gives it one."""

from django.core.exceptions import ValidationError

from sessions_app.access.models import User
from sessions_app.access.roles import Role

ADMIN = "admin"


def ensure_admin() -> User:
    """The user whom login links sign in, made if missing. One who is there stays as he is."""
    staff = {"role": Role.STAFF, "is_staff": True, "is_superuser": True}
    return _found_or_made(ADMIN, staff)


def ensure_user(username: str, role: Role) -> User:
    """The user of that name, made if missing and raised to `role` if lower.

    Raises ValidationError for what is no name.
    """
    user = _found_or_made(username, {"role": role})
    lower = [r for r in Role if r is not role and r.at_most(role) is r]
    User.objects.filter(pk=user.pk, role__in=lower).update(role=role)
    user.refresh_from_db(fields=["role"])
    return user


def _found_or_made(username: str, fields: dict[str, object]) -> User:
    user = User.objects.filter(username=username).first()
    if user is not None:
        return user
    user = User(username=username, **fields)
    user.set_unusable_password()
    user.clean_fields(exclude=["password"])
    user.save(force_insert=True)
    return user
