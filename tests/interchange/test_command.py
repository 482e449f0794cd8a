"""manage.py import_trajectory: files and folders of trajectories, and what it says about each."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.interchange import import_file
from sessions_app.management.commands import import_trajectory
from sessions_app.models import Compression, RawFrame, Session
from tests.builders import calls, make_user, raw, reply, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

TALK = [system(), user(), calls("a"), reply("a"), says()]


class Run:
    """One call of the command: its lines, those that name sessions apart, and its exit code with what it ended with."""

    def __init__(self, *arguments: str | Path, **options: Any) -> None:
        out = io.StringIO()
        self.code, self.error = 0, ""
        try:
            call_command("import_trajectory", *map(str, arguments), stdout=out, **options)
        except CommandError as e:
            self.code, self.error = e.returncode, str(e)
        printed = out.getvalue().splitlines()
        self.lines = [line for line in printed if not line.startswith("  ")]
        self.named = [line for line in printed if line.startswith("  ")]

    @property
    def summary(self) -> str:
        return self.lines[-1]

    @property
    def objects(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]

    def of(self, path: Path) -> str:
        """What is said of one file."""
        (line,) = (line for line in self.lines if line.startswith(f"{path}: "))
        return line.removeprefix(f"{path}: ")


def chat(path: Path, *messages: Any, **members: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": messages or TALK, **members}))
    return path


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


# --- Files ------------------------------------------------------------------------------------


def test_a_file_is_told_with_format_sessions_frames_and_status(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json")
    run = Run(path)
    assert run.lines == [
        f"{path}: openai-chat, 1 session, 5 frames, created",
        "1 file (1 imported), 1 session (1 created), 5 frames.",
    ]
    assert raw(Session.objects.get().session_id) == TALK


def test_what_is_left_out_of_a_file_is_told_with_the_reason(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json", user(), {"role": "robot"}, {"role": "robot"}, says())
    said = Run(path).of(path)
    assert said == "openai-chat, 1 session, 2 frames, created; left out 2 message (has no role of this API)"


def test_a_second_run_changes_nothing_and_says_so(tmp_path: Path) -> None:
    paths = [chat(tmp_path / f"{n}.json", user(str(n)), says()) for n in range(100)]
    first = Run(*paths)
    assert first.summary == "100 files (100 imported), 100 sessions (100 created), 200 frames."
    before = all_tables()
    again = Run(*paths)
    assert (again.code, again.of(paths[7])) == (0, "openai-chat, 1 session, 2 frames, exists")
    assert again.summary == "100 files (100 imported), 100 sessions (100 exists), 200 frames. Nothing new."
    assert all_tables() == before


def test_what_exists_is_only_read(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json")
    Run(path)
    with CaptureQueriesContext(connection) as captured:
        Run(path)
    verbs = {query["sql"].split()[0] for query in captured.captured_queries}
    assert verbs <= {"SELECT", "DECLARE"}, verbs


def test_a_file_that_has_grown_extends_its_session(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json", *TALK, session_id="s")
    Run(path)
    chat(path, *TALK, user("More."), session_id="s")
    assert Run(path).of(path) == "openai-chat, 1 session, 6 frames, extended"


def test_a_file_of_several_sessions_counts_them_by_status(tmp_path: Path) -> None:
    rows = [json.dumps({"messages": [user(str(n)), says()]}) for n in range(3)]
    path = write(tmp_path / "rows.jsonl", "\n".join(rows[:2]))
    assert Run(path).of(path) == "openai-finetune, 2 sessions, 4 frames, 2 created"
    write(path, "\n".join(rows))
    assert Run(path).of(path) == "openai-finetune, 3 sessions, 6 frames, 1 created, 2 exists"


def test_a_file_of_which_no_session_comes_is_failed_where_it_is_named_and_skipped_in_a_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "torn.jsonl", '{"type":"session_meta","payload":{}}\n{"type":"event_msg","payload":{}}\n')
    named = Run(path)
    assert named.code == 1
    assert named.of(path).startswith("failed: codex-rollout with no session in it")
    met = Run(tmp_path)
    assert met.code == 0
    assert met.of(path).startswith("skipped: codex-rollout with no session in it")


def test_a_dry_run_makes_no_user(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json", user(), says())
    run = Run(path, "--dry-run", "--user", "tpyo")
    assert (run.code, "tpyo" in run.error) == (1, True)
    assert not User.objects.filter(username="tpyo").exists()


def test_sessions_are_named_by_their_ids(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json")
    assert Run(path, "--dry-run").named == []
    first = Run(path)
    assert first.named == [f"  {Session.objects.get().session_id}  Fix the upload test."]
    assert Run(path).named == first.named
    assert Run(path, "--json").named == []


def test_of_very_many_sessions_the_first_are_named(tmp_path: Path) -> None:
    rows = [json.dumps({"messages": [user(str(n)), says()]}) for n in range(22)]
    named = Run(write(tmp_path / "rows.jsonl", "\n".join(rows))).named
    assert len({line.split()[0] for line in named[:20]}) == 20
    assert named[20:] == ["  … and 2 more: --json names all"]


def test_a_dry_run_says_what_would_be_and_stores_no_session(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json")
    before = all_tables()
    dry = Run(path, "--dry-run")
    assert all_tables() == before
    assert dry.lines[0] == Run(path).lines[0].replace("created", "would be created")
    said = "1 file (1 imported), 1 session (1 would be created), 5 frames. Dry run: no session was stored."
    assert dry.summary == said
    assert Run(path, "--dry-run").of(path) == "openai-chat, 1 session, 5 frames, exists"


def test_the_format_may_be_named(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json")
    assert Run(path, "--format", "openai-chat").code == 0
    other = Run(path, "--format", "claude-code")
    assert (other.code, other.of(path)) == (
        1,
        "failed: The file is not of the format claude-code. It looks like OpenAI chat (openai-chat).",
    )
    assert "invalid choice" in Run(path, "--format", "nonsense").error


def test_every_file_is_an_object_and_so_is_the_sum(tmp_path: Path) -> None:
    good, bad = chat(tmp_path / "a.json"), write(tmp_path / "b\udcff.txt", "hello")
    run = Run(good, bad, "--json")
    of_good, of_bad, total = run.objects
    session = Session.objects.get()
    assert of_good == {
        "file": str(good),
        "status": "imported",
        "format": "openai-chat",
        "sessions": [
            {
                "session_id": session.session_id,
                "title": "Fix the upload test.",
                "labels": ["openai-chat"],
                "frames": 5,
                "versions": 1,
                "status": "created",
            }
        ],
        "skipped": [],
        "records": {"read": 5, "used": 5, "skipped": 0},
        "dry_run": False,
    }
    assert (of_bad["file"], of_bad["status"]) == (str(bad), "failed")
    assert total == {
        "total": {
            "files": {"imported": 1, "skipped": 0, "failed": 1},
            "sessions": {"created": 1, "extended": 0, "exists": 0},
            "frames": 5,
            "dry_run": False,
        }
    }
    assert run.code == 1


# --- What cannot be imported ------------------------------------------------------------------


def test_a_named_file_of_no_known_format_fails_and_the_others_are_imported(tmp_path: Path) -> None:
    bad, good = write(tmp_path / "notes.txt", "hello"), chat(tmp_path / "a.json")
    run = Run(bad, good)
    assert run.of(bad) == "failed: The file is neither JSON nor JSON Lines in UTF-8."
    assert run.of(good).endswith("created")
    assert (run.code, run.error) == (1, "1 of 2 could not be imported.")
    assert run.summary == "2 files (1 imported, 1 failed), 1 session (1 created), 5 frames."


def test_one_that_is_met_in_a_folder_is_skipped_and_nothing_fails(tmp_path: Path) -> None:
    bad, good = write(tmp_path / "notes.txt", "hello"), chat(tmp_path / "a.json")
    empty = write(tmp_path / "empty.json", "")
    run = Run(tmp_path)
    assert run.of(bad).startswith("skipped: ")
    assert run.of(empty) == "skipped: is empty"
    assert run.of(good).endswith("created")
    assert run.code == 0


def test_a_file_that_is_not_there_fails(tmp_path: Path) -> None:
    run = Run(tmp_path / "none.json", chat(tmp_path / "a.json"))
    assert run.of(tmp_path / "none.json") == "failed: No such file or directory"
    assert (run.code, Session.objects.count()) == (1, 1)


def test_a_file_that_may_not_be_read_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked, good = chat(tmp_path / "locked.json"), chat(tmp_path / "open.json")
    opens = Path.open

    def refuse(path: Path, *arguments: Any, **named: Any) -> Any:
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return opens(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", refuse)
    run = Run(tmp_path)
    assert run.of(locked) == "failed: Permission denied"
    assert run.of(good).endswith("created")
    assert run.code == 1


def test_a_folder_that_may_not_be_read_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked, good = tmp_path / "locked", chat(tmp_path / "open" / "a.json")
    locked.mkdir()
    scan = os.scandir

    def refuse(path: Any) -> Any:
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    run = Run(tmp_path)
    assert run.of(locked) == "failed: Permission denied"
    assert run.of(good).endswith("created")
    assert run.code == 1


def test_a_file_that_vanishes_meanwhile_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = chat(tmp_path / "1.json"), chat(tmp_path / "2.json")

    def import_and_remove(*arguments: Any, **named: Any) -> Any:
        second.unlink()
        return import_file(*arguments, **named)

    monkeypatch.setattr(import_trajectory, "import_file", import_and_remove)
    run = Run(tmp_path)
    assert run.of(first).endswith("created")
    assert run.of(second) == "failed: No such file or directory"


def test_a_link_that_leads_nowhere_or_to_itself_fails(tmp_path: Path) -> None:
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    (tmp_path / "self").symlink_to("self")
    chat(tmp_path / "z.json")
    run = Run(tmp_path)
    assert run.of(tmp_path / "nowhere") == "failed: No such file or directory"
    assert run.of(tmp_path / "self") == "failed: Too many levels of symbolic links"
    assert (run.code, Session.objects.count()) == (1, 1)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert Run(tmp_path).of(tmp_path / "pipe") == "skipped: is no regular file"
    assert Run(tmp_path / "pipe").code == 1


def test_a_file_over_the_limit_is_refused_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_trajectory, "LARGEST", 1024 * 1024)
    large = chat(tmp_path / "large.json", user("x" * 1024 * 1024))
    assert Run(large).of(large).startswith("failed: is larger than 1 MiB; --no-size-limit")
    assert Run(tmp_path).of(large).startswith("skipped: is larger than 1 MiB")
    assert Run(tmp_path, "--no-size-limit").of(large).endswith("created")


def test_a_damaged_file_is_imported_as_far_as_it_goes(tmp_path: Path) -> None:
    torn = write(tmp_path / "torn.json", json.dumps(TALK)[:-20])
    said = Run(torn).of(torn)
    assert said.startswith("openai-chat, 1 session, 4 frames, created; left out 1 record (is cut off")


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (engine.DatabaseBusy("The database is locked."), "The database is locked."),
        (engine.SessionExists("s"), "A session 's' exists."),
        (OSError(5, "Input/output error"), "Input/output error"),
        (ZeroDivisionError("x"), "a defect of the importer, which the log tells: ZeroDivisionError"),
    ],
)
def test_what_fails_in_one_file_leaves_the_others_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception, why: str
) -> None:

    def fail_for_bad(source: Any, *arguments: Any, **named: Any) -> Any:
        if source.name == "bad.json":
            raise failure
        return import_file(source, *arguments, **named)

    monkeypatch.setattr(import_trajectory, "import_file", fail_for_bad)
    bad, good = chat(tmp_path / "bad.json"), chat(tmp_path / "good.json")
    run = Run(bad, good)
    assert run.of(bad) == f"failed: {why}"
    assert run.of(good).endswith("created")
    assert run.code == 1


def test_an_interrupt_ends_it_with_what_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupt_at_b(source: Any, *arguments: Any, **named: Any) -> Any:
        if source.name == "b.json":
            raise KeyboardInterrupt
        return import_file(source, *arguments, **named)

    monkeypatch.setattr(import_trajectory, "import_file", interrupt_at_b)
    for name in "abc":
        chat(tmp_path / f"{name}.json", user(name))
    run = Run(tmp_path)
    assert (run.code, len(run.lines), Session.objects.count()) == (130, 1, 1)


# --- Folders ----------------------------------------------------------------------------------


def test_a_folder_is_read_in_order_and_hidden_files_are_left_out(tmp_path: Path) -> None:
    names = ["10.json", "2.json", "a/x.json", "a/b/y.json", "b/z.json", ".hidden.json", ".git/c.json", "a/.d/e.json"]
    for name in reversed(names):
        chat(tmp_path / name, user(name))
    read = [line.partition(": ")[0] for line in Run(tmp_path).lines[:-1]]
    assert read == [str(tmp_path / name) for name in names[:5]]


def test_a_hidden_file_or_folder_that_is_named_is_read(tmp_path: Path) -> None:
    path = chat(tmp_path / ".claude" / "a.json")
    assert Run(path.parent).of(path).endswith("created")
    assert Run(chat(tmp_path / ".b.json", user())).code == 0


@pytest.mark.parametrize("target", ["..", "."])
def test_a_link_back_to_a_folder_is_followed_no_further(tmp_path: Path, target: str) -> None:
    path = chat(tmp_path / "a" / "b" / "x.json")
    (tmp_path / "a" / "b" / "loop").symlink_to(target)
    run = Run(tmp_path)
    assert run.of(tmp_path / "a" / "b" / "loop") == "skipped: is a folder that was read already: a link leads to it"
    assert run.of(path).endswith("created")
    assert run.code == 0


def test_a_folder_with_nothing_in_it_is_told_as_no_file(tmp_path: Path) -> None:
    run = Run(tmp_path)
    assert (run.code, run.lines) == (0, ["0 files, 0 sessions, 0 frames. Nothing new."])


def event(number: int, content: str) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": content}]}
    return {"kind": "MessageEvent", "id": f"e{number}", "source": "user", "llm_message": message}


def conversation(folder: Path, *numbers: int, state: bool = True) -> Path:
    """As OpenHands keeps one; each event is laid out over several lines."""
    for number in numbers:
        write(
            folder / "events" / f"event-{number:05d}-e{number}.json", json.dumps(event(number, str(number)), indent=1)
        )
    write(folder / "events" / ".eventlog.lock", "")
    if state:
        write(folder / "base_state.json", '{"id": "c"}')
    return folder


def test_a_conversation_of_openhands_is_one_session_in_the_order_of_its_events(tmp_path: Path) -> None:
    folder = conversation(tmp_path / "c", 100_000, 0, 2, 10)
    run = Run(tmp_path)
    assert run.lines[:-1] == [f"{folder}: openhands-v1-events, 1 session, 4 frames, created"]
    told = [m["content"] for m in raw(Session.objects.get().session_id)]
    assert told == ["0", "2", "10", "100000"]


@pytest.mark.parametrize("named", ["c", "c/events"])
def test_it_is_one_session_by_whatever_name_it_is_asked_for_and_grows(tmp_path: Path, named: str) -> None:
    conversation(tmp_path / "c", 0, 1)
    assert Run(tmp_path / named).of(tmp_path / named).endswith("1 session, 2 frames, created")
    conversation(tmp_path / "c", 2)
    assert Run(tmp_path).of(tmp_path / "c").endswith("1 session, 3 frames, extended")


def test_a_conversation_without_events_is_empty(tmp_path: Path) -> None:
    write(tmp_path / "c" / "base_state.json", "{}")
    (tmp_path / "c" / "events").mkdir()
    assert Run(tmp_path).of(tmp_path / "c") == "skipped: is empty"
    assert Run(tmp_path / "c").code == 1


def test_a_conversation_with_an_event_that_cannot_be_read_fails(tmp_path: Path) -> None:
    folder = conversation(tmp_path / "c", 0)
    (folder / "events" / "event-00001-e1.json").symlink_to("none")
    run = Run(tmp_path)
    assert run.of(folder) == "failed: No such file or directory"
    assert (run.code, Session.objects.count()) == (1, 0)


def test_a_damaged_event_is_told_by_its_place(tmp_path: Path) -> None:
    folder = conversation(tmp_path / "c", 0, 2)
    write(folder / "events" / "event-00001-e1.json", '{"kind":\n "Mess')
    (of_folder, _total) = Run(folder, "--json").objects
    assert [s["first_line"] for s in of_folder["skipped"]] == [2]
    assert of_folder["sessions"][0]["frames"] == 2


# --- What is printed --------------------------------------------------------------------------


def test_a_name_does_not_steer_the_terminal(tmp_path: Path) -> None:
    chat(tmp_path / "a\x1b[2J\n\udcffé.json")
    run = Run(tmp_path)
    assert run.lines[0] == f"{tmp_path}/a\\x1b[2J\\n\\udcffé.json: openai-chat, 1 session, 5 frames, created"


def test_a_stream_that_cannot_take_a_name_gets_it_escaped(tmp_path: Path) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    call_command("import_trajectory", str(chat(tmp_path / "é.json")), stdout=out)
    out.seek(0)
    assert out.readline().startswith(f"{tmp_path}/\\xe9.json: ")


def on_a_terminal(process_env: dict[str, str], *arguments: str | Path) -> tuple[bytes, bytes]:
    """What a process prints, and what its terminal shows of its errors."""
    ours, its = pty.openpty()
    done = subprocess.run(
        [sys.executable, "manage.py", "import_trajectory", *map(str, arguments)],
        cwd=settings.BASE_DIR,
        env={**process_env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.PIPE,
        stderr=its,
        check=True,
        timeout=60,
    )
    os.close(its)
    shown = b""
    try:
        while piece := os.read(ours, 65_536):
            shown += piece
    except OSError:  # so does Linux say that nobody writes any more
        pass
    finally:
        os.close(ours)
    return done.stdout, shown


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_bar_is_drawn_on_a_terminal_only(process_env: dict[str, str], tmp_path: Path) -> None:
    for n in range(3):
        chat(tmp_path / f"{n}.json", user(str(n) * 100_000))
    printed, shown = on_a_terminal(process_env, tmp_path)
    assert printed.count(b"created\n") == 3
    assert b"0%|" in shown and b"/29" in shown
    printed, shown = on_a_terminal(process_env, tmp_path, "--json")
    assert [json.loads(line) for line in printed.splitlines()][-1]["total"]["sessions"]["exists"] == 3


def test_no_bar_is_drawn_elsewhere(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Run(chat(tmp_path / "a.json"))
    assert capfd.readouterr() == ("", "")


# --- Whose they become ------------------------------------------------------------------------


def made_by(username: str) -> tuple[str, str]:
    """The owner of the one session, and who stands in its ledger."""
    session = Session.objects.get()
    assert session.owner.username == username
    return session.owner.role, Compression.objects.get().created_by


def test_they_become_those_of_admin_who_is_made_if_missing(tmp_path: Path) -> None:
    Run(chat(tmp_path / "a.json"))
    assert made_by("admin") == (Role.STAFF, "admin")
    assert not User.objects.get().has_usable_password()


def test_they_may_become_those_of_another_who_is_made_as_one_who_reads(tmp_path: Path) -> None:
    Run(chat(tmp_path / "a.json"), "--user", "ann")
    assert made_by("ann") == (Role.VIEWER, "ann")


@pytest.mark.parametrize("name", ["admin", "ann"])
@pytest.mark.parametrize("role", Role)
def test_one_who_is_there_stays_as_he_is(tmp_path: Path, name: str, role: Role) -> None:
    make_user(name, role=role)
    Run(chat(tmp_path / "a.json"), "--user", name)
    assert made_by(name)[0] == role


def test_the_file_that_two_users_import_makes_two_sessions(tmp_path: Path) -> None:
    path = chat(tmp_path / "a.json")
    for name in ("ann", "bob"):
        assert Run(path, "--user", name).of(path).endswith("created")
    assert Session.objects.count() == 2
    assert RawFrame.objects.count() == 10


@pytest.mark.parametrize("name", ["", "a b", "<b>", "a" * 151])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    assert Run(chat(tmp_path / "a.json"), f"--user={name}").code == 1
    assert not User.objects.exists() and not Session.objects.exists()


def test_a_deactivated_user_is_refused(tmp_path: Path) -> None:
    gone = make_user("gone")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    assert "deactivated" in Run(chat(tmp_path / "a.json"), "--user", "gone").error
    assert not Session.objects.exists()


@pytest.mark.slow
def test_it_needs_no_first_start(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "import_trajectory", str(chat(tmp_path / "a.json"))],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": "", "VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"1 session \(1 created\), 5 frames\.\n\Z", done.stdout)
