"""A model's endpoint on the loopback address, that answers as it is told to, over real HTTP."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Final

import pytest

from sessions_app.compression.summaries import Endpoint

MODEL: Final = "test-model"
KEY: Final = "sk-secret-of-the-tests"
LISTS: Final = ("constraints", "decisions", "facts", "completed", "pending", "artifacts", "warnings")


@dataclass(frozen=True)
class Told:
    """An answer. `before`: waits with it, as long as the event is not set; `gap`: seconds between its bytes."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    before: Event | None = None
    gap: float = 0.0


@dataclass
class ModelServer:
    """`answers` in their order, the last one again and again. `calls`: the bodies that came."""

    answers: list[Told]
    url: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    arrived: Event = field(default_factory=Event)
    stopping: Event = field(default_factory=Event)

    @property
    def prompt(self) -> str:
        """The text of the newest call's messages."""
        return "\n".join(message["content"] for message in self.calls[-1]["messages"])

    def take(self, body: bytes, headers: dict[str, str]) -> Told:
        told = self.answers[min(len(self.calls), len(self.answers) - 1)]
        self.calls.append(json.loads(body))
        self.headers.append(headers)
        self.times.append(time.monotonic())
        self.arrived.set()
        return told

    def wait_for_calls(self, count: int) -> None:
        until = time.monotonic() + 10
        while len(self.calls) < count:
            assert time.monotonic() < until, f"only {len(self.calls)} calls came"
            time.sleep(0.005)


def answer_of(**members: Any) -> dict[str, Any]:
    """A summary in the form that is asked for."""
    return {"objective": "Find out why the upload test fails.", **{name: [] for name in LISTS}, **members}


def says(content: Any, *, finish: str = "stop", usage: Any = (700, 60), **message: Any) -> Told:
    """A completion. `content` that is no text stands as JSON in it."""
    text = content if isinstance(content, str | None) else json.dumps(content, ensure_ascii=False)
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    body: dict[str, Any] = {"id": "c", "object": "chat.completion", "model": MODEL, "choices": [choice]}
    if isinstance(usage, tuple):
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    elif usage is not None:
        body["usage"] = usage
    return Told(body=json.dumps(body).encode())


def fails(status: int, message: str = "no", **headers: str) -> Told:
    body = json.dumps({"error": {"message": message, "type": "t"}}).encode()
    return Told(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def held(told: Told, until: Event) -> Told:
    return replace(told, before=until)


def dripping(told: Told, gap: float) -> Told:
    return replace(told, gap=gap)


@contextmanager
def model_server(*answers: Told) -> Iterator[ModelServer]:
    server = ModelServer(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = server.take(self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers))
            while told.before is not None and not told.before.wait(0.01):
                if server.stopping.is_set():
                    return
            self.send_response(told.status)
            for name, value in {"Content-Type": "application/json", "Connection": "close", **told.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(told.body)))
            self.end_headers()
            self._write(told)

        def _write(self, told: Told) -> None:
            pieces = [told.body] if not told.gap else [told.body[i : i + 1] for i in range(len(told.body))]
            for piece in pieces:
                try:
                    self.wfile.write(piece)
                except ConnectionError:  # who asked does not listen any more
                    return
                if told.gap and server.stopping.wait(told.gap):
                    return

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    class Http(ThreadingHTTPServer):
        daemon_threads = False  # all are waited for

    with Http(("127.0.0.1", 0), Handler) as http:
        thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        try:
            yield server
        finally:
            server.stopping.set()
            http.shutdown()
            thread.join()


def host_of(server: ModelServer) -> str:
    return server.url.removeprefix("http://").removesuffix("/v1")


def endpoint_at(server: ModelServer, **times: Any) -> Endpoint:
    return Endpoint(server.url, MODEL, KEY, **{"first_pause_s": 0.01, **times})


Summariser = Callable[..., ModelServer]


@contextmanager
def summarising(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Summariser]:
    """Sets up a model that answers as told: `summariser(says(…), total_s=1)`."""
    running: list[Any] = []

    def start(*answers: Told, **times: Any) -> ModelServer:
        running.append(model_server(*answers))
        server: ModelServer = running[-1].__enter__()
        settings.SUMMARISER_BASE_URL, settings.SUMMARISER_MODEL = server.url, MODEL
        settings.SUMMARISER_API_KEY = KEY
        endpoint = endpoint_at(server, **times)
        monkeypatch.setattr(Endpoint, "configured", classmethod(lambda _cls: endpoint))
        return server

    try:
        yield start
    finally:
        for manager in running:
            manager.__exit__(None, None, None)
