"""`make test`: the whole suite on SQLite and on PostgreSQL, and how much of the code it reached.

Arguments go to pytest. A run with arguments is a part of the suite, whose coverage says nothing. It is measured
beside SQLite only, and not while a browser looks on: measuring makes every test slower, and neither PostgreSQL nor a
browser reaches more than a few lines that the others do not.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from tests.postgres_server import postgres_server

ROOT = Path(__file__).resolve().parent.parent
BARS = (("all of it", 90, "*"), ("the engine", 98, "sessions_app/engine/*"))
MOST_WORKERS = 4
MEMORY = Path("/dev/shm")
MEMORY_NEEDED = 2 * 1024**3


@dataclass(slots=True)
class Report:
    """What the last lines of the run say."""

    seconds: list[tuple[str, float]] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds.append((name, time.monotonic() - began))

    def show(self) -> None:
        print("\nSeconds")
        for name, seconds in self.seconds:
            print(f"  {seconds:7.1f}  {name}")
        for failure in self.failed:
            print(f"FAILED: {failure}")
        for line in self.closing:
            print(line)


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, _leave)
    for old in ROOT.glob(".coverage*"):
        old.unlink()
    report = Report()
    with ExitStack() as stack:
        if arguments:
            _suite("SQLite", "", arguments, report)
        else:
            _suite("SQLite", "", ["--cov", "--cov-report=", "-m", "not browser"], report)
            _suite("SQLite, in a browser", "", ["-m", "browser"], report)
        with report.stage("PostgreSQL starts"):
            given = os.environ.get("DATABASE_URL", "")
            named = given.startswith(("postgres://", "postgresql://"))
            url = given if named else stack.enter_context(postgres_server())
        _suite("PostgreSQL", url, arguments, report)
    if not arguments:
        with report.stage("Coverage"):
            _coverage(report)
    report.show()
    return 1 if report.failed else 0


def _leave(signum: int, frame: FrameType | None) -> None:
    sys.exit(128 + signum)  # as an exception, so that the server is stopped on the way out


def _suite(name: str, database_url: str, arguments: list[str], report: Report) -> None:
    print(f"\n##### The suite on {name}", flush=True)
    command = [
        *(sys.executable, "-m", "pytest"),
        *("-n", str(min(MOST_WORKERS, os.cpu_count() or 1)), "--dist", "worksteal"),
        *arguments,
    ]
    if sys.stdout.isatty():
        command.append("--color=yes")
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "COVERAGE_FILE": str(ROOT / f".coverage.{name.lower()}"),
    }
    with (
        report.stage(f"The suite on {name}"),
        TemporaryDirectory(prefix="session-engine-tests-", dir=_place(), ignore_cleanup_errors=True) as folder,
    ):
        code, last_line = _follow(command, {**environment, "TEST_RUN_DIR": folder})
    report.closing.append(f"{name:20} {last_line}")
    if code:
        report.failed.append(f"the suite on {name} (pytest answered {code})")


def _place() -> Path | None:
    """Where the databases of SQLite lie: in memory where there is enough. Each commit waits for its disk, as in the
    product, and a disk takes milliseconds.
    """
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > MEMORY_NEEDED:
        return MEMORY
    return None


def _follow(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run the command, passing on what it prints; return its code and its last line."""
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert process.stdout is not None
    tail = b""
    try:
        while chunk := os.read(process.stdout.fileno(), 65536):
            sys.stdout.buffer.write(chunk)
            sys.stdout.flush()
            tail = (tail + chunk)[-4096:]
        code = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    lines = tail.decode(errors="replace").split("\n")
    return code, next((line for line in reversed(lines) if line.strip()), "(no output)")


def _coverage(report: Report) -> None:
    print("\n##### Branch coverage", flush=True)
    environment = {**os.environ, "COVERAGE_FILE": str(ROOT / ".coverage")}

    def coverage(*arguments: str) -> int:
        command = [sys.executable, "-m", "coverage", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode

    coverage("combine", "--quiet", *map(str, sorted(ROOT.glob(".coverage.*"))))
    for name, bar, files in BARS:
        print(f"\n{name}: at least {bar} %", flush=True)
        if coverage("report", f"--include={files}", f"--fail-under={bar}"):
            report.failed.append(f"branch coverage of {name} is below {bar} %")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
