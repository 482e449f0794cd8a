"""Column types that the two databases would otherwise treat differently."""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


def _bytewise(parameters: dict[str, Any], connection: BaseDatabaseWrapper) -> dict[str, Any]:
    """SQLite compares byte by byte of itself; PostgreSQL would follow the locale of the database."""
    return {**parameters, "collation": "C"} if connection.vendor == "postgresql" else parameters


class KeyField(models.CharField):
    """Text compared byte by byte, so that ids sort the same on PostgreSQL and on SQLite."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        return _bytewise(super().db_parameters(connection), connection)


class KeyReference(models.ForeignKey):
    """A reference to a row with a KeyField: PostgreSQL refuses to compare two columns of different collations."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        return _bytewise(super().db_parameters(connection), connection)
