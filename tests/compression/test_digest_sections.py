"""What each section of a digest tells, by example, in English and Chinese."""

import json
import time
from typing import Any

import pytest

from sessions_app.compression.digesting.results import check_in, failure_in, is_interruption
from sessions_app.compression.digesting.speech import constraints_in, decisions_in, plan_in, references_in
from sessions_app.compression.digesting.tool_use import understand
from sessions_app.engine import Call
from tests.builders import Msg, call, react_rounds, reply, says, user
from tests.compression.windows import compressed, digest_text, followed_by, section, window_of

PADDING = react_rounds(3, start=700, size=4_000)
TAIL = react_rounds(3, start=800)


def used(call_id: str, name: str, text: str = "ok", **arguments: Any) -> list[Msg]:
    """A call and its reply."""
    made = call(call_id, name, json.dumps(arguments, ensure_ascii=False))
    return [{"role": "assistant", "content": None, "tool_calls": [made]}, reply(call_id, text)]


def told(title: str, *messages: Msg) -> list[str]:
    """The section of a digest of `messages`, which begin at frame 2."""
    return section(digest_text(compressed(window_of([user("Start."), *messages, *PADDING, *TAIL]), "digest")), title)


def is_left_out(title: str, *messages: Msg) -> bool:
    text = digest_text(compressed(window_of([user("Start."), *messages, *PADDING, *TAIL]), "digest"))
    return f"## {title}" not in text


def test_requests_are_told_verbatim_newest_first() -> None:
    messages = [user("Use tabs.\n  - here"), says("ok"), user("修复上传。"), says("好"), user("Last."), says("ok")]
    assert told("User requests", *messages) == ["[4] 修复上传。", "[2] Use tabs.", "      - here"]


@pytest.mark.parametrize(
    "sentence",
    [
        "You must never touch the migrations.",
        "Do not rename the table.",
        "Fix it, but don't change the API.",
        "Make sure the tests pass.",
        "Use at most two queries.",
        "必须用中文回答。",
        "不要修改数据库！",
        "禁止联网；",
        "只能使用标准库。",
        "别改这个文件。",
    ],
)
def test_constraints_are_found(sentence: str) -> None:
    assert list(constraints_in(f"Hello there. {sentence} 谢谢。")) == [sentence]


@pytest.mark.parametrize(
    "sentence", ["I don't know why.", "The file is large.", "这个文件很大。", "It failed in setup.py."]
)
def test_what_binds_nobody_is_no_constraint(sentence: str) -> None:
    assert list(constraints_in(sentence)) == []


def test_a_constraint_said_again_is_told_once_with_the_later_frame() -> None:
    messages = [user("Never push."), says("ok"), user("never  push."), says("ok"), user("Last."), says("ok")]
    assert told("Constraints", *messages) == ["[4] never push."]


def test_what_a_tool_or_the_agent_says_is_no_constraint() -> None:
    assert is_left_out("Constraints", *used("a", "fetch", "You must send the token."), says("I must go on."))


def test_files_are_told_with_what_was_done_and_the_last_frame() -> None:
    messages = [
        *used("a", "read_file", path="src/a.py"),
        *used("b", "write_file", path="src/新.py"),
        *used("c", "str_replace_based_edit_tool", command="str_replace", path="src/a.py"),
        *used("d", "write_file", path="src/a.py"),
        *used("e", "str_replace_based_edit_tool", command="view", path="README.md"),
    ]
    assert told("Files", *messages)[-3:] == [
        "[11] README.md: read",
        "[9] src/a.py: read, edited",
        "[5] src/新.py: created",
    ]


def test_an_edit_that_failed_changed_no_file() -> None:
    assert is_left_out("Files", *used("a", "edit_file", "Error: no match for old_str", path="src/a.py"))


