"""An agent in the same process as the engine, killed inside a tool and resumed by another process.

    .venv/bin/python docs/examples/agent.py my-run --die      # kills itself with SIGKILL inside `deploy`
    .venv/bin/python docs/examples/agent.py my-run            # a second process resumes it

The model is scripted, so that the example needs none: it answers from the messages that it is sent, as a real one does.
"""

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402

from sessions_app import engine  # noqa: E402

Message = dict[str, Any]


def model(messages: list[Message]) -> Message:
    """Deploys when it is asked to; after an interruption checks first; then reports."""
    last = messages[-1]
    if last["role"] == "user":
        return call("call_1", "deploy", '{"build": "7f3a"}')
    if "interrupted" in last["content"]:
        return call("call_2", "deployed_builds", "{}")
    return {"role": "assistant", "content": f"Done: {last['content']}"}


def call(call_id: str, name: str, arguments: str) -> Message:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def run_tool(name: str, journal: Path, *, die: bool) -> str:
    """`deploy` has an effect that must not happen twice: a line in a journal."""
    if name == "deploy":
        with journal.open("a") as lines:
            lines.write("deployed 7f3a\n")
        if die:
            os.kill(os.getpid(), signal.SIGKILL)
        return "deployed 7f3a"
    return f"{len(journal.read_text().splitlines())} deployment: {journal.read_text().strip()}"


def start(session_id: str) -> engine.RuntimeSession:
    """The session as it was left, or a new one. Resuming answers the open calls: their result is unknown."""
    try:
        return engine.RuntimeSession.resume(session_id, reason="crash")
    except engine.SessionNotFound:
        owner, _ = get_user_model().objects.get_or_create(username="admin")
        runtime = engine.RuntimeSession.create(owner_id=owner.pk, session_id=session_id, title="Agent example")
        runtime.append({"role": "user", "content": "Deploy build 7f3a."})
        return runtime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("session_id")
    options.add_argument("--die", action="store_true", help="die by SIGKILL inside the tool")
    options.add_argument("--journal", type=Path, default=Path("deployments.txt"))
    given = options.parse_args()

    runtime = start(given.session_id)
    while runtime.context.state.state is not engine.State.SETTLED:
        answer = model(runtime.messages())
        # Before the tool runs, so that a crash inside it is seen; against our own head, so that no
        # second agent slips in.
        runtime.append(answer)
        for open_call in runtime.open_calls:
            result = run_tool(open_call.name, given.journal, die=given.die)
            runtime.append({"role": "tool", "tool_call_id": open_call.id, "content": result})
    for message in runtime.messages():
        print(f"{message['role']:9} {message.get('content') or message['tool_calls'][0]['function']['name']}")


if __name__ == "__main__":
    main()
