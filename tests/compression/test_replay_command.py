"""manage.py replay: sessions, files and folders under several strategies, and what it says."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from sessions_app.compression import Policy, strategies
from sessions_app.compression.policy import parse_policy
from sessions_app.compression.replay import replay, replay_json, replay_session
from sessions_app.management import replay_work
from sessions_app.management.replay_arguments import DEFAULT, choices_under, chosen
from sessions_app.management.replay_recordings import places
from tests import builders as b
from tests.builders import Msg
from tests.engine.snapshots import all_tables
from tests.interchange.samples import TRAJECTORIES_DIR, real_files

LONG: list[Msg] = [b.system(), b.user("Fix src/upload.py."), *b.react_rounds(12, size=2_000), b.says()]
SHORT: list[Msg] = [b.user("Fix it."), b.says()]
TWO = ("--strategy", "sliding_window", "--strategy", "digest")


class Run:
    """One call of the command: what it wrote, what it warned of, and how it ended."""

    def __init__(self, *arguments: str | Path) -> None:
        out, err = io.StringIO(newline=""), io.StringIO()
        self.code, self.error = 0, ""
        try:
            call_command("replay", *map(str, arguments), stdout=out, stderr=err)
        except CommandError as e:
            self.code, self.error = e.returncode, str(e)
        self.text, self.warnings = out.getvalue(), err.getvalue().splitlines()

    @property
    def objects(self) -> list[Any]:
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def rows(self) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.text, newline="")))


def chat(path: Path, *messages: Msg, **members: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": messages or LONG, **members}))
    return path


@pytest.fixture
def long(tmp_path: Path) -> Path:
    return chat(tmp_path / "long.json", session_id="s1")


# --- Files and folders ------------------------------------------------------------------------


def test_a_file_gives_a_table_with_a_row_for_no_compression_and_one_a_strategy(long: Path) -> None:
    run = Run(long, *TWO, "--limit", "3000")
    heading, about, _, columns, *rows = run.text.splitlines()
    assert heading == f"{long} · s1 · Fix src/upload.py."
    assert about == "openai-chat, 27 frames, 13 model calls, limit 3,000, trigger 2,400 tokens"
    assert columns.split()[:2] == ["strategy", "broken"]
    assert [row.split()[0] for row in rows if row] == ["none", "sliding_window", "digest"]
    assert (run.code, run.warnings) == (0, [])


def test_without_a_strategy_there_are_six(long: Path) -> None:
    (one, _) = Run(long, "--format", "json").objects
    assert tuple(run["strategy"] for run in one["runs"]) == DEFAULT


def test_all_strategies_are_those_of_the_registry(long: Path) -> None:
    (one, _) = Run(long, "--format", "json", "--all-strategies").objects
    assert [run["strategy"] for run in one["runs"]] == [s.name for s in strategies()]


def test_all_sessions_of_a_file_and_all_files_of_a_folder_are_replayed_in_order(tmp_path: Path) -> None:
    chat(tmp_path / "b.json", session_id="b")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"messages": [b.user(t), b.says()]}) + "\n" for t in "xy"))
    chat(tmp_path / "sub" / "c.json", session_id="c")
    *each, total = Run(tmp_path, *TWO, "--format", "json").objects
    assert [(Path(o["file"]).name, o["title"]) for o in each][:2] == [("a.jsonl", "x"), ("a.jsonl", "y")]
    assert [o["session_id"] for o in each][2:] == ["b", "c"]
    assert [o["number"] for o in each] == [1, 2, 1, 1]
    assert total["total"]["recordings"] == 4
    assert f"{tmp_path}/a.jsonl · #2 · y\n" in Run(tmp_path, *TWO).text, "one without an id is told by its number"


def test_no_database_is_asked_for_files(long: Path) -> None:
    """A test without the mark of the database may not ask it."""
    assert Run(long, *TWO).code == 0


@pytest.mark.django_db
def test_nothing_is_written_to_the_database(long: Path) -> None:
    session_id = b.make_session(*LONG, owner=b.make_user("ann"))
    before = all_tables()
    assert Run(long, session_id, *TWO, "--limit", "3000", "--user", "ann").code == 0
    assert all_tables() == before


def test_the_sums_over_all_recordings_follow_them(tmp_path: Path) -> None:
    for name in "ab":
        chat(
            tmp_path / f"{name}.json", *LONG, b.user(f"And {name}.txt?"), b.says(f"{name}.txt it is."), session_id=name
        )
    first, second, total = Run(tmp_path, *TWO, "--limit", "3000", "--format", "json").objects
    for n, run in enumerate(total["total"]["runs"]):
        each = [one["runs"][n]["totals"] for one in (first, second)]
        assert run["totals"]["input_tokens"] == sum(t["input_tokens"] for t in each) > 0
        assert run["totals"]["cost"] == pytest.approx(sum(t["cost"] for t in each))
        kept = sum(t["need_kept"] * t["need"] for t in each)
        assert run["totals"]["need_kept"] == pytest.approx(kept / sum(t["need"] for t in each))
    assert "series" not in total["total"]["runs"][0]


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_a_single_recording_has_no_sums(tmp_path: Path, long: Path, format: str) -> None:
    assert "All 1" not in Run(long, *TWO, "--format", format).text
    chat(tmp_path / "other.json", session_id="s2")
    assert "All 2 recordings, 54 frames, 26 model calls" in Run(tmp_path, *TWO, "--format", format).text


# --- What cannot be read ----------------------------------------------------------------------


def test_what_cannot_be_read_is_told_and_the_others_are_replayed(tmp_path: Path, long: Path) -> None:
    (tmp_path / "torn").symlink_to("nowhere")
    run = Run(long, tmp_path / "torn", *TWO)
    assert "sliding_window" in run.text
    assert run.warnings == [f"{tmp_path}/torn: failed: No such file or directory"]
    assert (run.code, run.error) == (1, "1 of what was asked for could not be read.")


def test_what_is_no_trajectory_fails_where_it_is_named_and_is_passed_over_in_a_folder(
    tmp_path: Path, long: Path
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("No trajectory.")
    in_folder, named = Run(tmp_path, *TWO), Run(long, notes, *TWO)
    assert (in_folder.code, in_folder.warnings[0].startswith(f"Skipped: {notes}: ")) == (0, True)
    assert (named.code, named.warnings[0].split(": ")[1]) == (1, "failed")


def test_a_file_without_a_session_fails_where_it_is_named(tmp_path: Path, long: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"type": "session_meta", "payload": {"id": "s"}}\n')
    run = Run(long, empty, *TWO)
    assert (run.code, run.warnings) == (1, [f"{empty}: failed: holds no session"])


def test_a_defect_of_an_importer_spares_the_other_files(
    tmp_path: Path, long: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = places.__globals__["recordings_in"]

    def fail_for_bad(source: Any, **options: Any) -> Any:
        if source.name == "bad.json":
            raise ZeroDivisionError
        return real(source, **options)

    monkeypatch.setitem(places.__globals__, "recordings_in", fail_for_bad)
    run = Run(chat(tmp_path / "bad.json"), long, *TWO)
    assert "a defect of the importer, which the log tells: ZeroDivisionError" in run.warnings[0]
    assert (run.code, "digest" in run.text) == (1, True)


def test_recordings_with_few_model_calls_are_left_out_and_counted(tmp_path: Path, long: Path) -> None:
    for n in range(2):
        chat(tmp_path / f"short-{n}.json", *SHORT, session_id=f"short-{n}")
    run = Run(tmp_path, *TWO, "--min-calls", "5", "--format", "json")
    assert [o["session_id"] for o in run.objects[:-1]] == ["s1"]
    assert run.warnings == ["Skipped: 2 recordings with fewer model calls than 5."]
    assert (run.code, run.objects[-1]["total"]["skipped"]) == (0, 2)


def test_what_is_skipped_in_a_folder_is_summed_up_in_one_line(tmp_path: Path, long: Path) -> None:
    for n in range(3):
        (tmp_path / f"empty-{n}.json").touch()
    chat(tmp_path / "short.json", *SHORT)
    run = Run(tmp_path, *TWO, "--min-calls", "5", "--format", "json")
    assert run.warnings == [
        f"Skipped: {tmp_path}/empty-0.json and 2 more: is empty; 1 recording with fewer model calls than 5."
    ]
    assert run.objects[0]["session_id"] == "s1"


@pytest.mark.django_db
def test_what_could_not_be_read_is_not_told_as_a_recording_without_calls(tmp_path: Path) -> None:
    run = Run(tmp_path / "missing.jsonl", *TWO)
    assert (run.code, run.error) == (1, "1 of what was asked for could not be read.")


def test_no_recording_with_a_model_call_is_an_error(tmp_path: Path) -> None:
    asked_only = chat(tmp_path / "asked.json", b.user())
    assert (Run(asked_only).code, Run(asked_only).error) == (1, "No recording with a model call.")
    short = chat(tmp_path / "short.json", *SHORT)
    assert Run(short, "--min-calls", "2").error == "No recording with 2 model calls."


def test_a_format_may_be_named(tmp_path: Path, long: Path) -> None:
    assert Run(long, *TWO, "--read-as", "openai-chat").code == 0
    assert "not of the format" in Run(long, *TWO, "--read-as", "swe-agent-traj").warnings[0]


def test_a_name_does_not_steer_the_terminal(tmp_path: Path) -> None:
    path = chat(tmp_path / "a\x1b[2J.json", *LONG, title="t\x1b[2Jt")
    assert "\x1b" not in Run(path, *TWO).text
    assert "\x1b" not in Run(path, *TWO, "--format", "markdown").text
    assert "\x1b" not in "".join(Run(path, "--min-calls", "99").warnings)


# --- Stored sessions --------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_session_is_replayed_on_its_policys_terms() -> None:
    owner = b.make_user("ann")
    policy = parse_policy({"limit_tokens": 4_000, "trigger": 0.5, "target": 0.4}, current="")
    session_id = b.make_session(*LONG, owner=owner, title="Uploads", compression_policy=policy)
    (one, _) = Run(session_id, *TWO, "--user", "ann", "--format", "json").objects
    assert (one["session_id"], one["title"], one["file"]) == (session_id, "Uploads", "")
    assert (one["terms"]["limit_tokens"], one["terms"]["trigger"]) == (4_000, 0.5)
    assert one["runs"][0]["totals"]["compressions"] > 0


@pytest.mark.django_db
def test_it_tells_what_the_replay_of_the_session_gives() -> None:
    owner = b.make_user("ann")
    session_id = b.make_session(*LONG, owner=owner)
    (one, _) = Run(session_id, "--user", "ann", "--format", "json").objects
    choices = choices_under(Policy(), chosen([], all_of_them=False))
    _, replayed = replay_session(session_id=session_id, user_id=owner.pk, choices=choices)
    assert json.loads(json.dumps(replay_json(replayed))).items() <= one.items()


@pytest.mark.django_db
def test_what_is_asked_for_goes_before_the_policy() -> None:
    policy = parse_policy({"limit_tokens": 4_000, "trigger": 0.5, "target": 0.4}, current="")
    session_id = b.make_session(*LONG, owner=b.make_user("ann"), compression_policy=policy)
    run = Run(session_id, "--user", "ann", "--limit", "2000", "--trigger", "0.9", "--format", "json")
    terms = run.objects[0]["terms"]
    assert (terms["limit_tokens"], terms["trigger"]) == (2_000, 0.9)


@pytest.mark.django_db
def test_strategies_that_go_by_a_trigger_go_by_the_one_of_the_replay_unless_told_otherwise(long: Path) -> None:
    policy = parse_policy({"limit_tokens": 4_000, "trigger": 0.5, "target": 0.4}, current="")
    session_id = b.make_session(*LONG, owner=b.make_user("ann"), compression_policy=policy)
    asked = ("--strategy", "cascade", "--strategy", "cascade:trigger=0.7", "--user", "ann", "--format", "json")
    stored, file, _ = sorted(
        Run(session_id, long, *asked, "--trigger", "0.6").objects, key=lambda o: o.get("file", "z")
    )
    assert [(r["params"]["trigger"], r["params"]["target"]) for r in stored["runs"]] == [(0.6, 0.4), (0.7, 0.4)]
    assert [r["params"]["trigger"] for r in file["runs"]] == [0.6, 0.7]


@pytest.mark.django_db
def test_only_sessions_that_the_user_may_read_are_found() -> None:
    session_id = b.make_session(*LONG, owner=b.make_user("ann"))
    b.make_user("bob")
    assert Run(session_id, "--user", "bob").warnings == [
        f"{session_id}: failed: there is neither such a file nor such a session that bob may read"
    ]
    assert "there is no user 'nobody'" in Run(session_id, "--user", "nobody").warnings[0]


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["nothing-here", "no/such/file.json", "\x00", "a" * 300])
def test_what_is_neither_a_file_nor_a_session_says_so(what: str) -> None:
    b.make_user("ann")
    run = Run(what, "--user", "ann")
    assert (run.code, "there is neither such a file nor such a session" in run.warnings[0]) == (1, True)


@pytest.mark.slow
def test_it_needs_no_tables_and_makes_none(long: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ENV_FILE": os.devnull,
        "DATABASE_URL": "",
        "VAR_DIR": str(tmp_path / "var"),
        "SECRET_KEY": "only-for-this-test",
    }

    def process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", "replay", *map(str, arguments)]
        return subprocess.run(
            command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
        )

    done = process(long, *TWO)
    assert (done.returncode, done.stderr) == (0, "")
    assert "digest" in done.stdout
    missing = process("a-session", *TWO)
    assert missing.returncode == 1
    assert "no session is stored yet" in missing.stderr


# --- Strategies and terms ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "params"),
    [
        ('clear_tool_results={"protect_rounds": 5}', {"protect_rounds": 5}),
        ("clear_tool_results:protect_rounds=5,clear_inputs=true", {"protect_rounds": 5, "clear_inputs": True}),
        ('clear_tool_results:exclude_tools=["a","b"],min_saving=9', {"exclude_tools": ["a", "b"], "min_saving": 9}),
        ("clear_tool_results:", {}),
    ],
)
def test_parameters_are_json_or_members(long: Path, asked: str, params: dict[str, Any]) -> None:
    (one, _) = Run(long, "--strategy", asked, "--format", "json").objects
    assert params.items() <= one["runs"][0]["params"].items()


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("nonsense", "there is no 'nonsense'"),
        ("", "names no strategy"),
        ("digest={", "is no JSON"),
        ("digest=[1]", "is no JSON object"),
        ("digest:protect_rounds", "is not NAME=VALUE"),
        ("digest:protect_rounds=x", "/params/protect_rounds"),
        ("digest:protect_rounds=0", "/params/protect_rounds"),
        ("digest:nothing=1", " /params/nothing is no member"),
        ("clear_tool_results:exclude_tools=shell", '/params/exclude_tools must be a JSON list such as ["shell"]'),
    ],
)
def test_a_strategy_that_cannot_be_is_refused_with_the_reason(long: Path, asked: str, why: str) -> None:
    run = Run(long, "--strategy", asked)
    assert (run.code, run.text, why in run.error) == (1, "", True), run.error


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--limit", "many"], "is no whole number"),
        (["--limit", "0.5"], "'0.5' is no whole number, or a share such as 50%"),
        (["--limit", "0"], "is not between 1 and"),
        (["--limit", "0%"], "is not between 0% and 100%"),
        (["--limit", "101%"], "is not between 0% and 100%"),
        (["--limit", "nan%"], "is no number to reckon with"),
        (["--trigger", "-1"], "is neither a share"),
        (["--trigger", "inf"], "is no number to reckon with"),
        (["--prices", "1,2"], "is not read,write,output"),
        (["--prices", "1,2,x"], "is no number"),
        (["--prices", "1,2,-3"], "below nothing"),
        (["--cache-ttl", "-1"], "is less than nothing"),
        (["--cache-min", "-1"], "is not between 0 and"),
        (["--min-calls", "0"], "is not between 1 and"),
        (["--format", "xml"], "invalid choice"),
    ],
)
def test_terms_that_cannot_be_are_refused_with_the_reason(long: Path, arguments: list[str], why: str) -> None:
    run = Run(long, *arguments)
    assert (run.code, run.text, why in run.error) == (1, "", True), run.error


def test_a_limit_that_may_have_been_meant_in_per_cent_is_asked_about(long: Path) -> None:
    assert Run(long, *TWO, "--limit", "50").warnings == ["--limit 50 is 50 tokens: did you mean 50%?"]
    assert Run(long, *TWO, "--limit", "50%").warnings == Run(long, *TWO, "--limit", "100").warnings == []


def test_terms_are_those_that_were_asked_for(long: Path) -> None:
    asked = ("--limit", "9,000", "--trigger", "4000", "--prices", "0.2,1,4", "--cache-ttl", "60", "--cache-min", "0")
    (one, _) = Run(long, *TWO, *asked, "--format", "json").objects
    assert one["terms"] == {
        "limit_tokens": 9_000,
        "trigger": 4_000.0,
        "trigger_tokens": 4_000.0,
        "prices": {"read": 0.2, "write": 1.0, "output": 4.0},
        "cache_ttl_s": 60.0,
        "cache_min_tokens": 0,
    }


def test_a_limit_in_per_cent_is_a_share_of_the_largest_input_of_the_recording(tmp_path: Path, long: Path) -> None:
    chat(tmp_path / "short.json", *SHORT, session_id="s2")
    whole, short, _ = Run(tmp_path, *TWO, "--limit", "50%", "--format", "json").objects
    for one in (whole, short):
        peak = one["baseline"]["totals"]["peak"]
        assert one["terms"]["limit_tokens"] == max(1, round(peak / 2)) > 0
    assert whole["runs"][0]["totals"]["compressions"] > 0


# --- What is written --------------------------------------------------------------------------


def test_csv_is_one_table_with_the_recording_in_each_line(tmp_path: Path, long: Path) -> None:
    chat(tmp_path / "other.json", b.user("=1+1"), *LONG[2:], session_id="s2")
    rows = Run(tmp_path, *TWO, "--limit", "3000", "--format", "csv").rows
    assert [row["session_id"] for row in rows] == ["s1"] * 3 + ["s2"] * 3
    assert [row["strategy"] for row in rows[:3]] == ["none", "sliding_window", "digest"]
    assert {row["limit_tokens"] for row in rows} == {"3000"}
    assert rows[3]["title"] == "'=1+1"


def test_markdown_has_a_heading_and_a_table_for_each_recording(long: Path) -> None:
    text = Run(long, *TWO, "--format", "markdown").text
    assert text.startswith("### ")
    assert text.splitlines()[5].startswith("| ---")


def test_the_answer_may_go_to_a_file(tmp_path: Path, long: Path) -> None:
    told = Run(long, *TWO, "--format", "json").text
    out = tmp_path / "out" / "replay.json"
    assert Run(long, "--output", out).error == f"{out} cannot be written: No such file or directory."
    out.parent.mkdir()
    run = Run(long, *TWO, "--format", "json", "--output", out)
    assert (run.text, out.read_text()) == ("", told)


def test_an_interrupt_ends_it_with_what_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        chat(tmp_path / f"{name}.json", session_id=name)
    asked: list[Any] = []

    def interrupt_at_b(**options: Any) -> Any:
        asked.append(options)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return replay(**options)

    monkeypatch.setattr(replay_work, "replay", interrupt_at_b)
    run = Run(tmp_path, *TWO, "--format", "json")
    assert (run.code, [o["session_id"] for o in run.objects]) == (130, ["a"])


@pytest.mark.slow
def test_a_bar_is_drawn_on_a_terminal_only(tmp_path: Path, long: Path) -> None:
    ours, its = pty.openpty()
    done = subprocess.run(
        [sys.executable, "manage.py", "replay", str(long), *TWO],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": str(tmp_path / "var")},
        stdout=subprocess.PIPE,
        stderr=its,
        check=True,
        timeout=60,
    )
    os.close(its)
    shown = os.read(ours, 65_536)
    os.close(ours)
    assert b"0%|" in shown
    assert b"digest" in done.stdout and b"%|" not in done.stdout


def test_no_bar_is_drawn_elsewhere(long: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Run(long, *TWO)
    assert capfd.readouterr() == ("", "")


# --- Real files -------------------------------------------------------------------------------


@real_files
@pytest.mark.slow
def test_every_strategy_runs_on_every_real_file_and_breaks_no_rule() -> None:
    *each, total = Run(TRAJECTORIES_DIR, "--all-strategies", "--limit", "50%", "--format", "json").objects
    names = [s.name for s in strategies()]
    assert len({one["file"] for one in each}) > 30
    for one in each:
        assert [run["strategy"] for run in one["runs"]] == names
        assert {run["outcome"] for run in one["runs"]} == {"ok"}
        assert {run["totals"]["broken"] for run in one["runs"]} == {0}, one["file"]
    assert total["total"]["failed"] == 0
