"""The examples of the docs do what they say: run as a person would, against a server of their own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from sessions_app import engine
from sessions_app.access.roles import Role
from sessions_app.models import Session
from tests.api.client import Api
from tests.builders import make_user, roles, window

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


def test_the_commands_of_the_readme_answer_as_it_says(live_server: LiveServer) -> None:
    readme = (EXAMPLES.parent.parent / "README.md").read_text()
    block = readme.partition("## Over REST")[2].partition("```sh\n")[2].partition("```")[0]
    commands = "\n".join(line for line in block.splitlines() if not line.startswith("export "))
    token = Api.of(make_user(role=Role.OPERATOR)).token or ""
    done = run("bash", "-euc", commands, API=f"{live_server.url}/api/v1", TOKEN=token)
    assert done.returncode == 0, done.stderr
    statuses = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("HTTP/1.1 ")]
    assert statuses == ["201", "201", "412", "200", "200", "409", "204"]
