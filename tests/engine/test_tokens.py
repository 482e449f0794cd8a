"""What a message counts, clause by clause (compression page, section 5)."""

import gzip
import time
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.engine import count_text, first_tokens, tokenizer_name, tokens
from sessions_app.engine.tokens import PIECE, count_message, estimate_text
from tests.builders import call
from tests.engine.generated import TEXTS

TWO = "hello world"


@pytest.fixture
def no_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_encoding", lambda: None)


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), (TWO, 2), ("你好，世界", 3), ("<|endoftext|>", 7), ("{}", 1), ("\udc88", 1), ("a\x00b", 3)],
)
def test_a_text_counts_as_o200k_base_says_and_special_tokens_are_text(text: str, count: int) -> None:
    assert tokenizer_name() == "o200k_base"
    assert count_text(text) == count


def test_a_long_text_counts_in_pieces_and_soon() -> None:
    count_text("warm")
    began = time.process_time()
    assert count_text("a" * 5_000_000) == 625_000
    assert time.process_time() - began < 5  # about one second where nothing else runs
    assert count_text(" " * 1_000_000) < 20_000  # in one piece it would panic
    assert count_text("🙂" * (PIECE + 1)) == count_text("🙂" * PIECE) + 1


CLAUSES: list[tuple[str, dict[str, Any], int]] = [
    ("every message", {"content": None}, 4),
    ("its text", {"content": TWO}, 4 + 2),
    ("each part's text", {"content": [{"type": "text", "text": TWO}, {"type": "text", "text": TWO}]}, 4 + 2 + 2),
    ("a picture", {"content": [{"type": "image_url", "image_url": {"url": "data:x"}}]}, 4 + 800),
    ("a part of base64", {"content": [{"type": "thing", "blob": "data:image/png;base64,AAAA"}]}, 4 + 800),
    ("a part of bare base64", {"content": [{"type": "thing", "blob": "QUJD" * 300}]}, 4 + 800),
    ("its name", {"content": "", "name": "bob"}, 4 + 1),
    ("names and arguments of calls", {"tool_calls": [call("id", "run", "{}"), call("id2", "run", "{}")]}, 4 + 2 + 2),
    ("a custom call", {"tool_calls": [{"id": "c", "custom": {"name": "run", "input": TWO}}]}, 4 + 1 + 2),
    ("the older form of a call", {"function_call": {"name": "run", "arguments": "{}"}}, 4 + 1 + 1),
    ("a call that calls nothing", {"tool_calls": [{"id": "c"}]}, 4),
    ("reasoning text", {"content": "", "reasoning_content": TWO}, 4 + 2),
    ("a reasoning part", {"content": [{"type": "thinking", "thinking": TWO}]}, 4 + 2),
    ("encrypted reasoning", {"content": [{"type": "thinking", "signature": "x" * 401}]}, 4 + 101),
    ("the JSON of other members", {"content": "", "annotations": {"a": 1}}, 4 + 1 + 5),
    ("no role and no ids", {"content": "", "id": TWO * 9, "tool_call_id": TWO * 9}, 4),
    ("no member that is null", {"content": "", "refusal": None, "name": None, "tool_calls": None}, 4),
    ("no part's null member", {"content": [{"type": "text", "text": TWO, "cache_control": None}]}, 4 + 2),
]


@pytest.mark.parametrize(("message", "count"), [c[1:] for c in CLAUSES], ids=[c[0] for c in CLAUSES])
def test_a_message_counts_the_sum_of_what_it_has(message: dict[str, Any], count: int) -> None:
    assert count_message({"role": "assistant", **message}) == count


@given(text=TEXTS | st.text(max_size=200), limit=st.integers(0, 40))
def test_the_first_tokens_are_the_longest_beginning_within_the_limit(text: str, limit: int) -> None:
    cut = first_tokens(text, limit)
    assert text.startswith(cut)
    assert count_text(cut) <= limit
    if cut != text:
        assert count_text(text[: len(cut) + 1]) > limit


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("word", 1),
        ("lettered", 1),
        ("ninechars", 2),
        ("a" * 13, 2),
        ("a" * 14, 3),
        ("1234567", 3),
        ("中文字符测试一二三四", 8),  # 10 × 0.82
        ("!!!!", 3),  # 4 × 0.65
        ("three words 中文 99", 5),  # 1 + 1 + 1.64 + 1
        (" ", 1),
    ],
)
def test_without_the_vocabulary_a_text_is_estimated_by_its_characters(
    text: str, count: int, no_vocabulary: None
) -> None:
    assert tokenizer_name() == "estimate"
    assert count_text(text) == estimate_text(text) == count


def test_an_estimate_of_chinese_is_no_quarter_of_its_characters() -> None:
    text = "请修复上传测试。必须用中文回答，不要修改数据库！" * 20
    assert 0.6 < estimate_text(text) / count_text(text) < 1.7


def test_a_vocabulary_that_is_missing_or_another_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    build = tokens._encoding.__wrapped__

    def not_there(_package: str) -> Path:
        raise ModuleNotFoundError

    monkeypatch.setattr(resources, "files", not_there)
    assert build() is None
    monkeypatch.setattr(resources, "files", lambda _package: tmp_path)
    assert build() is None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"YQ== 0\n"))
    assert build() is None
