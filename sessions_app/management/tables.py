"""The tables of an installation that was never started."""

from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder


def make_tables_if_none() -> None:
    """Migrate a database in which nothing was ever made, and leave any other as it is.

    So a token can be made right after `make install`. An installation in use is migrated when its
    owner says so, not by the way.
    """
    if not MigrationRecorder(connection).has_table():
        call_command("migrate", interactive=False, verbosity=0)
