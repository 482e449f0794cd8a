"""Who may do what. A role is a set of rights; a token's role is at most that of its user."""

from enum import StrEnum

from django.db import models


class Role(models.TextChoices):
    VIEWER = "viewer", "viewer"
    OPERATOR = "operator", "operator"
    STAFF = "staff", "staff"

    def at_most(self, other: "Role") -> "Role":
        return min(self, other, key=list(Role).index)

    @property
    def and_lower(self) -> tuple["Role", ...]:
        """The roles that a token of such a user may have, the lowest first."""
        return tuple(role for role in Role if role.at_most(self) is role)


class Right(StrEnum):
    READ = "read"
    CREATE = "create"
    IMPORT = "import"
    APPEND = "append"
    COMPRESS = "compress"
    RECOVER = "recover"
    LEASE = "lease"
    CHANGE = "change"
    DELETE = "delete"


RIGHTS: dict[Role, frozenset[Right]] = {
    Role.VIEWER: frozenset({Right.READ}),
    Role.OPERATOR: frozenset(Right),
    Role.STAFF: frozenset(Right),
}