@pytest.mark.parametrize(
    ("name", "arguments", "files"),
    [
        ("bash", {"command": "cd /r && cat src/a.py | head -20"}, [("src/a.py", "read")]),
        ("bash", {"command": "sed -n 1,20p a.py; sed -i s/a/b/ b.py"}, [("a.py", "read"), ("b.py", "edited")]),
        ("bash", {"command": "pytest > out.log 2>&1; rm -f x.txt"}, [("out.log", "created"), ("x.txt", "deleted")]),
        ("bash", {"command": "cat > a.txt <<'EOF'\nrm -rf b.txt\nEOF"}, [("a.txt", "created")]),
        ("bash", {"command": "echo hi >> log.txt 2>/dev/null"}, [("log.txt", "edited")]),
        ("shell", {"command": ["bash", "-lc", "cat package.json"]}, [("package.json", "read")]),
        ("apply_patch", {"patch": "*** Add File: a\n*** Delete File: b"}, [("a", "created"), ("b", "deleted")]),
        ("edit", {"diff": "--- a/x.py\n+++ b/x.py\n@@"}, [("x.py", "edited")]),
        ("grep", {"path": "src", "pattern": "x"}, []),
        ("Read", {"file_path": "/a/b.py"}, [("/a/b.py", "read")]),
    ],
)  # fmt: skip
def test_the_files_of_a_call_are_read_off_its_arguments(
    name: str, arguments: Any, files: list[tuple[str, str]]
) -> None:
    assert sorted(understand(Call("c", name, json.dumps(arguments))).files) == sorted(files)


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("cd /repo && pytest -q tests/x.py", "bash pytest"),
        ("python -m pytest -q", "bash python -m pytest"),
        ("CI=1 npm run build", "bash npm run build"),
        ("git commit -m 'x: y'", "bash git commit"),
        ("", "bash"),
    ],
)
def test_a_command_is_known_by_its_program(command: str, label: str) -> None:
    assert understand(Call("c", "bash", json.dumps({"command": command}))).label == label


def test_tools_are_counted_with_their_failures() -> None:
    messages = [*used("a", "查询", "错误：超时"), *used("b", "查询"), *used("c", "ls")]
    assert told("Tools", *messages)[1:] == ["[6] ls × 1", "[4] 查询 × 2, 1 failed"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Error: no such file", "Error: no such file"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("Traceback (most recent call last):\n  File x, line 1\nKeyError: 'a'\n", "KeyError: 'a'"),
        ("some output\nfatal: bad\n\nexit code: 128", "fatal: bad"),
        ('{"error": "quota exceeded"}', '{"error": "quota exceeded"}'),
        ('{"output": "x", "exit_code": 1}', '{"output": "x", "exit_code": 1}'),
        ("错误：文件不存在", "错误：文件不存在"),
        ("构建中\n退出码：2", "构建中 退出码：2"),
    ],
)
def test_a_reply_that_says_it_failed_is_a_failure(text: str, why: str) -> None:
    assert failure_in(text, is_error=False, is_file=False) == why


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "",
        "0 errors",
        "exit code: 0",
        '{"error": null, "id": 4}',
        "Error handling is in errors.py",
        "没有错误",
        "v2.0-rc1",
    ],
)
def test_a_reply_that_went_well_is_none(text: str) -> None:
    assert failure_in(text, is_error=False, is_file=False) is None


def test_a_reply_marked_as_error_is_a_failure_whatever_it_says() -> None:
    assert failure_in("nope", is_error=True, is_file=True) == "nope"


def test_a_traceback_inside_a_file_that_was_read_is_none() -> None:
    assert failure_in("log:\nTraceback (most recent call last)\nexit code: 1", is_error=False, is_file=True) is None


def test_errors_tell_whether_a_later_call_got_through() -> None:
    messages = [
        *used("a", "bash", "fatal: no remote", command="git push"),
        *used("b", "bash", "Error: 2 failed", command="pytest -q"),
        *used("c", "bash", "fine", command="cd /r && pytest tests"),
    ]
    assert told("Errors", *messages) == [
        "[5] bash pytest: Error: 2 failed (got through later: [7])",
        "[3] bash git push: fatal: no remote (did not get through since)",
    ]


def test_an_interrupted_call_is_told_as_unknown() -> None:
    text = "Execution was interrupted by a crash. The result of deploy is unknown: the tool may or may not have run."
    assert is_interruption(text)
    assert told("Errors", *used("a", "deploy", text)) == [
        "[3] deploy: interrupted, its result is unknown (did not get through since)"
    ]


def test_an_error_of_an_earlier_digest_learns_of_the_call_that_got_through() -> None:
    once = compressed(window_of([user(), *used("a", "deploy", "Error: refused"), *PADDING, *TAIL]), "digest")
    twice = compressed(followed_by(once, [*used("b", "deploy"), *PADDING, *TAIL]), "digest")
    assert section(digest_text(twice), "Errors") == ["[3] deploy: Error: refused (got through later: [17])"]


