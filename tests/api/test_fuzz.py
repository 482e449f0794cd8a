"""Whatever a body, a query or a header holds: never a 5xx, and a refusal writes nothing."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api.client import operator
from tests.builders import calls, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

NAMES = ["role", "content", "tool_calls", "tool_call_id", "name", "function_call", "id", "type", "function", "custom"]
NAMES += ["arguments", "input", "text", "messages", "metadata", "recover", "strategy", "params", "dry_run", "reason"]
NAMES += ["session_id", "title", "labels", "keep_context_history", "require_head", "compression_policy", "version"]
NAMES += ["limit_tokens", "trigger", "target", "auto", "protect_rounds", "max_tokens", "exclude_tools", "min_saving"]
WORDS = [
    "system",
    "developer",
    "user",
    "assistant",
    "tool",
    "digest",
    "sliding_window",
    "clear_tool_results",
    "restore",
]
WORDS += ["cascade", "crash", "text", "a", "b", "x", "", ".", "\x00", "\ud800", "键", "9" * 300]

texts = st.sampled_from(WORDS) | st.text(st.characters(codec=None), max_size=8)
names = st.sampled_from(NAMES) | texts
numbers = st.sampled_from([0, 1, -1, 2, 3, 2**31, 2**63, 10**40, 0.5, 1.0, -0.0, 1e16, 1e308]) | st.integers()
anything = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5),
    max_leaves=20,
)
functions = st.fixed_dictionaries({"name": anything, "arguments": anything}) | anything
tool_calls = st.lists(st.fixed_dictionaries({"id": texts, "function": functions}) | anything, max_size=3)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
    optional={
        "content": texts | st.none() | st.lists(st.fixed_dictionaries({"type": texts, "text": anything})) | anything,
        "tool_calls": tool_calls | anything,
        "tool_call_id": texts | anything,
        "name": texts | anything,
        "reasoning_content": anything,
        "function_call": anything,
    },
)
MEMBERS: dict[tuple[str, str], dict[str, st.SearchStrategy[Any]]] = {
    ("POST", "sessions/"): {
        "session_id": texts,
        "title": texts,
        "labels": st.lists(texts, max_size=3),
        "compression_policy": st.dictionaries(names, anything, max_size=3),
        "messages": st.lists(messages, max_size=4),
        "require_head": st.booleans(),
    },
    ("PATCH", "sessions/s/"): {
        "title": texts,
        "labels": st.lists(texts, max_size=3),
        "compression_policy": st.dictionaries(names, anything, max_size=3),
        "keep_context_history": st.booleans(),
    },
    ("POST", "sessions/s/frames/"): {
        "messages": st.lists(messages, max_size=4),
        "metadata": st.dictionaries(names, anything, max_size=2) | st.lists(anything, max_size=4),
        "recover": st.booleans(),
    },
    ("POST", "sessions/s/compressions/"): {
        "strategy": st.sampled_from(WORDS),
        "params": st.dictionaries(names, anything, max_size=3),
        "dry_run": st.booleans(),
    },
    ("POST", "sessions/s/comparisons/"): {
        "strategies": st.lists(st.fixed_dictionaries({"strategy": st.sampled_from(WORDS)}) | anything, max_size=3),
        "probes": st.lists(texts, max_size=3),
    },
    ("POST", "sessions/s/replays/"): {
        "strategies": st.lists(st.fixed_dictionaries({"strategy": st.sampled_from(WORDS)}) | anything, max_size=3),
        "limit_tokens": anything,
        "trigger": st.floats(),
        "prices": st.dictionaries(names, anything, max_size=3),
        "cache_ttl_s": anything,
    },
    ("POST", "sessions/s/recovery/"): {"reason": texts, "dry_run": st.booleans()},
    ("POST", "compress/"): {
        "strategy": st.sampled_from(WORDS),
        "messages": st.lists(messages, max_size=6),
        "params": st.dictionaries(names, anything, max_size=3),
    },
}


HISTORY = [system(), user(), *react_rounds(5, size=60), says(), user(), calls("a", "b"), reply("b")]
"""Something can be compressed in it, and a call is open."""


def send(method: str, path: str, raw: bytes, **headers: str) -> None:
    api = operator()
    session_id = api.create(*HISTORY)
    before = all_tables()
    answer = api.call(method, path.replace("/s/", f"/{session_id}/"), raw=raw, **headers)
    assert answer.status < 500, (raw[:2000], answer.content)
    if answer.status >= 400:
        assert answer.slug
        assert all_tables() == before
    api.delete(f"sessions/{session_id}/", if_match="*")


@pytest.mark.parametrize(("method", "path"), MEMBERS)
@given(data=st.data())
@settings(max_examples=25)
def test_any_object_is_taken_or_refused(method: str, path: str, data: st.DataObject) -> None:
    members = MEMBERS[method, path]
    likely = st.fixed_dictionaries({}, optional={name: value | anything for name, value in members.items()})
    body = data.draw(likely | st.dictionaries(names, anything, max_size=4))
    send(method, path, json.dumps(body).encode())


@given(raw=st.binary(max_size=60) | st.text('[]{}",:0123456789.eE+-nulltrefas\\u \n', max_size=40).map(str.encode))
@settings(max_examples=30)
def test_any_bytes_are_taken_or_refused(raw: bytes) -> None:
    send("POST", "sessions/s/frames/", raw)


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("sessions/", ["search", "state", "label", "ordering", "cursor", "limit"]),
        ("sessions/s/frames/", ["after_seq", "before_seq", "limit", "role", "tool", "errors", "search"]),
        ("sessions/s/context/", ["version", "at_seq", "after_position", "limit"]),
    ],
)
@given(data=st.data())
@settings(max_examples=25)
def test_any_query_is_answered_or_refused(path: str, parameters: list[str], data: st.DataObject) -> None:
    api = operator()
    path = path.replace("/s/", f"/{api.create(*HISTORY)}/")
    values = st.text(max_size=10) | st.integers().map(str) | st.sampled_from(["user", "true", "%", "_", "\\", '"'])
    query = data.draw(st.dictionaries(st.sampled_from(parameters), values, max_size=3))
    answer = api.get(path + "?" + "&".join(f"{name}={quote(value)}" for name, value in query.items()))
    assert answer.status in (200, 400, 404), answer.content


@given(
    value=st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=40)
    | st.from_regex(r'(W/)?"[0-9]{1,25}\.[0-9]{1,25}(\.[0-9a-f]{16})?"', fullmatch=True)
)
@settings(max_examples=12)
def test_any_header_is_taken_or_refused(value: str) -> None:
    raw = json.dumps({"messages": [reply("a")]}).encode()
    send("POST", "sessions/s/frames/", raw, if_match=value)
    send("POST", "sessions/s/frames/", raw, idempotency_key=value)
    send("POST", "sessions/s/frames/", raw, content_type=value)
    send("POST", "sessions/s/frames/", raw, accept=value)
