"""Measure how long a session's page takes while the same server replays a long session, and print it as JSON.

The product's own server, on the database of DATABASE_URL, which is empty; with one worker, so that each page is served
by the process that replays. One client reads the page again and again, another has six strategies replayed meanwhile.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from socket import socket
from statistics import median, quantiles
from threading import Event, Thread
from typing import Any

import django

django.setup()

import requests  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from sessions_app.access.users import ensure_admin  # noqa: E402
from sessions_app.management.made_session import make_session  # noqa: E402
from sessions_app.management.replay_arguments import DEFAULT  # noqa: E402

SESSION = "made"
STARTS_WITHIN = 60
PAUSE = 0.05
"""Seconds between a page and the next."""


@dataclass(frozen=True, slots=True)
class Plan:
    frames: int
    seconds: float
    """How long the page is read while nothing else runs."""
    replays: int


WHOLE = Plan(4_000, seconds=20, replays=3)
QUICK = Plan(80, seconds=0.5, replays=1)


def main(plan: Plan) -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    admin = ensure_admin()
    make_session(
        owner=admin,
        session_id=SESSION,
        frames=plan.frames,
        compressions=0,
        seed=1,
        title="Measured",
        now=timezone.now(),
    )
    client = Client()
    client.force_login(admin)
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    connection.close()
    with server() as url:
        reader = Reader(url, cookies)
        for _ in range(4):  # templates are loaded, and what the database needs is in its cache
            reader.read()
        quiet = reader.read_until(after(plan.seconds))
        replays = [replaying(url, cookies, reader) for _ in range(plan.replays)]
    pages = [page for _, meanwhile in replays for page in meanwhile]
    result = {
        "database": connection.vendor,
        "frames": plan.frames,
        "strategies": len(DEFAULT),
        "replay_s": round(median(took for took, _ in replays), 2),
        "quiet": figures(quiet),
        "beside": figures(pages),
    }
    print(json.dumps([result]))


@contextmanager
def server() -> Iterator[str]:
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PORT": str(port), "BIND": "127.0.0.1", "WORKERS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "config.serve"], cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{url}/healthz", process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            requests.get(url, timeout=5)
        except requests.ConnectionError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


@dataclass(frozen=True, slots=True)
class Reader:
    url: str
    cookies: dict[str, str]

    def read(self) -> float:
        """Milliseconds."""
        began = time.perf_counter()
        page = requests.get(f"{self.url}/sessions/{SESSION}/", cookies=self.cookies, timeout=120)
        took = (time.perf_counter() - began) * 1000
        if page.status_code != 200:
            raise SystemExit(f"The page answers {page.status_code}")
        return took

    def read_until(self, is_over: Callable[[], bool]) -> list[float]:
        took = [self.read()]
        while not is_over():
            time.sleep(PAUSE)
            took.append(self.read())
        return took


def after(seconds: float) -> Callable[[], bool]:
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() > deadline


def replaying(url: str, cookies: dict[str, str], reader: Reader) -> tuple[float, list[float]]:
    """The seconds of one replay, and the pages that were read meanwhile."""
    done, took = Event(), []

    def replay() -> None:
        began = time.perf_counter()
        try:
            answer = post_replay(url, cookies)
            took.append(time.perf_counter() - began)
            answer.raise_for_status()
        finally:
            done.set()

    thread = Thread(target=replay)
    thread.start()
    pages = reader.read_until(done.is_set)
    thread.join()
    return took[0], pages


def post_replay(url: str, cookies: dict[str, str]) -> requests.Response:
    token = "a" * 32  # the double submit of Django's protection against forged requests
    return requests.post(
        f"{url}/api/v1/sessions/{SESSION}/replays/",
        json={"strategies": [{"strategy": name} for name in DEFAULT]},
        cookies={**cookies, settings.CSRF_COOKIE_NAME: token},
        headers={"X-CSRFToken": token, "Origin": url},
        timeout=600,
    )


def figures(took: list[float]) -> dict[str, Any]:
    """Milliseconds."""
    p90 = quantiles(took, n=10, method="inclusive")[-1] if len(took) > 1 else took[0]
    return {
        "pages": len(took),
        "median_ms": round(median(took), 1),
        "p90_ms": round(p90, 1),
        "max_ms": round(max(took), 1),
    }


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv else WHOLE)
