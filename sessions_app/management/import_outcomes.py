"""What became of the files of an import: a line for each, and one for all."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from sessions_app.interchange import Report
from sessions_app.management.printable import printable

Status = Literal["imported", "skipped", "failed"]
_STATUSES = ("created", "extended", "exists")
_NAMED: Final = 20
"""Sessions of one file that are named; --json names all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One file. `why`: that of a file without a report. Skipped is what was met in a folder and gives no session."""

    file: str
    status: Status
    report: Report | None = None
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        said = {"why": self.why} if self.report is None else asdict(self.report)
        return {"file": self.file, "status": self.status, **said}

    def __str__(self) -> str:
        if self.report is None:
            return printable(f"{self.file}: {self.status}: {self.why}")
        sessions = self.report.sessions
        frames = sum(s.frames for s in sessions)
        told = [self.report.format, _counted(len(sessions), "session"), _counted(frames, "frame")]
        if not sessions:
            told = [f"{self.status}: {self.report.format} with no session in it"]
        by_status = _by_status(Counter(s.status for s in sessions), len(sessions), dry_run=self.report.dry_run)
        line = f"{self.file}: {', '.join([*told, *by_status])}"
        left_out = ", ".join(f"{s.count:,} {s.what} ({s.why})" for s in self.report.skipped)
        return printable(f"{line}; left out {left_out}" if left_out else line)

    @property
    def named(self) -> Iterator[str]:
        """A line for each session that is stored now: the next command, or the API, asks for it by its id."""
        sessions = self.report.sessions if self.report and not self.report.dry_run else ()
        for session in sessions[:_NAMED]:
            yield printable(f"  {session.session_id}  {session.title[:80]}".rstrip())
        if len(sessions) > _NAMED:
            yield f"  … and {len(sessions) - _NAMED:,} more: --json names all"


@dataclass(slots=True)
class Totals:
    dry_run: bool = False
    files: Counter[str] = field(default_factory=Counter)
    sessions: Counter[str] = field(default_factory=Counter)
    frames: int = 0

    def add(self, outcome: Outcome) -> None:
        self.files[outcome.status] += 1
        for session in outcome.report.sessions if outcome.report else ():
            self.sessions[session.status] += 1
            self.frames += session.frames

    def as_json(self) -> dict[str, Any]:
        files = {status: self.files[status] for status in ("imported", "skipped", "failed")}
        return {"files": files, "sessions": {s: self.sessions[s] for s in _STATUSES}, "frames": self.frames}

    def __str__(self) -> str:
        files = ", ".join(f"{self.files[s]:,} {s}" for s in ("imported", "skipped", "failed") if self.files[s])
        sessions = ", ".join(_by_status(self.sessions, dry_run=self.dry_run))
        of = [
            f"{_counted(self.files.total(), 'file')}{f' ({files})' if files else ''}",
            f"{_counted(self.sessions.total(), 'session')}{f' ({sessions})' if sessions else ''}",
            _counted(self.frames, "frame"),
        ]
        return f"{', '.join(of)}."

    @property
    def has_news(self) -> bool:
        return bool(self.sessions["created"] or self.sessions["extended"])


def _by_status(counts: Counter[str], of: int = 0, *, dry_run: bool) -> Iterable[str]:
    """`created`, where that is the only one; else `2 created` and so on."""
    words = {s: f"would be {s}" if dry_run and s != "exists" else s for s in _STATUSES}
    return [word if of == 1 else f"{counts[s]:,} {word}" for s, word in words.items() if counts[s]]


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
