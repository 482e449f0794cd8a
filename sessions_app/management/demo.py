"""Two sessions for the very first start: one that was compressed twice, one that died in a tool."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.compression.policy import parse_policy
from sessions_app.compression.registry import find

_Message = dict[str, Any]

FLAKY = "demo-flaky-upload"
DEPLOY = "demo-interrupted-deploy"


class _Clock:
    """Moments of a run that began some time ago: each question gives one a little later than the last."""

    def __init__(self, start: datetime, step: timedelta) -> None:
        self._now, self._step = start, step

    def __call__(self) -> datetime:
        self._now += self._step
        return self._now


def load(owner: User) -> None:
    """Make both sessions for `owner`, through the engine, as runs that ended a few minutes ago."""
    now = timezone.now()
    _flaky_upload(owner, _Clock(now - timedelta(minutes=50), timedelta(seconds=20)))
    _interrupted_deploy(owner, _Clock(now - timedelta(minutes=12), timedelta(seconds=20)))


def _flaky_upload(owner: User, clock: _Clock) -> None:
    policy = parse_policy({"limit_tokens": 6_000, "strategy": "digest"}, current="")
    engine.create(
        owner_id=owner.pk,
        session_id=FLAKY,
        title="Fix the flaky upload test",
        labels=["demo", "ci"],
        compression_policy=policy,
        created_by=owner.username,
        now=clock,
    )
    runtime = engine.RuntimeSession.load(FLAKY, now=clock)
    for message in _first_half():
        runtime.append(message)
    _compress(runtime, owner, "clear_tool_results", protect_rounds=3)
    for message in _second_half():
        runtime.append(message)
    _compress(runtime, owner, "digest", protect_rounds=2)
    runtime.append(_user("Good. Open a pull request, and mention the retry in the description."))


def _interrupted_deploy(owner: User, clock: _Clock) -> None:
    engine.create(
        owner_id=owner.pk,
        session_id=DEPLOY,
        title="Deploy build 7f3a to staging",
        labels=["demo", "interrupted"],
        created_by=owner.username,
        now=clock,
    )
    runtime = engine.RuntimeSession.load(DEPLOY, now=clock)
    for message in (
        _system("You operate the staging cluster. Never deploy twice. Tell the release channel."),
        _user("Deploy build 7f3a to staging, then tell #release."),
        *_round("d1", "cluster_status", '{"cluster": "staging"}', "3 of 3 nodes ready, build 6c20 running"),
        _calls(
            "Staging is healthy, so I deploy now and announce it.",
            ("d2", "deploy", '{"build": "7f3a", "cluster": "staging"}'),
            ("d3", "notify", '{"channel": "#release", "text": "7f3a is going to staging"}'),
        ),
        _reply("d3", "sent"),
    ):
        runtime.append(message)


def _compress(runtime: engine.RuntimeSession, owner: User, name: str, **params: Any) -> None:
    strategy = find(name)
    runtime.compress(strategy, strategy.Params(**params), created_by=owner.username)


def _first_half() -> Iterator[_Message]:
    yield _system("You are a careful coding agent. Never delete data. Ask before you push. Answer in short sentences.")
    yield _user(
        "The upload test fails about once in ten runs on CI. Find out why and fix it. "
        "You must not change the database schema. 请不要改动数据库结构。"
    )
    yield from _round("c1", "run_tests", '{"args": "tests/test_upload.py --count 20"}', _FAILED, text="I run it first.")
    yield from _round("c2", "read_file", '{"path": "src/upload.py"}', _UPLOAD)
    yield from _round("c3", "read_file", '{"path": "tests/test_upload.py"}', _TEST)
    yield from _round("c4", "search", '{"pattern": "NamedTemporaryFile", "path": "src"}', _HITS)
    yield from _round("c5", "read_file", '{"path": "src/retry.py"}', _RETRY)
    yield _says(
        "The retry closes the temporary file before the second attempt reads it. "
        "I decided to keep the handle open across the retry and to rewind it."
    )


def _second_half() -> Iterator[_Message]:
    yield _user("That sounds right. Go on, but run it twenty times before you say that it is fixed.")
    yield from _round(
        "c6", "edit_file", '{"path": "src/upload.py", "find": "tmp.close()", "replace": ""}', "ok: 1 hunk"
    )
    yield from _round(
        "c7", "edit_file", '{"path": "src/retry.py", "find": "attempt()", "replace": "rewind()"}', _NO_MATCH
    )
    yield from _round("c8", "read_file", '{"path": "src/retry.py", "from": 12, "to": 40}', _RETRY)
    yield from _round(
        "c9", "edit_file", '{"path": "src/retry.py", "find": "call()", "replace": "call(rewind=True)"}', "ok"
    )
    yield from _round("c10", "run_tests", '{"args": "tests/test_upload.py --count 20"}', _PASSED)
    yield from _round("c11", "run_tests", '{"args": "tests"}', "412 passed in 88.12s")
    yield _says("Fixed: 20 of 20 runs pass, and the whole suite does. The schema is untouched.")


def _round(call_id: str, tool: str, arguments: str, result: str, *, text: str | None = None) -> Iterator[_Message]:
    yield _calls(text, (call_id, tool, arguments))
    yield _reply(call_id, result)


def _system(text: str) -> _Message:
    return {"role": "system", "content": text}


def _user(text: str) -> _Message:
    return {"role": "user", "content": text}


def _says(text: str) -> _Message:
    return {"role": "assistant", "content": text}


def _calls(text: str | None, *calls: tuple[str, str, str]) -> _Message:
    functions = [
        {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}
        for call_id, tool, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": functions}


def _reply(call_id: str, text: str) -> _Message:
    failed = {"is_error": True} if text.startswith(("FAILED", "error")) else {}
    return {"role": "tool", "tool_call_id": call_id, "content": text, **failed}


_FAILED = (
    "FAILED tests/test_upload.py::test_retry - OSError: [Errno 9] Bad file descriptor\n"
    + "".join(f"tests/test_upload.py::test_retry[{n}] PASSED\n" for n in range(19))
    + "1 failed, 19 passed in 41.03s"
)
_PASSED = "".join(f"tests/test_upload.py::test_retry[{n}] PASSED\n" for n in range(20)) + "20 passed in 39.80s"
_NO_MATCH = "error: the text to find does not stand in src/retry.py"
_UPLOAD = '''import tempfile

CHUNK = 65536


def upload(stream, send, *, attempts=3):
    """Spool the stream to a file, so that an attempt that fails can be made again."""
    tmp = tempfile.NamedTemporaryFile()
    while chunk := stream.read(CHUNK):
        tmp.write(chunk)
    tmp.flush()

    def attempt():
        try:
            return send(tmp)
        finally:
            tmp.close()

    return retry(attempt, attempts=attempts)
'''
_TEST = '''def test_retry(flaky_server):
    """The second attempt sends what the first one did."""
    body = os.urandom(200_000)
    upload(io.BytesIO(body), flaky_server.put)
    assert flaky_server.received == body
'''
_HITS = "src/upload.py:8: tmp = tempfile.NamedTemporaryFile()\nsrc/report.py:31: with NamedTemporaryFile() as out:"
_RETRY = '''import time


def retry(call, *, attempts, pause=0.2):
    """Call until it does not raise, at most `attempts` times."""
    for n in range(attempts):
        try:
            return call()
        except OSError:
            if n == attempts - 1:
                raise
            time.sleep(pause * 2 ** n)
'''
