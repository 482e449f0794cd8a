"""Measure how the cost of a replay grows with the recording, for each built-in strategy; print the figures as JSON.

Processor time of the thread: what else runs on the machine does not count. No database is asked. Both lengths take
turns, over several made-up recordings.
"""

import gc
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from statistics import median
from typing import Any, Final

import django

django.setup()

from sessions_app import engine  # noqa: E402
from sessions_app.compression.choices import Choice, parse_choices  # noqa: E402
from sessions_app.compression.registry import BUILT_IN  # noqa: E402
from sessions_app.compression.replay import Terms  # noqa: E402
from sessions_app.compression.replay.course import run  # noqa: E402
from sessions_app.compression.replay.recording import Recording  # noqa: E402
from sessions_app.management.made_conversation import conversation  # noqa: E402

BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
PACE: Final = timedelta(seconds=12)
TERMS: Final = Terms(limit_tokens=8_000)
"""So low that the short recording is compressed again and again as well: else it would cost next to nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    short: int
    long: int
    seeds: int
    times: int


WHOLE = Plan(1_000, 4_000, seeds=6, times=3)
QUICK = Plan(60, 240, seeds=1, times=1)


def main(plan: Plan) -> None:
    recordings = [recorded(plan.long, seed) for seed in range(1, plan.seeds + 1)]
    pairs = [(frames[: plan.short], frames) for frames in recordings]
    choices = [None, *(parse_choices([{"strategy": kind.name}])[0] for kind in BUILT_IN)]
    print(json.dumps([reading(pairs, plan), *(running(choice, pairs, plan) for choice in choices)]))


def recorded(length: int, seed: int) -> list[engine.Frame]:
    """What an import of a made-up conversation would write, cut to this length."""
    return engine.recorded_frames(history=islice(history(seed), length))[:length]


def history(seed: int) -> Iterator[engine.ImportStep]:
    messages = (message for step in conversation(seed) for message in step.messages)
    for number, message in enumerate(messages):
        yield engine.ImportedMessage(engine.Message.of(message), at=BEGAN + number * PACE)


def reading(pairs: list[tuple[list[engine.Frame], list[engine.Frame]]], plan: Plan) -> dict[str, Any]:
    """What is done once for all strategies, and only once for each text: the second time it is known."""
    took: tuple[list[float], list[float]] = ([], [])
    for seed, (short, _) in enumerate(pairs, start=len(pairs) + 1):
        for side, frames in enumerate((short, recorded(plan.long, seed))):
            began = time.thread_time()
            Recording(frames)
            took[side].append((time.thread_time() - began) * 1000)
    return result("reading", plan, took, (0, 0))


def running(
    choice: Choice | None, pairs: list[tuple[list[engine.Frame], list[engine.Frame]]], plan: Plan
) -> dict[str, Any]:
    sums: tuple[list[float], list[float]] = ([], [])
    compressions = [0, 0]
    for pair in pairs:
        took: tuple[list[float], list[float]] = ([], [])
        for n in range(plan.times):
            for side in (n % 2, 1 - n % 2):  # neither is always the first
                milliseconds, done = timed(choice, pair[side])
                took[side].append(milliseconds)
                compressions[side] += done if n == 0 else 0
        for side in (0, 1):
            sums[side].append(median(took[side]))
    name = "none" if choice is None else choice.name
    return result(name, plan, sums, (compressions[0], compressions[1]))


def timed(choice: Choice | None, frames: list[engine.Frame]) -> tuple[float, int]:
    """Milliseconds and compressions of one run. What is read once for all strategies is not counted."""
    recording = Recording(frames)
    gc.collect()
    gc.disable()
    began = time.thread_time()
    done = run(recording, choice, TERMS)
    took = (time.thread_time() - began) * 1000
    gc.enable()
    return took, len(done.compressions)


def result(
    what: str, plan: Plan, took: tuple[list[float], list[float]], compressions: tuple[int, int]
) -> dict[str, Any]:
    """Means over the recordings."""
    short, long = (sum(times) / len(times) for times in took)
    return {
        "strategy": what,
        "frames": [plan.short, plan.long],
        "compressions": [round(n / plan.seeds, 1) for n in compressions],
        "ms": [round(short, 2), round(long, 2)],
        "ratio": round(long / short, 2),
    }


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv else WHOLE)
