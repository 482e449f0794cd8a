"""The examples of the docs do what they say: run as a person would, against a server of their own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from sessions_app import engine
from sessions_app.access.roles import Role
from sessions_app.access.users import ADMIN
from sessions_app.management import demo
from sessions_app.models import Session
from tests.api.client import Api
from tests.builders import make_user, roles, says, user, window

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"

pytestmark = pytest.mark.django_db(transaction=True)


def run(*command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(c) for c in command], env={**os.environ, **env}, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize(
    "command", [("bash", "first_session.sh"), (sys.executable, "first_session.py")], ids=["curl", "requests"]
)
def test_the_rest_example_runs_through(command: tuple[str, str], live_server: LiveServer) -> None:
    token = Api.of(make_user(role=Role.OPERATOR)).token or ""
    done = run(command[0], EXAMPLES / command[1], API=f"{live_server.url}/api/v1", TOKEN=token)
    assert done.returncode == 0, done.stderr
    for status in ("201", "412", "409", "200"):
        assert f"-> {status}" in done.stdout
    session_id = Session.objects.get().session_id
    assert roles(window(session_id)) == "SUARARARU"
    assert engine.reads.session_state(session_id).context_compression_version == 2


@pytest.mark.case(20)
def test_the_agent_that_is_killed_in_its_tool_is_resumed_and_runs_it_once(
    process_env: dict[str, str], tmp_path: Path
) -> None:
    journal = tmp_path / "deployments.txt"
    command = (sys.executable, EXAMPLES / "agent.py", "my-run", "--journal", journal)
    died = run(*command, "--die", **process_env)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert engine.reads.session_state("my-run").state == engine.State.AWAITING_TOOLS

    resumed = run(*command, **process_env)
    assert resumed.returncode == 0, resumed.stderr
    assert journal.read_text() == "deployed 7f3a\n"
    assert roles(window("my-run")) == "UARARA"
    assert "unknown" in window("my-run")[2]["content"]
    assert "1 deployment" in resumed.stdout


def block_of_the_readme(heading: str, number: int = 1, *, language: str = "sh") -> str:
    section = (EXAMPLES.parent.parent / "README.md").read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return section.split(f"```{language}\n")[number].partition("```")[0]


def test_the_imports_of_the_readme_do_what_it_says(
    live_server: LiveServer, process_env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps(m) for m in (user(), says())))
    of_claude = tmp_path / ".claude" / "projects" / "-work"
    of_claude.mkdir(parents=True)
    (of_claude / "s.jsonl").write_text(json.dumps([user("Hello."), says()]))
    manage = f"{sys.executable} {EXAMPLES.parent.parent / 'manage.py'}"
    commands = f"cd {tmp_path}\n" + block_of_the_readme("Import").replace(".venv/bin/python manage.py", manage)
    settings = {**process_env, "DJANGO_SETTINGS_MODULE": "config.settings", "HOME": str(tmp_path)}
    token = Api.of(make_user(role=Role.OPERATOR)).token or ""
    done = run("bash", "-euc", commands, **settings, API=f"{live_server.url}/api/v1", TOKEN=token)
    assert done.returncode == 0, done.stderr
    assert '"status":"created"' in done.stdout
    assert "2 files (2 imported), 2 sessions (2 created), 4 frames." in done.stdout
    assert Session.objects.count() == 3  # run.jsonl once for each owner


def test_the_commands_of_the_readme_answer_as_it_says(live_server: LiveServer) -> None:
    lines = block_of_the_readme("Over REST").splitlines()
    commands = "\n".join(line for line in lines if not line.startswith("export "))
    token = Api.of(make_user(role=Role.OPERATOR)).token or ""
    done = run("bash", "-euc", commands, API=f"{live_server.url}/api/v1", TOKEN=token)
    assert done.returncode == 0, done.stderr
    statuses = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("HTTP/1.1 ")]
    assert statuses == ["201", "201", "412", "200", "200", "409", "204"]


def test_the_lab_of_the_readme_works_on_the_demos(
    live_server: LiveServer, process_env: dict[str, str], tmp_path: Path
) -> None:
    demo.load(make_user(ADMIN, role=Role.STAFF))
    manage = f"{sys.executable} {EXAMPLES.parent.parent / 'manage.py'}"
    settings = {**process_env, "DJANGO_SETTINGS_MODULE": "config.settings"}

    def said(number: int) -> str:
        commands = block_of_the_readme("Which strategy?", number).replace(".venv/bin/python manage.py", manage)
        commands = commands.replace("http://127.0.0.1:8000", live_server.url)
        done = run("bash", "-euc", f"cd {tmp_path}\n{commands}", **settings)
        assert done.returncode == 0, done.stderr
        return done.stdout

    compared, end = json.JSONDecoder().raw_decode(over_rest := said(1))
    replayed, _ = json.JSONDecoder().raw_decode(over_rest[end:].lstrip())
    assert [result["outcome"] for result in compared["results"]] == ["ok", "ok"]
    assert all(run_["compressions"] for run_ in replayed["runs"])
    assert "28 frames, 13 model calls" in said(2)
    assert "demo-interrupted-deploy" in (tmp_path / "replay.csv").read_text()


def test_the_session_of_the_readme_that_compresses_itself_can_be_made() -> None:
    names = {"owner": make_user()}
    exec(block_of_the_readme("In the same process", 2, language="python"), names)
    runtime = engine.RuntimeSession.load("my-run")
    assert runtime.context.state.owner_id == names["owner"].pk
    assert '"auto":true' in runtime.context.state.compression_policy
