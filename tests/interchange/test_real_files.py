"""Every real file of a format that is built: it imports, its windows keep the rules, its report adds up."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.compression.registry import strategies
from sessions_app.engine.rules import Candidate, check_form
from sessions_app.interchange import FORMATS, Importer, Report, UnknownFormat, import_file
from tests import builders as b
from tests.engine.invariants import check_pairing
from tests.engine.snapshots import all_tables
from tests.interchange.samples import TRAJECTORIES_DIR, real, real_files

pytestmark = [pytest.mark.django_db, real_files]

NO_TRAJECTORY = {"langfuse-trace/pydantic-ai-tools-2025-12-04.chatml.json"}
"""What a tool expects to make of a file; not a file of the format itself."""

BUILT = {f.name for f in FORMATS}


def files() -> list[str]:
    if not TRAJECTORIES_DIR:
        return []
    root = Path(TRAJECTORIES_DIR)
    names = sorted(str(p.relative_to(root)) for p in root.glob("*/*"))
    return [name for name in names if Path(name).parts[0] in BUILT and name not in NO_TRAJECTORY]


@pytest.fixture
def owner() -> User:
    return b.make_user("ann")


def take(owner: User, name: str, **options: Any) -> Report:
    return import_file(real(name), Importer(owner_id=owner.pk, created_by="ann", **options))


@pytest.mark.parametrize("name", files())
def test_a_real_file_imports_into_sessions_that_keep_every_rule(owner: User, name: str) -> None:
    report = take(owner, name)
    assert report.format == Path(name).parts[0]
    assert report.sessions
    assert report.records.read == report.records.used + report.records.skipped
    for session in report.sessions:
        state = engine.reads.session_state(session.session_id)
        assert (session.frames, session.versions) == (state.frame_count, state.context_compression_version)
        check_windows(state)


def check_windows(state: engine.SessionState) -> None:
    session_id = state.session_id
    frames = engine.reads.frames_between(session_id, 1, state.frame_count)
    assert [f.seq for f in frames] == list(range(1, state.frame_count + 1))
    for window in windows(state):
        check_pairing([item.message.copy() for item in window])
        if not window.items:  # a log that holds nothing but replies without their calls
            continue
        assert check_form(Candidate(window, window, state.open_calls, state.frame_count, first_request=None)) == []
    current = engine.reads.current_window(session_id)
    assert current.window.tokens == state.context_tokens
    assert current.window.open_call_ids == {c.id for c in state.open_calls}


def windows(state: engine.SessionState) -> Iterator[engine.Window]:
    for version in range(1, state.context_compression_version + 1):
        yield engine.reads.window_of_version(state.session_id, version).window


@pytest.mark.parametrize("name", files())
def test_every_strategy_goes_on_from_an_imported_window(owner: User, name: str) -> None:
    for session in take(owner, name).sessions[:5]:
        for strategy in strategies():
            with suppress(engine.NothingToCompress):
                engine.compress(
                    session_id=session.session_id, strategy=strategy, params=strategy.Params(), dry_run=True
                )


@pytest.mark.parametrize("name", files())
def test_a_real_file_imported_twice_exists_and_writes_nothing(owner: User, name: str) -> None:
    would = take(owner, name, dry_run=True)
    first = take(owner, name)
    before = all_tables()
    second = take(owner, name)
    assert {s.status for s in second.sessions} == {"exists"}
    assert all_tables() == before
    assert would.sessions == first.sessions
    assert [(s.session_id, s.frames, s.versions) for s in second.sessions] == [
        (s.session_id, s.frames, s.versions) for s in first.sessions
    ]
    assert would.skipped == first.skipped
    assert would.records == first.records == second.records


@pytest.mark.parametrize("name", sorted(NO_TRAJECTORY))
def test_what_is_no_trajectory_is_unknown(owner: User, name: str) -> None:
    with pytest.raises(UnknownFormat):
        take(owner, name)
