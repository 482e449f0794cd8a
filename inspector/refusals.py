"""Refusals as panels: one table from what the engine refuses to a status and what to do. Others propagate."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from inspector.heads import SettingsMoved
from inspector.presenters.shown import Link, text
from inspector.problem_pages import PROBLEM_PAGES
from inspector.uploads import SeveralFiles, TooLarge
from inspector.view_state import NO_FILTER, NO_FRAME_PAGE, ViewState
from inspector.wording import in_words
from sessions_app import engine, interchange
from sessions_app.compression.errors import Busy, StrategyUnavailable, SummariserFailed, TooManyFrames


@dataclass(frozen=True, slots=True)
class Refusal:
    """`moved`: what the session was moved by, each with where to look. `faults`: what is wrong with the form."""

    status: int
    slug: str
    title: str
    text: str
    advice: str
    moved: tuple[Link, ...] = ()
    faults: tuple[str, ...] = ()


# The first class that fits decides: a subclass stands before its base.
TABLE: Final[tuple[tuple[type[Exception], str, str], ...]] = (
    (engine.StaleHead, "stale-head", gettext_noop("The form is ready to be sent again, for the session as it is now.")),
    (SettingsMoved, "stale-head", gettext_noop("The form is ready to be sent again, for the session as it is now.")),
    (engine.HeadRequired, "head-required", gettext_noop("Reload the page and send the form from there.")),
    (engine.Conflict, "conflict", gettext_noop("Others are writing. Send it again in a moment.")),
    (engine.OpenToolCalls, "open-tool-calls", gettext_noop("Append their replies, or recover them first.")),
    (
        engine.UnmatchedToolReply,
        "unmatched-tool-reply",
        gettext_noop("Compare its id with the open calls, or say it as a user message."),
    ),
    (
        engine.NothingToCompress,
        "nothing-to-compress",
        gettext_noop("Protect fewer rounds, or try another strategy."),
    ),
    (engine.RuleBroken, "rule-broken", gettext_noop("Use other parameters or another strategy.")),
    (engine.InvalidInput, "invalid-request", gettext_noop("Correct the form and send it again.")),
    (
        interchange.UnknownFormat,
        "unknown-format",
        gettext_noop(
            "If you chose a format, leave it to be recognised. Else convert the file: a JSON list of messages with "
            "role and content is read as openai-chat."
        ),
    ),
    (TooLarge, "too-large", gettext_noop("On the server, manage.py import_trajectory PATH takes larger ones.")),
    (
        SeveralFiles,
        "invalid-request",
        gettext_noop("On the server, manage.py import_trajectory PATH … takes several files, and whole folders."),
    ),
    (engine.SessionExists, "session-exists", gettext_noop("Nothing was written for it.")),
    (engine.HistoryDiverged, "session-exists", gettext_noop("Nothing was written for it.")),
    (engine.VersionNotKept, "version-not-kept", gettext_noop("Version 1 can always be restored.")),
    (engine.VersionNotFound, "not-found", gettext_noop("Choose one of the versions of the rail.")),
    (
        engine.DamagedMessage,
        "damaged-frame",
        gettext_noop("Look for the frame that is marked as damaged; its row must come back from a backup."),
    ),
    (
        SummariserFailed,
        "summariser-failed",
        gettext_noop("Nothing was written. Try later, let a digest stand in, or use digest, which needs no model."),
    ),
    (StrategyUnavailable, "invalid-request", gettext_noop("Choose another strategy.")),
    (Busy, "busy", gettext_noop("Nothing was written. Send it again in a moment.")),
    (
        TooManyFrames,
        "too-large",
        gettext_noop("manage.py replay has no such limit; a strategy alone can be tried by Compress."),
    ),
    (engine.DatabaseBusy, "busy", gettext_noop("Nothing was written. Send it again in a moment.")),
    (
        engine.DatabaseUnavailable,
        "database-unavailable",
        gettext_noop("Look at the session before you send it again: it may have been written."),
    ),
)

EXPECTED: Final = tuple(kind for kind, _slug, _advice in TABLE)


def refusal_of(error: Exception, view: ViewState | None = None) -> Refusal:
    """`error` is one of EXPECTED. `view`: that of the session's page, whose links say what moved."""
    slug, advice = next((slug, advice) for kind, slug, advice in TABLE if isinstance(error, kind))
    page = PROBLEM_PAGES[slug]
    moved: tuple[Link, ...] = ()
    faults: tuple[str, ...] = ()
    if isinstance(error, engine.StaleHead) and view is not None:
        moved = _moved(error, view)
    elif isinstance(error, engine.InvalidInput):
        faults = tuple(text(f"{f.pointer} {in_words(f.detail)}".strip(), limit=400) for f in error.faults[:8])
    said = "" if faults else text(in_words(str(error)), limit=600)
    return Refusal(page.status, slug, _(page.title), said, _(advice), moved, faults)


def _moved(error: engine.StaleHead, view: ViewState) -> tuple[Link, ...]:
    expected, actual = error.expected, error.actual
    if expected.incarnation != actual.incarnation:
        said = _("It was deleted, and another was made under the same id.")
        return (Link(said, view.url(do="", version=None, **NO_FRAME_PAGE, **NO_FILTER)),)
    moved = []
    first, last = expected.next_msg_seq, actual.next_msg_seq - 1
    if last >= first:
        said = _("frame %(n)s") % {"n": first} if first == last else _("frames %(a)s–%(b)s") % {"a": first, "b": last}
        moved.append(Link(said, view.frame_url(first)))
    if actual.context_compression_version != expected.context_compression_version:
        said = _("version %(n)s") % {"n": actual.context_compression_version}
        moved.append(Link(said, view.version_url(None)))
    return tuple(moved)
