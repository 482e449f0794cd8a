"""What a session is made with and changed to, each wrong in one way."""

from typing import Any

import pytest

from tests.api.client import operator
from tests.api.refusals import refused
from tests.builders import user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

BAD_CREATIONS: list[tuple[dict[str, Any], str]] = [
    ({"session_id": ""}, "/session_id"),
    ({"session_id": "."}, "/session_id"),
    ({"session_id": ".."}, "/session_id"),
    ({"session_id": "a/b"}, "/session_id"),
    ({"session_id": "a b"}, "/session_id"),
    ({"session_id": "a\n"}, "/session_id"),
    ({"session_id": "é"}, "/session_id"),
    ({"session_id": "a%20b"}, "/session_id"),
    ({"session_id": "\x00"}, "/session_id"),
    ({"session_id": "x" * 201}, "/session_id"),
    ({"session_id": 5}, "/session_id"),
    ({"session_id": ["a"]}, "/session_id"),
    ({"metadata": {}}, "/metadata"),
    ({"owner": 1}, "/owner"),
    ({"messages": None}, "/messages"),
    ({"messages": {}}, "/messages"),
    ({"messages": "x"}, "/messages"),
    ({"messages": [user()] * 1001}, "/messages"),
]
BAD_SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"title": None}, "/title"),
    ({"title": 5}, "/title"),
    ({"title": "x" * 201}, "/title"),
    ({"title": "a\x00b"}, "/title"),
    ({"title": "\ud800"}, "/title"),
    ({"labels": None}, "/labels"),
    ({"labels": "x"}, "/labels"),
    ({"labels": {"a": 1}}, "/labels"),
    ({"labels": ["x", 5]}, "/labels/1"),
    ({"labels": ["x", None]}, "/labels/1"),
    ({"labels": [""]}, "/labels/0"),
    ({"labels": ["x" * 51]}, "/labels/0"),
    ({"labels": ["ok", "a\x00"]}, "/labels/1"),
    ({"labels": ["\udfff"]}, "/labels/0"),
    ({"labels": [f"l{n}" for n in range(21)]}, "/labels"),
    ({"keep_context_history": 1}, "/keep_context_history"),
    ({"keep_context_history": "true"}, "/keep_context_history"),
    ({"keep_context_history": None}, "/keep_context_history"),
    ({"require_head": 0}, "/require_head"),
    ({"require_head": []}, "/require_head"),
    ({"compression_policy": []}, "/compression_policy"),
    ({"compression_policy": "digest"}, "/compression_policy"),
    ({"compression_policy": {"x": 1}}, "/compression_policy/x"),
    ({"compression_policy": {"limit_tokens": 0}}, "/compression_policy/limit_tokens"),
    ({"compression_policy": {"limit_tokens": -5}}, "/compression_policy/limit_tokens"),
    ({"compression_policy": {"limit_tokens": "128000"}}, "/compression_policy/limit_tokens"),
    ({"compression_policy": {"limit_tokens": 10**40}}, "/compression_policy/limit_tokens"),
    ({"compression_policy": {"limit_tokens": True}}, "/compression_policy/limit_tokens"),
    ({"compression_policy": {"trigger": 0}}, "/compression_policy/trigger"),
    ({"compression_policy": {"trigger": -0.5}}, "/compression_policy/trigger"),
    ({"compression_policy": {"trigger": "0.8"}}, "/compression_policy/trigger"),
    ({"compression_policy": {"trigger": None}}, "/compression_policy/trigger"),
    ({"compression_policy": {"target": 0}}, "/compression_policy/target"),
    ({"compression_policy": {"target": 0.9, "trigger": 0.5}}, "/compression_policy/target"),
    ({"compression_policy": {"strategy": "nope"}}, "/compression_policy/strategy"),
    ({"compression_policy": {"strategy": "restore"}}, "/compression_policy/strategy"),
    ({"compression_policy": {"strategy": None}}, "/compression_policy/strategy"),
    ({"compression_policy": {"params": []}}, "/compression_policy/params"),
    (
        {"compression_policy": {"strategy": "digest", "params": {"x": 1}}},
        "/compression_policy/params/x",
    ),
    ({"compression_policy": {"auto": "yes"}}, "/compression_policy/auto"),
    (
        {"compression_policy": {"strategy": "summarize", "params": {"fallback": "none"}, "auto": True}},
        "/compression_policy/auto",
    ),
]


@pytest.mark.parametrize(("body", "pointer"), [*BAD_CREATIONS, *BAD_SETTINGS])
def test_a_creation_says_what_is_wrong(body: dict[str, Any], pointer: str) -> None:
    api = operator()
    before = all_tables()
    assert refused(api.post("sessions/", {"messages": [user()], **body}), before) == [pointer]


@pytest.mark.parametrize(("body", "pointer"), [*BAD_SETTINGS, ({"session_id": "t"}, "/session_id")])
def test_a_change_says_what_is_wrong_and_changes_nothing_else(body: dict[str, Any], pointer: str) -> None:
    api = operator()
    api.create(user(), session_id="s", title="as it was")
    before = all_tables()
    good = {"title": "new"} if "title" not in body else {"labels": ["new"]}
    assert refused(api.patch("sessions/s/", {**good, **body}), before) == [pointer]


def test_a_body_at_the_limit_of_a_title_and_labels_is_taken() -> None:
    api = operator()
    labels = [f"{n:02}" + "签" * 48 for n in range(20)]
    created = api.post("sessions/", {"title": "题" * 200, "labels": labels, "session_id": "Az09._:@~-" * 20})
    assert created.status == 201
    assert api.get(f"sessions/{'Az09._:@~-' * 20}/").json["labels"] == labels
