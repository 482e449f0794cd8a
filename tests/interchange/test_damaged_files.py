"""Fuzzed and truncated files: no exception for the user, never half a session, every record accounted for.

`FUZZ` in the environment says how many times each file is damaged in each way; a few times by default.
"""

import os
from pathlib import Path

import pytest

from sessions_app import engine
from sessions_app.interchange import Importer, Source, UnknownFormat, import_file
from sessions_app.interchange.registry import recognise
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from sessions_app.models import Session
from tests import builders as b
from tests.interchange import damage
from tests.interchange.samples import TRAJECTORIES_DIR, of, real_files
from tests.interchange.test_real_files import check_windows, files

TIMES = int(os.environ.get("FUZZ", "10"))


def damaged(name: str, times: int) -> list[Source]:
    content = (Path(TRAJECTORIES_DIR) / name).read_bytes()
    seed = sum(name.encode())
    spoilt = [*damage.cuts(content, times), *damage.flips(content, times, seed=seed)]
    return [of(piece, name=Path(name).name) for piece in spoilt]


@real_files
@pytest.mark.slow
@pytest.mark.parametrize("name", files())
def test_a_damaged_file_is_read_as_far_as_it_goes_and_every_record_is_accounted_for(name: str) -> None:
    for source in damaged(name, TIMES):
        look = sniff(source)
        try:
            format = recognise(look)
        except UnknownFormat:
            continue
        tally = Tally()
        for transcript in format.read(source, look, tally):
            for step in getattr(transcript, "steps", ()):
                tally.use(step.records)
        assert tally.unaccounted == set()


@real_files
@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("name", files())
def test_a_damaged_file_imports_whole_sessions_or_none(name: str) -> None:
    owner = b.make_user()
    importer = Importer(owner_id=owner.pk)
    for source in damaged(name, max(1, TIMES // 5)):
        try:
            report = import_file(source, importer)
        except UnknownFormat:
            continue
        stored = set(Session.objects.values_list("session_id", flat=True))
        assert {s.session_id for s in report.sessions} <= stored
        for session in report.sessions:
            state = engine.reads.session_state(session.session_id)
            assert state.frame_count == session.frames
            check_windows(state)
