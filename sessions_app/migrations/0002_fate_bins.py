"""What became of the frames under each version whose window is kept, and the indexes that the fate strip asks by."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Exists, OuterRef, Q

from sessions_app.engine import Fate, FateBins, Seqs, Window

_AT_ONCE = 500
_FATE_OF_KIND: dict[str, Fate] = {"original": "kept", "edited": "edited", "summary": "summarised"}


class _Version(NamedTuple):
    session_id: str
    number: int
    start: int
    """The first frame that came after it was published."""


def fill(apps: StateApps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """One window after the other, and of each a few rows at a time."""
    sessions, context, ledger = (
        apps.get_model("sessions_app", name)._default_manager for name in ("Session", "ContextMessage", "Compression")
    )
    windows = context.filter(session_id=OuterRef("session_id"), version=OuterRef("version"))
    # The current window may be empty: it is kept all the same.
    current = sessions.filter(session_id=OuterRef("session_id"), context_compression_version=OuterRef("version"))
    kept = ledger.filter(Exists(windows) | Exists(current))
    # Most sessions have no other version, and no frame came before this one.
    kept.filter(version=1).update(fate_bins=FateBins.of(Window(), frame_count=0).dump())
    for version in _in_order(kept.filter(version__gt=1)):
        bins = FateBins.claimed(_claims(context, version), frame_count=version.start - 1)
        ledger.filter(session_id=version.session_id, version=version.number).update(fate_bins=bins.dump())


def _in_order(rows: Any) -> Iterator[_Version]:
    after = Q()
    while found := [
        _Version(*values)
        for values in rows.filter(after)
        .order_by("session_id", "version")
        .values_list("session_id", "version", "from_next_msg_seq")[:_AT_ONCE]
    ]:
        yield from found
        last = found[-1]
        after = Q(session_id__gt=last.session_id) | Q(session_id=last.session_id, version__gt=last.number)


def _claims(context: Any, version: _Version) -> Iterator[tuple[Fate, Seqs]]:
    """The window as it was published: without what came since."""
    rows = context.filter(session_id=version.session_id, version=version.number, first_seq__lt=version.start)
    for kind, seqs_text in rows.values_list("kind", "original_seqs").iterator(chunk_size=_AT_ONCE):
        seqs = Seqs.parse(seqs_text)
        if seqs.last >= version.start:  # a recovery message, which a late reply has replaced since
            yield "kept", Seqs.one(seqs.first)
        else:
            yield _FATE_OF_KIND[kind], seqs


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="compression",
            name="fate_bins",
            field=models.TextField(
                blank=True,
                default="",
                help_text="what became of the frames when it was published; empty: its window is no longer kept",
            ),
        ),
        migrations.AddIndex(
            model_name="contextmessage",
            index=models.Index(
                condition=models.Q(("kind", "edited")),
                fields=["session", "version", "last_seq"],
                name="context_edited",
            ),
        ),
        migrations.AddIndex(
            model_name="rawframe",
            index=models.Index(
                condition=models.Q(("source", "recovery")), fields=["session", "seq"], name="frame_recovery"
            ),
        ),
        migrations.AddIndex(
            model_name="rawframe",
            index=models.Index(
                condition=models.Q(("call_seq__isnull", True), ("role", "tool")),
                fields=["session", "seq"],
                name="frame_orphan",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
