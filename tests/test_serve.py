"""`make run`, from its second step on: an installation is brought up to date and served."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture
def environment(process_env: dict[str, str], on_postgres: bool, tmp_path: Path) -> dict[str, str]:
    """An empty installation; on PostgreSQL in the test's own database."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return {
        **process_env,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": process_env["DATABASE_URL"] if on_postgres else "",
        "SECRET_KEY": "",
        "VAR_DIR": str(tmp_path / "var"),
        "PORT": str(port),
    }


@contextmanager
def started(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen(
        [sys.executable, "-m", "config.serve"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield server
    finally:
        if server.poll() is None:
            server.terminate()
        server.communicate(timeout=30)


def answer(environment: dict[str, str], path: str) -> requests.Response:
    """The answer, as soon as there is one."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return requests.get(f"http://127.0.0.1:{environment['PORT']}{path}", timeout=10)
        except requests.ConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_an_empty_installation_is_served_and_ends_when_asked(environment: dict[str, str]) -> None:
    with started(environment) as server:
        assert answer(environment, "/healthz").status_code == 200
        assert answer(environment, "/static/rest_framework/css/default.css").status_code == 200
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)
    assert server.returncode == 0


@pytest.mark.sqlite  # it is the same whatever the database
def test_a_second_start_keeps_the_key(environment: dict[str, str]) -> None:
    kept = Path(environment["VAR_DIR"], "secret_key")
    keys = []
    for _ in range(2):
        with started(environment):
            answer(environment, "/healthz")
        keys.append(kept.read_text())
    assert keys[0] == keys[1]


@pytest.mark.sqlite  # it is the same whatever the database
def test_a_port_that_is_taken_is_said_before_the_link(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", int(environment["PORT"]))):
        ran = subprocess.run(
            [sys.executable, "-m", "config.serve"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 1
    assert "make run PORT=" in ran.stderr
    assert ran.stdout == ""
    assert not os.path.exists(Path(environment["VAR_DIR"], "db.sqlite3"))


@pytest.mark.sqlite  # it is the same whatever the database
def test_a_module_of_strategies_that_cannot_be_used_stops_the_start(environment: dict[str, str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "config.serve"],
        cwd=ROOT,
        env={**environment, "STRATEGY_MODULES": "no_such_module"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "STRATEGY_MODULES: 'no_such_module' cannot be imported" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""
    assert not os.path.exists(Path(environment["VAR_DIR"], "db.sqlite3"))
