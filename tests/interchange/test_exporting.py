"""An export is one state of the session, whatever others do to it meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.engine.reads import copies
from sessions_app.interchange import Importer, export_session, exporting, import_file
from sessions_app.interchange.bundle_lines import part_line
from tests import builders as b
from tests.engine.snapshots import all_tables
from tests.engine.strategies import fold
from tests.interchange.bundles import SESSIONS, append, bundle, nameless, take, values, working
from tests.interchange.samples import of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann() -> User:
    return b.make_user("ann")


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], *, at: int = 30, times: int = 1) -> None:
    """Do this after `at` lines of a bundle were written, in each of the first `times` attempts."""
    done, written, write = [0], [0], part_line

    def counted_line(part: engine.Part) -> str:
        written[0] = 1 if isinstance(part, engine.CopiedFrame) and part.seq == 1 else written[0] + 1
        if written[0] == at and done[0] < times:
            done[0] += 1
            act()
        return write(part)

    monkeypatch.setattr(exporting, "part_line", counted_line)


STAYS: dict[str, Callable[[], object]] = {
    "append": lambda: append("s", b.reply("z1"), b.says(), b.user()),
    "recovery": lambda: engine.recover(session_id="s"),
    "restore": lambda: engine.restore(session_id="s", version=1),
    "restore and append": lambda: [engine.restore(session_id="s", version=2), append("s", b.reply("z1"))],
    "compression": lambda: [append("s", b.reply("z1"), b.says()), fold("s"), append("s", b.user())],
    "another name": lambda: engine.change(session_id="s", title="other"),
}


@pytest.mark.parametrize("at", [1, 10, 30, 40, 75])
@pytest.mark.parametrize("name", STAYS)
def test_what_comes_meanwhile_is_not_in_it(ann: User, monkeypatch: pytest.MonkeyPatch, name: str, at: int) -> None:
    working(ann, session_id="s")
    before = bundle("s")
    state = engine.reads.session_state("s")
    meanwhile(monkeypatch, STAYS[name], at=at)
    export = export_session(state, "bundle")
    with export.file:
        assert export.file.read() == before
    assert export.state == state
    assert bundle("s") != before
    assert [s.status for s in take(b.make_user(), before).sessions] == ["created"]


@pytest.mark.parametrize("at", [1, 4, 6, 9])
def test_a_late_reply_that_takes_its_place_meanwhile_is_not_in_it(
    ann: User, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    session_id = SESSIONS["interrupted"](ann)
    before = bundle(session_id)
    meanwhile(monkeypatch, lambda: append(session_id, b.reply("a", "late"), b.says()), at=at)
    assert bundle(session_id) == before
    assert bundle(session_id) != before


def test_where_its_windows_vanish_meanwhile_it_begins_again(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    working(ann, session_id="s", keep_context_history=False)
    meanwhile(monkeypatch, lambda: engine.restore(session_id="s", version=1))
    content = bundle("s")
    assert content == bundle("s")
    assert values(content)[0]["context_compression_version"] == 4


def test_where_they_always_vanish_it_gives_up(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    working(ann, session_id="s", keep_context_history=False)
    meanwhile(monkeypatch, lambda: engine.restore(session_id="s", version=1), times=exporting.ATTEMPTS)
    with pytest.raises(engine.Conflict) as refused:
        bundle("s")
    assert refused.value.actual == engine.reads.session_state("s")


@pytest.mark.parametrize("at", [1, 30, 75])
@pytest.mark.parametrize("again", [False, True])
def test_a_session_that_is_deleted_meanwhile_is_not_found(
    ann: User, monkeypatch: pytest.MonkeyPatch, at: int, again: bool
) -> None:
    def delete() -> None:
        engine.delete(session_id="s", expected=engine.ANY_HEAD)
        if again:
            b.make_session(b.user("somebody else's"), owner=b.make_user(), session_id="s")

    working(ann, session_id="s")
    meanwhile(monkeypatch, delete, at=at)
    with pytest.raises(engine.SessionNotFound):
        bundle("s")


def test_messages_are_those_up_to_the_head_at_its_beginning(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = b.make_session(*b.react_rounds(100), owner=ann, keep_context_history=False)
    before = bundle(session_id, "messages")
    done: list[int] = []

    def whole(message: engine.Message) -> engine.Message:
        if not done:
            done.append(1)
            append(session_id, b.user())
            fold(session_id)
        return message

    monkeypatch.setattr(copies, "_whole", whole)
    assert bundle(session_id, "messages") == before
    assert values(bundle(session_id, "messages")) == [*b.react_rounds(100), b.user()]


@pytest.mark.parametrize("kind", ["messages", "bundle"])
def test_an_export_reads_a_few_rows_at_a_time_and_writes_nothing(ann: User, kind: str) -> None:
    session_id = b.make_session(*b.react_rounds(200, size=20), owner=ann)
    before = all_tables()
    with CaptureQueriesContext(connection) as captured:
        assert bundle(session_id, kind)
    statements = [q["sql"] for q in captured.captured_queries]
    assert all(sql.startswith("SELECT") for sql in statements), statements
    assert len([sql for sql in statements if "rawframe" in sql]) == 400 / copies._FRAMES
    assert all_tables() == before


def test_many_messages_go_through_the_disk_and_arrive_whole(ann: User) -> None:
    messages = [b.user("x" * 20_000), b.says("y" * 20_000)] * 300
    session_id = b.make_session(*messages, owner=ann)
    content = bundle(session_id)
    (made,) = take(b.make_user(), content).sessions
    assert nameless(bundle(made.session_id)) == nameless(content)
    assert values(bundle(session_id, "messages")) == messages


def test_its_messages_can_be_imported_as_what_they_are(ann: User) -> None:
    session_id = SESSIONS["late as notes"](ann)
    content = bundle(session_id, "messages")
    report = import_file(of(content), Importer(owner_id=ann.pk))
    assert report.format == "openai-chat"
    assert b.raw(report.sessions[0].session_id) == b.raw(session_id) == values(content)


def test_a_damaged_frame_is_told(ann: User) -> None:
    session_id = b.make_session(b.user(), b.says(), owner=ann)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sessions_app_rawframe SET message = '{' WHERE session_id = %s AND seq = 2", [session_id])
    for kind in ("messages", "bundle"):
        with pytest.raises(engine.DamagedMessage):
            bundle(session_id, kind)


def test_a_frame_that_another_hand_removed_is_told(ann: User) -> None:
    session_id = b.make_session(b.user(), b.says(), b.user(), owner=ann)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sessions_app_rawframe WHERE session_id = %s AND seq = 2", [session_id])
    for kind in ("messages", "bundle"):
        with pytest.raises(engine.DamagedMessage):
            bundle(session_id, kind)


NAMES: dict[str, str] = {
    "upload-flake": "session-upload-flake.bundle.jsonl",
    "a:b@c~d": "session-a_b_c_d.bundle.jsonl",
    ".hidden..": "session-.hidden...bundle.jsonl",
    "CON": "session-CON.bundle.jsonl",
    "x" * 200: f"session-{'x' * 100}.bundle.jsonl",
}


@pytest.mark.parametrize("session_id", NAMES)
def test_the_name_of_the_file_is_safe_on_every_system(ann: User, session_id: str) -> None:
    b.make_session(owner=ann, session_id=session_id)
    export: Any = export_session(engine.reads.session_state(session_id), "bundle")
    export.file.close()
    assert export.name == NAMES[session_id]
