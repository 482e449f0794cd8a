"""What the reads of a session's page cost: as many statements at any length, each served by a key."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.engine.reads import FrameFilter, difference, frame_rows, hits, text_index, tool_names, window_rows
from tests.builders import calls, make_session, react_rounds, reply, system, user
from tests.engine.strategies import fold
from tests.engine.test_statements import crowd, grown, plan_of, reads_a_whole_table

__all__ = ["crowd"]

pytestmark = pytest.mark.django_db

Read = Callable[[str, int], Any]

READS: dict[str, tuple[int, str, Read]] = {
    "rows of the window": (1, "", lambda s, n: window_rows(s, version=None)),
    "rows of a version": (1, "", lambda s, n: window_rows(s, version=1, after_position=n // 2)),
    "rows at a frame": (1, "context_by_first_seq", lambda s, n: window_rows(s, version=None, at_seq=n // 2)),
    "failures": (2, "frame_failed", lambda s, n: frame_rows(s, last_seq=n, wanted=FrameFilter(errors=True))),
    "failures of a tool": (
        2,
        "frame_failed",
        lambda s, n: frame_rows(s, last_seq=n, wanted=FrameFilter(errors=True, tool="run")),
    ),
    "frames by number": (2, "", lambda s, n: frame_rows(s, last_seq=n, wanted=FrameFilter(seqs=(3, n // 2)))),
    "frames of a tool": (2, "", lambda s, n: frame_rows(s, last_seq=n, wanted=FrameFilter(tool="run"))),
    "dropped frames": (
        4,
        "",
        lambda s, n: frame_rows(s, last_seq=n, wanted=FrameFilter(dropped_in=2)),
    ),
    "hits": (1, "", lambda s, n: hits(s, last_seq=n, wanted=FrameFilter(search="rounds"))),
    "names of tools": (1, "frame_tool_names", lambda s, n: tool_names(s)),
    "a difference": (14, "context_by_first_seq", lambda s, n: difference(s, before=1, after=2)),
}


def session_of(frames: int) -> str:
    failed = [calls("f"), reply("f", is_error=True)]
    session_id = grown(make_session(system(), user(), *react_rounds(5), *failed), frames)
    fold(session_id)
    return session_id


@pytest.fixture
def knows_its_index() -> None:
    text_index.text_index_exists()


@pytest.mark.usefixtures("knows_its_index")
def test_a_long_session_takes_as_many_statements_as_a_short_one() -> None:
    counts: dict[int, dict[str, int]] = {}
    for frames in (20, 1_500):
        session_id = session_of(frames)
        counts[frames] = {}
        for name, (_, _, read) in READS.items():
            with CaptureQueriesContext(connection) as captured:
                read(session_id, frames)
            counts[frames][name] = len(captured.captured_queries)
    assert counts[20] == counts[1_500]
    too_many = {name: count for name, count in counts[20].items() if count > READS[name][0]}
    assert not too_many


@pytest.mark.parametrize("name", READS)
def test_a_key_serves_each_read_of_the_page(crowd: str, name: str) -> None:
    _, index, read = READS[name]
    with CaptureQueriesContext(connection) as captured:
        read(crowd, 1_000)
    plans = ["\n".join(plan_of(q["sql"])) for q in captured.captured_queries if "pg_index" not in q["sql"]]
    for plan in plans:
        # What a statement has found already is read whole.
        scans = [
            line
            for line in plan.split("\n")
            if reads_a_whole_table(line) and not re.search("SCAN (p|f|page|names|CONSTANT ROW)\\b", line)
        ]
        assert not scans, plan
    assert any(index in plan for plan in plans), "\n\n".join(plans)


def test_what_came_after_a_frame_is_not_read_to_its_end() -> None:
    """Where the model is shown an early step of a long session, the one row more that tells of others is not sought
    among all that came later.
    """
    session_id = session_of(200)
    with CaptureQueriesContext(connection) as captured:
        page = window_rows(session_id, version=None, at_seq=10)
    assert (len(page.rows), page.more) == (9, False)
    plan = "\n".join(plan_of(captured.captured_queries[0]["sql"]))
    assert "position<" in plan or '"position" <= ' in plan, plan


def test_reads_of_the_page_write_nothing() -> None:
    session_id = session_of(20)
    engine.append(session_id=session_id, messages=[user()])
    for _, _, read in READS.values():
        with CaptureQueriesContext(connection) as captured:
            read(session_id, 21)
        assert all(q["sql"].lstrip().startswith(("SELECT", "WITH")) for q in captured.captured_queries)
