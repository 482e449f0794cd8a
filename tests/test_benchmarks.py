"""The benchmarks run, and both sides of each do the same work; how fast is no question for a test."""

import json
import subprocess
import sys
from pathlib import Path

from django.db import connection

from benchmarks.pages import ADDRESSES
from benchmarks.report import pages_table, table
from sessions_app.models import ContextMessage, RawFrame, Session

ROOT = Path(__file__).resolve().parent.parent


def test_each_operation_is_measured_on_both_sides_and_shown(process_env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "benchmarks.measure", "--quick"]
    done = subprocess.run(command, cwd=ROOT, env=process_env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
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
    command = [sys.executable, "-m", "benchmarks.pages", "--quick"]
    done = subprocess.run(command, cwd=ROOT, env=process_env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert [r["page"] for r in results] == list(ADDRESSES)
    assert all(short == long for r in results for short, long in [r["statements"]])
    assert len(pages_table({"machine": {"processors": 2}, "pages": results}).splitlines()) == 3 + len(results)


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
