"""The settings: what the environment may decide, and what it may not."""

import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config import asgi, wsgi
from config.databases import database_from
from config.logs import OneLineFormatter
from config.secret_key import kept_secret_key

ROOT = Path(__file__).resolve().parent.parent


def manage(var_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py` with the product's own settings, as a person would."""
    return subprocess.run(
        [sys.executable, "-W", "error", "manage.py", *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "",
            "DATABASE_URL": "",
            "VAR_DIR": str(var_dir),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def database(url: str, var_dir: Path = Path("/var")) -> dict[str, object]:
    return database_from(_env(DATABASE_URL=url), var_dir, threads=4)


def _env(**values: str) -> environ.Env:
    env = environ.Env()
    env.ENVIRON = values
    return env


def test_a_secret_key_is_made_once_and_kept_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "secret_key"
    key = kept_secret_key(path)
    assert len(key) >= 50
    assert kept_secret_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_workers_that_start_at_once_agree_on_the_secret_key(tmp_path: Path) -> None:
    for attempt in range(20):
        path = tmp_path / f"key{attempt}"
        with ThreadPoolExecutor(8) as pool:
            keys = set(pool.map(kept_secret_key, [path] * 8))
        assert len(keys) == 1


def test_a_secret_key_that_is_given_is_not_written(tmp_path: Path) -> None:
    ran = manage(tmp_path, "check", SECRET_KEY="given")
    assert ran.returncode == 0, ran.stderr
    assert not (tmp_path / "secret_key").exists()


@pytest.mark.slow
def test_the_deployment_check_is_clean_with_an_https_address(tmp_path: Path) -> None:
    ran = manage(
        tmp_path,
        *("check", "--deploy", "--fail-level", "WARNING"),
        PUBLIC_URL="https://sessions.example.org",
    )
    assert ran.returncode == 0, ran.stderr
    assert "no issues (0 silenced)" in ran.stdout


@pytest.mark.parametrize("url", ["sessions.example.org", "ftp://x", "https://x/path", "https://"])
def test_a_public_url_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    ran = manage(tmp_path, "check", PUBLIC_URL=url)
    assert ran.returncode != 0
    assert "PUBLIC_URL must look like" in ran.stderr


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_a_module_of_strategies_that_cannot_be_used_stops_the_start(tmp_path: Path, command: str) -> None:
    ran = manage(tmp_path, command, STRATEGY_MODULES="no_such_module")
    assert ran.returncode != 0
    assert "STRATEGY_MODULES: 'no_such_module' cannot be imported" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "db.sqlite3").exists() or not (tmp_path / "db.sqlite3").stat().st_size


def test_the_embedded_database_lies_in_the_var_folder(tmp_path: Path) -> None:
    assert database("", tmp_path)["NAME"] == tmp_path / "db.sqlite3"


def test_a_socket_can_be_named_in_the_url() -> None:
    named = database("postgres://me@%2Fvar%2Frun%2Fpostgresql/sessions")
    assert (named["HOST"], named["NAME"], named["USER"]) == (
        "/var/run/postgresql",
        "sessions",
        "me",
    )


def test_the_pool_has_a_connection_for_each_thread() -> None:
    options = database("postgres://h/d?sslmode=require")["OPTIONS"]
    assert options == {
        "sslmode": "require",
        "pool": {"min_size": 1, "max_size": 4, "timeout": 5.0},
    }


def test_another_database_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"sqlite:// or postgres://"):
        database("mysql://h/d")


@pytest.mark.sqlite
@pytest.mark.django_db
def test_an_acknowledged_write_survives_a_power_cut() -> None:
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_a_log_record_is_one_line() -> None:
    try:
        raise ValueError("first\nsecond")
    except ValueError:
        record = logging.LogRecord("n", 40, "p", 1, "a\r\nb", None, sys.exc_info())
    line = OneLineFormatter("{message}", style="{").format(record)
    assert line.startswith("a\\r\\nb\\nTraceback")
    assert len(line.splitlines()) == 1


def test_both_kinds_of_server_find_the_application() -> None:
    assert callable(wsgi.application)
    assert callable(asgi.application)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SUMMARISER_BASE_URL", "models.example.org/v1", "must look like https://host/v1"),
        ("SUMMARISER_BASE_URL", "https://me:secret@models.example.org/v1", "must look like https://host/v1"),
        ("SUMMARISER_API_KEY", "sk-“secret”", "holds what no header can"),
    ],
)
def test_a_summariser_that_cannot_be_one_stops_the_start_and_is_not_repeated(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    done = manage(tmp_path, "check", **{name: value})
    assert done.returncode != 0
    assert said in done.stderr
    assert "secret" not in done.stderr
