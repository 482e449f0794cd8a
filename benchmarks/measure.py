"""Measure on the database of DATABASE_URL, which is empty, and print the figures as JSON.

Engine and driver take turns, each on a session of its own with as many frames, so that whatever else the machine does
meets both alike.
"""

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median, quantiles
from typing import Any
from uuid import uuid4

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from benchmarks.raw import Raw, raw_driver  # noqa: E402
from sessions_app import engine  # noqa: E402
from sessions_app.access.models import User  # noqa: E402


@dataclass(frozen=True, slots=True)
class Plan:
    """How many frames there are, how many messages a window has, and how often each is done."""

    appends_at: dict[int, int]
    loads_of: dict[int, int]
    warm_up: int


WHOLE = Plan({100: 150, 1_000: 150, 10_000: 150}, {100: 100, 5_000: 15}, warm_up=10)
QUICK = Plan({10: 3, 20: 3}, {10: 3, 20: 3}, warm_up=1)
TEXT = "The upload fails on the second part, and the log says why: part 2 of 3 was cut. " * 12
MESSAGE = {"role": "user", "content": TEXT[:1_000]}  # about 1 KB as it is stored

Operation = Callable[[], object]


def main(plan: Plan) -> None:
    call_command("migrate", verbosity=0)
    owner = User.objects.create_user(username="benchmark").pk
    raw = raw_driver()
    results = [
        result("append", frames, in_turns(*appends_at(frames, owner, raw), times=times, warm_up=plan.warm_up))
        for frames, times in plan.appends_at.items()
    ]
    results += [
        result("load", messages, in_turns(*loads_of(messages, owner, raw), times=times, warm_up=plan.warm_up))
        for messages, times in plan.loads_of.items()
    ]
    raw.close()
    print(json.dumps(results))


def session_with(frames: int, owner: int) -> str:
    session_id = f"s-{frames}-{uuid4().hex[:8]}"
    engine.create(owner_id=owner, session_id=session_id)
    for start in range(0, frames, 1_000):
        engine.append(session_id=session_id, messages=[MESSAGE] * min(1_000, frames - start))
    return session_id


def appends_at(frames: int, owner: int, raw: Raw) -> tuple[Operation, Operation]:
    session_id, its_twin = session_with(frames, owner), session_with(frames, owner)
    head = engine.reads.session_state(session_id).head

    def append() -> None:
        nonlocal head
        head = engine.append(session_id=session_id, messages=[MESSAGE], expected=head).state.head

    return append, raw.prepare_append(its_twin, MESSAGE)


def loads_of(messages: int, owner: int, raw: Raw) -> tuple[Operation, Operation]:
    session_id = session_with(messages, owner)
    load = raw.prepare_load(session_id)
    assert len(load()) == len(engine.RuntimeSession.load(session_id).context.window) == messages
    return partial(engine.RuntimeSession.load, session_id), load


def in_turns(
    by_engine: Operation, by_driver: Operation, *, times: int, warm_up: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each call. The collector rests: it would run now in one side's turn, now in the other's."""
    sides: tuple[list[float], list[float]] = ([], [])
    for n, side in turns(times + warm_up):
        call = (by_engine, by_driver)[side]
        gc.collect(0)
        gc.disable()
        began = time.perf_counter()
        call()
        took = (time.perf_counter() - began) * 1000
        gc.enable()
        if n >= warm_up:
            sides[side].append(took)
    return sides


def turns(count: int) -> Iterator[tuple[int, int]]:
    for n in range(count):
        yield from ((n, n % 2), (n, 1 - n % 2))  # neither is always the first


def result(operation: str, size: int, sides: tuple[list[float], list[float]]) -> dict[str, Any]:
    by_engine, by_driver = (
        {"median_ms": round(median(took), 4), "p90_ms": round(quantiles(took, n=10)[-1], 4)} for took in sides
    )
    return {
        "database": connection.vendor,
        "operation": operation,
        "size": size,
        "repetitions": len(sides[0]),
        "engine": by_engine,
        "driver": by_driver,
        "ratio": round(by_engine["median_ms"] / by_driver["median_ms"], 2),
    }


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv else WHOLE)
