"""The page that imports a file as plain values: what it knows, and what a file makes or would make."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.shown import Number, text
from inspector.refusals import Refusal
from inspector.uploads import MIB
from inspector.wording import in_words
from sessions_app import interchange

SESSIONS: Final = 200
SKIPPED: Final = 100
"""Lines of a report; a file may hold thousands of conversations."""
PLACES: Final = (
    ("Claude Code", "~/.claude/projects"),
    ("Codex", "~/.codex/sessions"),
    ("Gemini CLI", "~/.gemini/tmp"),
)
"""Where tools keep their files."""


@dataclass(frozen=True, slots=True)
class FormatLine:
    name: str
    title: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class SessionLine:
    """`href` is empty where there is no session yet. `labels`: those beside the name of the format."""

    session_id: str
    title: str
    labels: tuple[str, ...]
    href: str
    frames: Number
    versions: str
    status: str
    word: str


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """`where`: the first record that it was, empty where it has no place in the file."""

    what: str
    why: str
    count: Number
    where: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """`news`: how many sessions are made or continued. `more`, `more_skipped`: what the lists leave out. `has_parts`:
    whether what was skipped is more than records. `has_places`: whether it tells to say which record it was. `only`:
    the address of the session, where an import made or found just one.
    """

    file: str
    format: str
    format_name: str
    is_look: bool
    heading: str
    news: int
    only: str
    sessions: tuple[SessionLine, ...]
    more: str
    read: Number
    used: Number
    left_out: Number
    skipped: tuple[SkippedLine, ...]
    more_skipped: str
    has_parts: bool
    has_places: bool


@dataclass(frozen=True, slots=True)
class ImportPage:
    """`why_not`: why this user may not import, or empty. `limit`: bytes of a body."""

    formats: tuple[FormatLine, ...]
    places: tuple[tuple[str, str], ...]
    why_not: str
    limit: int
    limit_mib: int
    report: FileReport | None
    refusal: Refusal | None
    too_large: Refusal
    several: Refusal


def import_page(
    *,
    chosen: str,
    why_not: str,
    too_large: Refusal,
    several: Refusal,
    report: FileReport | None = None,
    refusal: Refusal | None = None,
) -> ImportPage:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return ImportPage(
        formats=tuple(
            FormatLine(f.name, f.title, f.name == chosen)
            for f in sorted(interchange.FORMATS, key=lambda f: f.title.casefold())
        ),
        places=PLACES,
        why_not=why_not,
        limit=limit,
        limit_mib=limit // MIB,
        report=report,
        refusal=refusal,
        too_large=too_large,
        several=several,
    )


def file_report(report: interchange.Report, *, file: str) -> FileReport:
    news = [s for s in report.sessions if s.status != "exists"]
    sessions = tuple(_session(s, report) for s in report.sessions[:SESSIONS])
    return FileReport(
        file=text(file, limit=200),
        format=interchange.find_format(report.format).title,
        format_name=report.format,
        is_look=report.dry_run,
        heading=_heading(report, len(news)),
        news=len(news),
        only=sessions[0].href if len(sessions) == 1 and not report.dry_run else "",
        sessions=sessions,
        more=_more(len(report.sessions) - SESSIONS),
        read=Number.of(report.records.read),
        used=Number.of(report.records.used),
        left_out=Number.of(report.records.skipped),
        skipped=tuple(_skipped(s) for s in report.skipped[:SKIPPED]),
        more_skipped=_more(len(report.skipped) - SKIPPED),
        has_parts=sum(s.count for s in report.skipped) > report.records.skipped,
        has_places=report.records.read > 1,
    )


def _heading(report: interchange.Report, news: int) -> str:
    if not report.sessions:
        return _("No session is in this file")
    if not news:
        return _("All of it is here already")
    values = {"n": f"{news:,}"}
    if report.dry_run:
        would = ngettext("This file would make %(n)s session", "This file would make %(n)s sessions", news)
        return would % values
    return ngettext("%(n)s session was imported", "%(n)s sessions were imported", news) % values


def _session(session: interchange.SessionReport, report: interchange.Report) -> SessionLine:
    words = {"exists": _("already here")}
    if report.dry_run:
        words |= {"created": _("new"), "extended": _("would be continued")}
    else:
        words |= {"created": _("created"), "extended": _("continued")}
    is_there = not report.dry_run or session.status != "created"
    return SessionLine(
        session_id=session.session_id,
        title=text(session.title, limit=200),
        labels=tuple(text(label) for label in session.labels if label != report.format),
        href=reverse("session", args=[session.session_id]) if is_there else "",
        frames=Number.of(session.frames),
        versions=f"{session.versions:,}",
        status=session.status,
        word=words[session.status],
    )


def _skipped(skipped: interchange.Skipped) -> SkippedLine:
    return SkippedLine(
        what=text(skipped.what, limit=120),
        why=text(in_words(skipped.why), limit=400),
        count=Number.of(skipped.count),
        where="" if skipped.first_line is None else f"{skipped.first_line:,}",
    )


def _more(count: int) -> str:
    if count <= 0:
        return ""
    return ngettext("and %(n)s more", "and %(n)s more", count) % {"n": f"{count:,}"}
