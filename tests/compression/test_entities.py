"""What a message names, and what is no name of anything."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings

from sessions_app.compression.content_cache import ContentCache
from sessions_app.compression.digesting.speech import constraints_in
from sessions_app.compression.measures import CLASSES, entities_in
from sessions_app.compression.measures.lines import constraint_sentences_in
from sessions_app.engine import Message
from tests.builders import call, calls, reply, says, system, user
from tests.compression.histories import histories


def named(kind: str, message: dict[str, Any] | str) -> set[str]:
    data = user(message) if isinstance(message, str) else message
    return {text for k, text in entities_in(Message.of(data)) if k == kind}


def words_named(text: str) -> set[tuple[str, str]]:
    return set(entities_in(Message.of(says(text))))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see src/a.py:12 and src/a.py:40:7.", {"src/a.py"}),
        ("open ~/x/notes.txt, ./run.sh and ../lib/b.c", {"~/x/notes.txt", "run.sh", "../lib/b.c"}),
        ("in /var/log/app and /tmp", {"/var/log/app", "/tmp"}),
        (r"C:\Users\me\a.txt and D:/x/y.md", {"C:/Users/me/a.txt", "D:/x/y.md"}),
        ("README.md; setup.py! Makefile", {"README.md", "setup.py", "Makefile"}),
        ("diff --git a/src/x.py b/src/x.py", {"src/x.py"}),
        ("tests/test_a.py::test_one PASSED", {"tests/test_a.py"}),
        ("请修改src/a.py文件，再看：文档/说明.md。", {"src/a.py", "文档/说明.md"}),
        ('{"file": "src\\\\n", "log": "done\\nsrc/b.py"}', {"src/b.py"}),
    ],
)
def test_a_path_is_named_without_line_numbers_and_what_stands_beside_it(text: str, paths: set[str]) -> None:
    assert named("path", text) == paths


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("Look at https://Example.com/A/b?x=1#top.", {"https://example.com/A/b?x=1"}),
        ("(see http://localhost:8000/admin/), now", {"http://localhost:8000/admin"}),
        ("it runs on localhost:8000 and 127.0.0.1:5432", {"localhost:8000", "127.0.0.1:5432"}),
        ("见https://例子.cn/文。好", {"https://例子.cn/文"}),
    ],
)
def test_a_url_is_named_without_fragment_and_trailing_signs(text: str, urls: set[str]) -> None:
    assert named("url", text) == urls


def test_ids_are_in_lower_case() -> None:
    text = "commit DEADBEEF1, 550E8400-e29b-41d4-a716-446655440000, PROJ-12, #45, call_A1b2C3d4E5f6, 0xFF3a"
    ids = {"deadbeef1", "550e8400-e29b-41d4-a716-446655440000", "proj-12", "#45", "call_a1b2c3d4e5f6", "0xff3a"}
    assert named("id", text) == ids


def test_numbers_have_two_digits_and_no_unit() -> None:
    text = "12 of 99, 3 passed, 1,234,567 rows, 250ms, 87.5%, on 2024-01-02T10:22:33, at 10:22:33, -404"
    assert named("number", text) == {"12", "99", "1234567", "250", "87.5", "2024-01-02", "404"}


def test_digits_of_another_entity_are_no_number() -> None:
    assert named("number", "src/v1234/a5678.py deadbee1234 v1.22.333 https://x.io/9999 a.py:4321") == set()


def test_the_numbers_of_lines_before_file_content_are_none() -> None:
    assert named("number", "   998\tx = 1\n   999\ty = 777\n1001→z\n1002:  w") == {"777"}


def test_versions_lose_their_v() -> None:
    assert named("version", "v1.2.3, 3.11.4, 2.0.0-rc.1, 1.0rc8 and V2.5") == {
        "1.2.3",
        "3.11.4",
        "2.0.0-rc.1",
        "1.0rc8",
        "2.5",
    }


def test_identifiers_are_written_as_no_plain_word_is() -> None:
    text = "my_var camelCase HTTPServer CONST_CASE __init__ self.foo_bar os.path.join std::vector run_it()"
    names = {"my_var", "camelCase", "HTTPServer", "CONST_CASE", "__init__", "foo_bar", "os.path.join", "std::vector"}
    assert named("identifier", text) == {*names, "run_it"}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("  File x\nValueError:  bad   thing.\n", "valueerror: bad thing"),
        ("src/a.rs:3:5: error[E0308]: mismatched types", "error[e0308]: mismatched types"),
        ("bash: foo: command not found", "foo: command not found"),
        ("cat: /x/y: No such file or directory", "/x/y: no such file or directory"),
        ("2024-01-02 ERROR worker: lost the connection", "error worker: lost the connection"),
        ('{"error": "file is locked"}', 'error": "file is locked'),
        ("FAILED tests/x.py::test_y - assert 1 == 2", "failed tests/x.py::test_y - assert 1 == 2"),
        ("错误：文件不存在", "错误：文件不存在"),
    ],
)
def test_an_error_line_begins_with_what_names_the_error(text: str, error: str) -> None:
    assert named("error", reply("c1", text)) == {error}


def test_an_error_is_the_same_behind_a_label_as_on_a_line_of_its_own() -> None:
    assert named("error", "[12] bash pytest: ValueError: bad thing") == named("error", "ValueError: bad thing")


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    pass\nexcept ValueError:\n    pass",
        "    error: str | None = None",
        "raise ValueError('bad: thing')",
        "class LoadError(Exception): ...",
        "def fail(error: str) -> None:",
        "0 errors, nothing failed",
    ],
)
def test_code_that_speaks_of_errors_is_no_error_line(code: str) -> None:
    assert named("error", reply("c1", code)) == set()


def test_commands_are_those_of_shell_calls() -> None:
    message = calls("c1")
    message["tool_calls"] = [call("c1", "bash", json.dumps({"command": "cd /r && FOO=1 pytest  -q | tail -5; ls"}))]
    assert named("command", message) == {"pytest -q", "tail -5"}


def test_commands_stand_in_texts_behind_prompts_in_fences_and_between_backticks() -> None:
    text = "Run `git status -s` or `some words`:\n$ npm test --silent\n```bash\nmake lint\n```\n```python\nmake x\n```"
    assert named("command", text) == {"git status -s", "npm test --silent", "make lint"}


def test_quoted_strings_have_more_than_one_word() -> None:
    text = 'He said "hello big world", "name", "", "a = b", “再见了朋友” and 「你好世界」 and "x == y[" now'
    assert named("quoted", text) == {"hello big world", "再见了朋友", "你好世界"}


def test_constraints_are_sentences_of_those_who_set_them() -> None:
    text = "Fix it. You must never  touch the migrations!\n必须用中文回答。"
    assert named("constraint", user(text)) == {"you must never touch the migrations", "必须用中文回答"}
    assert named("constraint", system(text)) == named("constraint", user(text))
    assert named("constraint", reply("c1", text)) == named("constraint", says(text)) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Fix it. You must never touch the migrations. Use only SQLite; avoid sleeping, please do not wait.",
        "请修复上传测试。必须用中文回答，不要修改数据库！別急。别改它。",
        "1. Always run the tests\n- [ ] make sure that it is at most 3\n> Don’t push. It is required here",
        "x" * 9_000 + ". You must not. " + "y " * 4_000,
    ],
)
def test_every_constraint_that_a_digest_knows_is_one(text: str) -> None:
    known = {sentence.lower().rstrip(" .。!！;；") for sentence in constraints_in(text)}
    assert known <= set(constraint_sentences_in(text))


@pytest.mark.parametrize(
    "sentence",
    [
        "It works and/or fails; he/she uses TCP/IP, e.g. at 10:30, i.e. later, in the U.S. (1/2 of it).",
        "The team met Mr. McDonald on GitHub. They don't like JavaScript and APIs, do they?",
        "Use text/html or application/json. Well-known 2nd-level state-of-the-art read/write.",
        "<div class=x></div><br/> -- *** --- ... ::: /// \\\\ $$ @ # ~ // a comment",
        "We built it with Next.js and Node.js. No such file or directory, it said.",
        "我们今天去公园，然后回家吃饭。他说：很好！",
        "s/old/new/g and _emphasis_ and 12:30:45 and 5% and v2",
        "No. Yes! Why? (Because.) 'Quoted' words, semi;colons: and—dashes…",
    ],
)
def test_a_plain_sentence_names_nothing(sentence: str) -> None:
    assert words_named(sentence) == set()


def test_arguments_are_read_and_not_the_names_of_their_members() -> None:
    message = calls("c1")
    message["tool_calls"] = [call("c1", "read_file", json.dumps({"file_path": "src/a.py\nsrc/b.py", "line_no": 1234}))]
    found = entities_in(Message.of(message))
    assert found == {("path", "src/a.py"), ("path", "src/b.py"), ("number", "1234"), ("identifier", "read_file")}


def test_arguments_that_are_no_json_are_read_as_text() -> None:
    message = calls("c1")
    message["tool_calls"] = [call("c1", "run", '{"path": "src/a.py", "x')]
    assert named("path", message) == {"src/a.py"}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "x", "reasoning_content": "look at src/a.py"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "look at src/a.py"}]},
        {"role": "assistant", "content": "x", "reasoning_details": [{"type": "reasoning.text", "text": "src/a.py"}]},
    ],
)
def test_reasoning_is_read(message: dict[str, Any]) -> None:
    assert named("path", message) == {"src/a.py"}


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"role":"user"', '{"role":"x","content":"src/a.py"}', "\ud800"])
def test_a_damaged_message_names_nothing(text: str) -> None:
    assert entities_in(Message(text)) == frozenset()


@settings(deadline=None, max_examples=15)
@given(histories())
def test_any_message_can_be_read_and_is_read_the_same_twice(history: Any) -> None:
    for item in history.items:
        found = entities_in(item.message)
        assert found == entities_in(Message(item.message.text))
        assert {kind for kind, _ in found} <= set(CLASSES)


@pytest.mark.parametrize("unit", ["a", "1", '"', "a "])
def test_five_megabytes_are_read_at_once(unit: str) -> None:
    assert seconds_to_read(unit * (5_000_000 // len(unit))) < 2


@pytest.mark.parametrize(
    "unit",
    [
        "`",
        "“",
        "/",
        "\\",
        ".",
        ":",
        "a/",
        "a_",
        "aB1",
        "中",
        "error: ",
        "http://",
        "1,234,",
        "\n 1",
        "a@a.",
        "C:\\a",
        "must ",
    ],
)
def test_no_pattern_runs_away(unit: str) -> None:
    assert seconds_to_read(unit * (400_000 // len(unit))) < 1


def seconds_to_read(text: str) -> float:
    message = Message.of(user(text))
    started = time.process_time()
    entities_in(message)
    return time.process_time() - started


def test_the_cache_gives_up_what_was_not_asked_for_the_longest() -> None:
    made: list[str] = []

    def make(text: str) -> str:
        made.append(text)
        return text

    cache = ContentCache(make=make, weigh=len, limit=12)
    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert cache.of(text) == text
    assert made == ["aaaa", "bbbb", "cccc", "bbbb"]
    assert cache.weight <= 12


def test_any_number_of_threads_may_ask_the_cache() -> None:
    cache = ContentCache(make=str.upper, weigh=len, limit=40)
    texts = [f"text {n % 13}" for n in range(2_000)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(cache.of, texts)) == [text.upper() for text in texts]
    assert 0 < cache.weight <= 40


def test_the_cache_keeps_no_value_that_is_too_heavy_for_it() -> None:
    cache = ContentCache(make=str, weigh=len, limit=3)
    assert cache.of("heavy") == "heavy"
    assert (len(cache), cache.weight) == (0, 0)
