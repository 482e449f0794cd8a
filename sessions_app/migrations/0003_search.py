"""What the inspector asks by: failures, the names of tools, and, on PostgreSQL with pg_trgm, parts of a text."""

from django.db import DatabaseError, migrations, models, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models.functions import Left


def add_trigrams(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Where the database has none, nothing is missing: a search then looks through fewer frames at a time."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'")
        if cursor.fetchone() is None:
            return
        try:
            with transaction.atomic(using=connection.alias):
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except DatabaseError:  # the role may not
            return
        # It may have been there before, in a schema of its own.
        cursor.execute(
            "SELECT n.nspname FROM pg_opclass c JOIN pg_namespace n ON n.oid = c.opcnamespace"
            " WHERE c.opcname = 'gin_trgm_ops'"
        )
        (schema,) = cursor.fetchone()
        table = apps.get_model("sessions_app", "RawFrame")._meta.db_table
        quote = schema_editor.quote_name
        cursor.execute(
            f"CREATE INDEX IF NOT EXISTS frame_message_trigrams ON {quote(table)}"
            f" USING gin (message {quote(schema)}.gin_trgm_ops)"
        )


def drop_trigrams(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The extension stays: others may use it."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX IF EXISTS frame_message_trigrams")


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0002_fate_bins")]

    operations = [
        migrations.AddIndex(
            model_name="rawframe",
            index=models.Index(condition=models.Q(("is_error", True)), fields=["session", "seq"], name="frame_failed"),
        ),
        migrations.AddIndex(
            model_name="rawframe",
            index=models.Index(
                models.F("session"),
                Left("tool_names", 200),
                condition=models.Q(("role", "tool")),
                name="frame_tool_names",
            ),
        ),
        migrations.RunPython(add_trigrams, drop_trigrams),
    ]
