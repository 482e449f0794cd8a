"""Measure on both databases, one after the other, and print tables: of the engine's work, the pages', and replays.

Each database is measured by a process of its own, with the product's settings and nothing of the developer's. Ends
with 1 if a bar is broken.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bars import broken
from benchmarks.report import beside_table, machine, pages_table, replay_table, table
from tests.postgres_server import postgres_server

ROOT = Path(__file__).resolve().parent.parent
DATABASES = ("sqlite", "postgresql")
MEASURES = {
    "results": "benchmarks.measure",
    "pages": "benchmarks.pages",
    "replay": "benchmarks.replay",
    "beside": "benchmarks.beside",
}
TABLES = {"results": table, "pages": pages_table, "replay": replay_table, "beside": beside_table}
WITHOUT_DATABASE = ("replay",)
ONLY = {"engine": ("results",), "pages": ("pages",), "replay": ("replay", "beside"), None: tuple(MEASURES)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--database", choices=DATABASES, help="only this one")
    parser.add_argument("--only", choices=[name for name in ONLY if name], help="only these figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--quick", action="store_true", help="few repetitions: whether it runs, not how fast")
    asked = parser.parse_args()

    began = time.monotonic()
    wanted = ONLY[asked.only]
    figures: dict[str, Any] = {"machine": machine(), **{what: [] for what in wanted}}
    for what in wanted:
        for name in DATABASES[:1] if what in WITHOUT_DATABASE else DATABASES:
            if what in WITHOUT_DATABASE or asked.database in (None, name):
                with server(name) as url:
                    figures[what] += measured(url, MEASURES[what], quick=asked.quick)
        print(TABLES[what](figures), end="\n\n")
    print(f"Measured in {time.monotonic() - began:.0f} s.")
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n")
    if not asked.quick and (faults := list(broken(figures))):
        sys.exit("\n".join(["", *faults]))


@contextmanager
def server(name: str) -> Iterator[str]:
    """The URL of an empty database whose commits reach the disk."""
    if name == "postgresql":
        with postgres_server(durable=True) as url:
            yield url
    else:
        with TemporaryDirectory(prefix="benchmark-") as folder:
            yield f"sqlite:///{folder}/db.sqlite3"


def measured(url: str, module: str, *, quick: bool) -> list[dict[str, Any]]:
    print(f"Measuring on {url.partition(':')[0]} …", file=sys.stderr, flush=True)
    with TemporaryDirectory(prefix="benchmark-var-") as folder:
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "ENV_FILE": os.devnull,
            "LOG_LEVEL": "WARNING",
            "SECRET_KEY": "only-for-the-benchmarks",
            "VAR_DIR": folder,
        }
        command = [sys.executable, "-m", module, *(["--quick"] if quick else [])]
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


if __name__ == "__main__":
    main()