def test_counts_of_an_earlier_digest_add_up() -> None:
    once = compressed(window_of([user(), *used("a", "deploy", "Error: refused"), *PADDING, *TAIL]), "digest")
    twice = compressed(followed_by(once, [*used("b", "deploy"), *PADDING, *TAIL]), "digest")
    assert section(digest_text(twice), "Tools")[1:] == ["[16] deploy × 2, 1 failed"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("....\n===== 3 passed, 1 failed in 0.2s =====\n", "3 passed, 1 failed in 0.2s"),
        ("Ran 12 tests in 3s\n\nOK", "Ran 12 tests in 3s"),
        ("Tests:       1 failed, 5 passed, 6 total", "Tests: 1 failed, 5 passed, 6 total"),
        ("ok  \texample.com/x\t0.01s", "ok example.com/x 0.01s"),
        ("test result: ok. 3 passed; 0 failed", "test result: ok. 3 passed; 0 failed"),
        ("[INFO] BUILD SUCCESS", "[INFO] BUILD SUCCESS"),
        ("make: *** [all] Error 2", "make: *** [all] Error 2"),
        ("Found 3 errors in 1 file", "Found 3 errors in 1 file"),
        ("所有测试通过", "所有测试通过"),
        ("编译失败：缺少头文件", "编译失败：缺少头文件"),
    ],
)
def test_the_line_that_ends_a_test_run_or_a_build_is_found(text: str, line: str) -> None:
    assert check_in(text) == line


def test_each_check_is_told_with_its_last_result() -> None:
    messages = [
        *used("a", "bash", "2 failed", command="pytest"),
        *used("b", "bash", "Build succeeded", command="make"),
        *used("c", "bash", "9 passed", command="pytest"),
    ]
    assert told("Last test and build results", *messages) == [
        "[7] bash pytest: 9 passed",
        "[5] bash make: Build succeeded",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "I'll use SQLite for now.",
        "We decided on one table.",
        "The root cause is a race.",
        "决定采用乐观锁。",
        "根因是缓冲区太小。",
        "原因是超时！",
    ],
)
def test_decisions_are_found(sentence: str) -> None:
    assert list(decisions_in(f"Let me see.\n{sentence}")) == [sentence]


def test_the_newest_plan_replaces_the_older_one() -> None:
    messages = [
        says("Plan:\n1. write the test\n2. fix it"),
        *used(
            "a",
            "TodoWrite",
            todos=[{"content": "修复", "status": "completed"}, {"content": "docs", "status": "in_progress"}],
        ),
    ]
    assert told("Plan", *messages) == ["[3] [x] 修复", "[3] [~] docs"]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("My plan:\n1. one\n2. two\n\nGo.", ["[ ] one", "[ ] two"]),
        ("计划：\n- 写测试\n- 修复", ["[ ] 写测试", "[ ] 修复"]),
        ("- [x] done\n- [ ] open", ["[x] done", "[ ] open"]),
        ("1. no title\n2. no plan", []),
    ],
)
def test_plans_are_found_in_text(text: str, steps: list[str]) -> None:
    assert plan_in(text) == steps


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See https://example.com/a?b=1, and #42.", ["https://example.com/a?b=1", "#42"]),
        ("见 https://例子.cn/路径。", ["https://例子.cn/路径"]),
        ("ABC-12 in UTF-8", ["ABC-12"]),
        ("commit 4f2a9c1d fixed it", ["commit 4f2a9c1d"]),
        ("order_id: ord-77a", ["order_id ord-77a"]),
    ],
)
def test_references_are_found(text: str, found: list[str]) -> None:
    assert list(references_in(text)) == found


def test_of_a_result_only_ids_and_commits_are_told() -> None:
    text = "[main 4f2a9c1] Fix\nsee https://example.com/ads #9"
    assert list(references_in(text, is_result=True)) == ["commit 4f2a9c1"]


def test_the_last_answer_is_told_with_its_lines() -> None:
    assert told("Last assistant message", says("First."), says("一行\n两行")) == ["[3] 一行", "    两行"]


@pytest.mark.parametrize(
    "piece", ["a", " ", "\n", "Error ", "必须", '{"', "- [ ] x\n", "plan\n", "http://", "id=1a2b ", "[", "_"]
)
def test_huge_texts_are_looked_at_from_their_ends_only(piece: str) -> None:
    huge = piece * (5_000_000 // len(piece))
    started = time.perf_counter()
    for is_error in (False, True):
        failure_in(huge, is_error=is_error, is_file=False)
    check_in(huge), plan_in(huge)
    list(constraints_in(huge)), list(decisions_in(huge)), list(references_in(huge))
    understand(Call("c", huge, json.dumps({"command": huge})))
    assert time.perf_counter() - started < 2
