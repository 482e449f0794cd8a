"""The sessions of a file as recordings: the frames of an import, and nothing is written."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sessions_app import engine
from sessions_app.interchange import (
    Importer,
    RecordedSession,
    Source,
    UnknownFormat,
    import_file,
    recordings_in,
)
from tests import builders as b
from tests.engine.snapshots import all_tables
from tests.interchange.bundles import bundle, working
from tests.interchange.samples import document, lines, of, real, real_files
from tests.interchange.test_named_formats import SAMPLES
from tests.interchange.test_real_files import files

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TALK = [b.system(), b.user("Fix it.\nSoon."), b.calls("c1"), b.reply("c1"), b.says()]


def recorded(source: Source, **options: str) -> list[RecordedSession]:
    return list(recordings_in(source, now=lambda: NOW, **options))


def frames_of_an_import(source: Source) -> list[list[engine.Frame]]:
    """All of version 1: a recording knows no versions."""
    report = import_file(source, Importer(owner_id=b.make_user().pk, now=lambda: NOW))
    return [
        [replace(f, context_version=1) for f in engine.reads.frames_between(s.session_id, 1, s.frames)]
        for s in report.sessions
    ]


def frames_of(recordings: list[RecordedSession]) -> list[list[engine.Frame]]:
    return [[replace(f, context_version=1) for f in one.frames] for one in recordings]


def test_a_recording_has_the_id_title_and_format_of_its_session() -> None:
    (one,) = recorded(document({"session_id": "s1", "messages": TALK}))
    assert (one.session_id, one.title, one.format) == ("s1", "Fix it.", "openai-chat")
    assert [f.message.copy() for f in one.frames] == TALK


def test_one_that_is_the_same_as_an_earlier_one_is_left_out() -> None:
    rows = [{"messages": [b.user(text), b.says()]} for text in ("one", "two", "one")]
    assert [one.title for one in recorded(lines(*rows))] == ["one", "two"]


def test_a_file_without_a_message_has_no_recording() -> None:
    assert recorded(lines({"type": "session_meta", "payload": {"id": "s"}})) == []


def test_an_unknown_file_is_refused() -> None:
    with pytest.raises(UnknownFormat):
        recorded(of("no JSON"))
    with pytest.raises(UnknownFormat, match="not of the format"):
        recorded(document({"a": 1}), named="swe-agent-traj")
    with pytest.raises(engine.InvalidInput):
        recorded(document(TALK), named="nothing-like-it")


@pytest.mark.django_db
@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_of_any_format_gives_the_frames_of_its_import(name: str) -> None:
    source = SAMPLES[name]
    try:
        expected = frames_of_an_import(source)
    except UnknownFormat:
        with pytest.raises(UnknownFormat):
            recorded(source)
    else:
        assert frames_of(recorded(source)) == expected


@pytest.mark.django_db
def test_a_bundle_gives_its_frames_and_a_damaged_one_none() -> None:
    content = bundle(working(b.make_user()))
    (one,) = recorded(of(content))
    assert [list(one.frames)] == [
        engine.reads.frames_between(one.session_id, 1, 10**9),
    ]
    assert recorded(of(content.rsplit(b"\n", 2)[0])) == []


@real_files
@pytest.mark.django_db
@pytest.mark.parametrize("name", files())
def test_a_real_file_gives_the_frames_of_its_import_and_is_only_read(name: str) -> None:
    before = all_tables()
    recordings = recorded(real(name))
    assert all_tables() == before
    assert frames_of(recordings) == frames_of_an_import(real(name))
