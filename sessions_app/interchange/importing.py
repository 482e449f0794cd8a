"""Import a file: recognise its format, read its sessions, store each whole or not at all, and say what was done."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from sessions_app import engine, jsontext
from sessions_app.interchange.copies import store_copy
from sessions_app.interchange.copy_spool import CopySpool
from sessions_app.interchange.identity import session_id_for
from sessions_app.interchange.recognising import recognised
from sessions_app.interchange.registry import is_another
from sessions_app.interchange.report import Records, Report, SessionReport
from sessions_app.interchange.source import Source
from sessions_app.interchange.spool import Spool, title_of
from sessions_app.interchange.tally import ORPHAN_REPLY, Tally
from sessions_app.interchange.transcript import Format, Transcript

DIVERGED = "diverged"
"""The label of a session whose file has the id of another one, and other frames."""

_DIVERGED = 50
"""Sessions that one file may diverge from, each in another place."""


@dataclass(frozen=True, slots=True)
class Importer:
    """Who imports, and how. `dry_run`: say what would be done, write nothing."""

    owner_id: int
    created_by: str = ""
    dry_run: bool = False
    now: Callable[[], datetime] = timezone.now


def import_file(source: Source, importer: Importer, *, named: str | None = None) -> Report:
    """Import every session of the file. Each is one transaction: what was stored before a failure stays.

    `named`: the format, where it is not to be guessed. Raises UnknownFormat, InvalidInput; Conflict, DatabaseBusy,
    DatabaseUnavailable from the engine.
    """
    look, format = recognised(source, named)
    tally = Tally()
    sessions: dict[str, SessionReport] = {}
    for found in format.read(source, look, tally):
        if isinstance(found, CopySpool):
            stored = _store_copy(found, tally, importer)
        else:
            stored = _store_transcript(format, found, tally, importer, file=source.name)
        if stored is None:
            continue
        report, first_record = stored
        if report.session_id in sessions and report.status == "exists":
            tally.skip("conversation", "is the same as an earlier one of the file", first_record)
        else:
            sessions[report.session_id] = report
    if named and not sessions and not tally.used and not format.recognises(look):
        raise is_another(format, look)
    used = len(tally.used & tally.read)
    return Report(
        format=format.name,
        sessions=tuple(sessions.values()),
        skipped=tuple(tally.skipped),
        records=Records(read=len(tally.read), used=used, skipped=len(tally.read) - used),
        dry_run=importer.dry_run,
    )


def _store_copy(spool: CopySpool, tally: Tally, importer: Importer) -> tuple[SessionReport, int] | None:
    with closing(spool):
        report = store_copy(spool, tally, owner_id=importer.owner_id, dry_run=importer.dry_run, now=importer.now)
    return None if report is None else (report, spool.first_record)


def _store_transcript(
    format: Format, transcript: Transcript, tally: Tally, importer: Importer, *, file: str
) -> tuple[SessionReport, int] | None:
    with closing(Spool(transcript, tally, file=file)) as spool:
        if not spool.messages:
            return None
        return _store(format, transcript, spool, tally, importer), spool.records[0][0]


def _store(format: Format, transcript: Transcript, spool: Spool, tally: Tally, importer: Importer) -> SessionReport:
    title = title_of(transcript.title, length=200) or spool.first_request
    labels = list(dict.fromkeys(jsontext.printable(label)[:50] for label in (format.name, *transcript.labels)))

    def store(content: str) -> engine.Imported:
        session_id = session_id_for(
            owner_id=importer.owner_id,
            format=format.name,
            native_id=transcript.native_id,
            branch=transcript.branch,
            content=content,
        )
        return engine.import_session(
            owner_id=importer.owner_id,
            session_id=session_id,
            history=spool.steps,
            strategy=f"import:{format.name}",
            title=title,
            labels=labels,
            created_by=importer.created_by,
            dry_run=importer.dry_run,
            now=importer.now,
        )

    imported = _store_where_it_continues(store, labels, spool, has_own_id=bool(transcript.native_id))
    for number in imported.orphan_replies:
        tally.skip(ORPHAN_REPLY, "answers no call; kept as a raw frame, in no window", spool.records[number][0])
    for number, why in imported.refused:
        records = spool.compactions[number - 1]
        tally.skip("compaction", why, records[0] if records else None)
    state = imported.state
    return SessionReport(
        session_id=state.session_id,
        title=title,
        labels=tuple(labels),
        frames=state.frame_count,
        versions=state.context_compression_version,
        status=imported.status,
    )


def _store_where_it_continues(
    store: Callable[[str], engine.Imported], labels: list[str], spool: Spool, *, has_own_id: bool
) -> engine.Imported:
    """Under the file's own id or its content's; where another session is there, under an id that follows from what
    they share and the first step that differs, so that a file which goes on from there continues it.
    """
    content = "" if has_own_id else spool.content
    for _ in range(_DIVERGED):
        try:
            return store(content)
        except engine.HistoryDiverged as e:
            diverged = e
            content = spool.beginning(max(1, e.steps))
            if DIVERGED not in labels:
                labels.append(DIVERGED)
    raise engine.SessionExists(diverged.session_id) from diverged
