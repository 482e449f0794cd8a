"""Trajectories of other tools in, and ours out. These names are its public face."""

from sessions_app.interchange.bundle_shapes import BundleContext, BundleFrame, BundleSession, BundleVersion
from sessions_app.interchange.exporting import Export, export_session
from sessions_app.interchange.importing import Importer, import_file
from sessions_app.interchange.recordings import RecordedSession, recordings_in
from sessions_app.interchange.registry import FORMATS, UnknownFormat, find_format
from sessions_app.interchange.report import Records, Report, SessionReport
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import ORPHAN_REPLY, Skipped
from sessions_app.interchange.transcript import Format

__all__ = [
    "FORMATS",
    "ORPHAN_REPLY",
    "BundleContext",
    "BundleFrame",
    "BundleSession",
    "BundleVersion",
    "Export",
    "Format",
    "Importer",
    "RecordedSession",
    "Records",
    "Report",
    "SessionReport",
    "Skipped",
    "Source",
    "UnknownFormat",
    "export_session",
    "find_format",
    "import_file",
    "recordings_in",
]
