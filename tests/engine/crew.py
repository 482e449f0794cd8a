"""Starts worker processes, hands jobs to them at the same moment, and collects what they answer."""

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class Died(Exception):
    """The process ended before it answered. `code` is negative where a signal ended it."""

    def __init__(self, code: int, said: str) -> None:
        self.code = code
        super().__init__(f"{code}: {said}")


class Worker:
    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.engine.workers"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def hand(self, job: str, **arguments: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"job": job, "arguments": arguments}) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        if line := self.process.stdout.readline():
            answered: dict[str, Any] = json.loads(line)
            return answered
        assert self.process.stderr is not None
        said = self.process.stderr.read()
        raise Died(self.process.wait(), said)

    def answer_if_there(self) -> dict[str, Any] | None:
        assert self.process.stdout is not None
        there, _, _ = select.select([self.process.stdout], [], [], 0)
        return self.answer() if there else None

    def stop(self) -> None:
        """By the end of its input; it is measured, and writes down what it covered."""
        with self.process:
            pass


@dataclass
class Crew:
    """Workers that several tests use: starting one takes longer than most jobs."""

    environment: dict[str, str]
    workers: list[Worker] = field(default_factory=list)

    def of(self, count: int) -> list[Worker]:
        for dead in [w for w in self.workers if w.process.poll() is not None]:
            dead.stop()
            self.workers.remove(dead)
        new = [Worker(self.environment) for _ in range(count - len(self.workers))]
        for worker in new:
            worker.answer()  # it is ready
        self.workers += new
        return self.workers[:count]

    def do(self, *jobs: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Each job by a worker of its own, all at once; their answers."""
        workers = self.of(len(jobs))
        for worker, (job, arguments) in zip(workers, jobs, strict=True):
            worker.hand(job, **arguments)
        answers, died = [], []
        for worker in workers:  # all of them: what one does not take, the next test would
            try:
                answers.append(worker.answer())
            except Died as e:
                died.append(e)
        if died:
            raise died[0]
        return answers

    def stop(self) -> None:
        for worker in self.workers:
            worker.stop()


def crew_on(database_url: str) -> Crew:
    """SQLite gives its lock to whoever asks at the right moment: on a machine with little to spare one of eight may
    wait for longer than the product would.
    """
    patient = f"{database_url}?timeout=30" if database_url.startswith("sqlite") else database_url
    return Crew({**os.environ, "DATABASE_URL": patient})
