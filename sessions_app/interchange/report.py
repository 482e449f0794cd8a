"""What an import did, or would do: one report a file."""

from dataclasses import dataclass

from sessions_app.interchange.tally import Skipped


@dataclass(frozen=True, slots=True)
class SessionReport:
    """One session of the file. `frames` and `versions` are its totals after the import; `status`: `created`, `exists`
    or `extended`. `labels` tell a side chain and a branch from the session itself.
    """

    session_id: str
    title: str
    labels: tuple[str, ...]
    frames: int
    versions: int
    status: str


@dataclass(frozen=True, slots=True)
class Records:
    """`read` = `used` + `skipped`: the records of the file that went into sessions, and those that did not."""

    read: int
    used: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Report:
    format: str
    sessions: tuple[SessionReport, ...]
    skipped: tuple[Skipped, ...]
    records: Records
    dry_run: bool = False

    @property
    def has_news(self) -> bool:
        return any(session.status != "exists" for session in self.sessions)
