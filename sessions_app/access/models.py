"""Users with a role, their API tokens, and one-time login links. Secrets are stored hashed only."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.contrib.auth import models as auth
from django.db import models
from django.db.models import Q

from sessions_app.access.roles import Role

if TYPE_CHECKING:
    from datetime import datetime


class UserManager(auth.UserManager["User"]):
    use_in_migrations = False

    def create_superuser(self, *args: Any, **fields: Any) -> "User":
        """What `manage.py createsuperuser` calls: no superuser with a viewer's rights."""
        return super().create_superuser(*args, **{"role": Role.STAFF, **fields})


class User(auth.AbstractUser):
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)

    objects: ClassVar[UserManager] = UserManager()

    class Meta(auth.AbstractUser.Meta):
        constraints = (models.CheckConstraint(name="user_role_known", condition=Q(role__in=Role.values)),)


class ApiToken(models.Model):
    """A credential for programs. The token itself is shown once; `digest` is its SHA-256."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=150)  # as long as that of a user, its default
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.CheckConstraint(name="token_role_known", condition=Q(role__in=Role.values)),)

    def __str__(self) -> str:
        return self.name


class LoginLinkQuerySet(models.QuerySet["LoginLink"]):
    def valid(self, *, digest: str, now: "datetime") -> Self:
        return self.filter(digest=digest, used_at__isnull=True, expires_at__gt=now)

    def claim(self, *, digest: str, now: "datetime") -> bool:
        """Use the link up. The number of rows is the answer: of two clicks at once one signs in.

        The condition names columns of this table only. With a join it would become a subselect,
        which PostgreSQL does not look at again once the other click has let go of the row.
        """
        return self.valid(digest=digest, now=now).update(used_at=now) == 1


class LoginLink(models.Model):
    """A link that signs one user in once. `digest` is the SHA-256 of the secret in it."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    objects = LoginLinkQuerySet.as_manager()

    def __str__(self) -> str:
        return f"login link of {self.user_id}"
