"""The benchmarks run, and both sides of each do the same work; how fast is no question for a test."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from benchmarks.bars import broken
from benchmarks.pages import ADDRESSES
from benchmarks.report import beside_table, pages_table, replay_table, table
from sessions_app.compression.registry import BUILT_IN
from sessions_app.models import ContextMessage, RawFrame, Session

ROOT = Path(__file__).resolve().parent.parent


def test_each_operation_is_measured_on_both_sides_and_shown(process_env: dict[str, str]) -> None:
    results = quick("measure", process_env)
    assert [(r["operation"], r["size"]) for r in results] == [
        ("append", 10),
        ("append", 20),
        ("load", 10),
        ("load", 20),
    ]
    assert all(r["database"] == connection.vendor and r["ratio"] > 0 for r in results)
    shown = table({"machine": {"processors": 2}, "results": results})
    assert len(shown.splitlines()) == 3 + len(results)


def test_pages_of_a_short_and_of_a_long_session_are_measured_and_shown(process_env: dict[str, str]) -> None:
    results = quick("pages", process_env)
    assert [r["page"] for r in results] == list(ADDRESSES)
    assert all(short == long for r in results for short, long in [r["statements"]])
    assert len(pages_table({"machine": {"processors": 2}, "pages": results}).splitlines()) == 3 + len(results)


def test_a_replay_is_measured_at_two_lengths_for_each_built_in_strategy_and_shown() -> None:
    results = quick("replay", {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "measured"})
    assert [r["strategy"] for r in results] == ["reading", "none", *(kind.name for kind in BUILT_IN)]
    assert all(long == 4 * short for r in results for short, long in [r["frames"]])
    assert all(r["ratio"] > 0 for r in results)
    shown = replay_table({"machine": {"processors": 2}, "replay": results})
    assert len(shown.splitlines()) == 3 + len(results)


@pytest.mark.slow
def test_a_page_is_measured_alone_and_beside_a_replay_and_shown(process_env: dict[str, str], tmp_path: Path) -> None:
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "measured", "VAR_DIR": str(tmp_path)}
    (result,) = quick("beside", {**process_env, **settings})
    assert (result["database"], result["strategies"]) == (connection.vendor, 6)
    for side in ("quiet", "beside"):
        assert 0 < result[side]["median_ms"] <= result[side]["max_ms"]
    shown = beside_table({"machine": {"processors": 2}, "beside": [result]})
    assert len(shown.splitlines()) == 3 + 2


GROWTH = {"strategy": "digest", "frames": [1_000, 4_000], "compressions": [1, 4], "ms": [1.0, 4.6], "ratio": 4.6}
ALONE = {"pages": 9, "median_ms": 70.0, "p90_ms": 90.0, "max_ms": 99.0}
BESIDE = {"database": "sqlite", "frames": 4_000, "strategies": 6, "replay_s": 5.0, "quiet": ALONE, "beside": ALONE}


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"results": [], "pages": []}, []),
        ({"replay": [GROWTH], "beside": [BESIDE]}, []),
        ({"replay": [{**GROWTH, "ratio": 4.7}, GROWTH]}, ["digest: 4,000 frames cost 4.7 times as much as 1,000"]),
        ({"beside": [{**BESIDE, "beside": {**ALONE, "p90_ms": 501.0}}]}, ["sqlite: p90 of a page is 501 ms beside"]),
        ({"beside": [{**BESIDE, "beside": {**ALONE, "max_ms": 1_251.0}}]}, ["sqlite: a page took 1251 ms"]),
    ],
)
def test_a_bar_that_is_broken_is_named(figures: dict[str, Any], said: list[str]) -> None:
    sentences = list(broken(figures))
    assert len(sentences) == len(said)
    assert all(sentence.startswith(start) for sentence, start in zip(sentences, said, strict=True))


def quick(module: str, environment: dict[str, str]) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", f"benchmarks.{module}", "--quick"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def test_what_the_driver_wrote_is_what_the_engine_wrote(process_env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "benchmarks.measure", "--quick"]
    subprocess.run(command, cwd=ROOT, env=process_env, capture_output=True, check=True)
    by_engine, by_driver = Session.objects.filter(next_msg_seq=15).order_by("created_at")
    for model, own in ((RawFrame, {"session_id", "created_at"}), (ContextMessage, {"session_id"})):
        columns = [f.attname for f in model._meta.concrete_fields if f.attname not in own]
        rows = [
            list(model._default_manager.filter(session_id=s.session_id).order_by(columns[0]).values_list(*columns))
            for s in (by_engine, by_driver)
        ]
        assert len(rows[0]) == 14 and sorted(rows[0]) == sorted(rows[1])
    columns = [
        f.attname
        for f in Session._meta.concrete_fields
        if f.attname not in ("session_id", "incarnation", "created_at", "updated_at")
    ]
    values = Session.objects.order_by("created_at").values(*columns)
    assert values.get(session_id=by_engine.session_id) == values.get(session_id=by_driver.session_id)
