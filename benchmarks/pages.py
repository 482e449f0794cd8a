"""Measure the page of a short and of a long session on the database of DATABASE_URL, and print the figures as JSON.

The server's work alone: requests are made in this process. Both sessions take turns, and each address was asked for
before, so that templates are loaded and what the database needs is in its cache.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from sessions_app.access.users import ensure_admin  # noqa: E402
from sessions_app.management.made_session import make_session  # noqa: E402

COMPRESSIONS = 5


@dataclass(frozen=True, slots=True)
class Plan:
    short: int
    long: int
    times: int


WHOLE = Plan(1_000, 100_000, times=40)
QUICK = Plan(40, 120, times=2)


def main(plan: Plan) -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    owner = ensure_admin()
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(owner)
    for frames in (plan.short, plan.long):
        make_session(
            owner=owner,
            session_id=f"made-{frames}",
            frames=frames,
            compressions=COMPRESSIONS,
            seed=1,
            title="Measured",
            now=timezone.now(),
        )
    print(json.dumps([result(what, client, plan) for what in ADDRESSES]))


ADDRESSES: dict[str, Callable[[int], str]] = {
    "the newest frames": lambda frames: "",
    "the middle": lambda frames: f"?frame={frames // 2}",
    "an earlier version": lambda frames: "?version=3",
}


def result(what: str, client: Client, plan: Plan) -> dict[str, Any]:
    sizes = (plan.short, plan.long)
    urls = [f"/sessions/made-{frames}/{ADDRESSES[what](frames)}" for frames in sizes]
    pages = [page(client, url) for url in urls]
    took: tuple[list[float], list[float]] = ([], [])
    for n in range(plan.times):
        for side in (n % 2, 1 - n % 2):  # neither is always the first
            took[side].append(milliseconds(client, urls[side]))
    short, long = (round(median(times), 2) for times in took)
    return {
        "database": connection.vendor,
        "page": what,
        "frames": list(sizes),
        "statements": [statements for statements, _ in pages],
        "bytes": [size for _, size in pages],
        "median_ms": [short, long],
        "ratio": round(long / short, 2),
    }


def page(client: Client, url: str) -> tuple[int, int]:
    """Statements and bytes."""
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        response = client.get(url)
    if response.status_code != 200:
        raise SystemExit(f"{url} answers {response.status_code}")
    return len(captured), len(response.content)


def milliseconds(client: Client, url: str) -> float:
    gc.collect(0)
    gc.disable()
    began = time.perf_counter()
    client.get(url)
    took = (time.perf_counter() - began) * 1000
    gc.enable()
    return took


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv else WHOLE)
