"""Whether a version was made right after an append, by the session's policy."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0003_search")]

    operations = [
        migrations.AddField(
            model_name="compression",
            name="automatic",
            field=models.BooleanField(default=False, help_text="made right after an append, by the session's policy"),
        ),
        migrations.AddConstraint(
            model_name="compression",
            constraint=models.CheckConstraint(
                condition=models.Q(("automatic", False), ("version__gt", 1), _connector="OR"),
                name="compression_version_1_by_nobody",
            ),
        ),
    ]
