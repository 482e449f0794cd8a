"""Compressions, recoveries and pasted lists, each wrong in one way."""

from typing import Any

import pytest

from tests.api.client import operator
from tests.api.refusals import refused
from tests.builders import calls, reply, says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/strategy"),
        ({"strategy": None}, "/strategy"),
        ({"strategy": 5}, "/strategy"),
        ({"strategy": "nope"}, "/strategy"),
        ({"strategy": "\ud800"}, "/strategy"),
        ({"strategy": "digest", "params": None}, "/params"),
        ({"strategy": "digest", "params": []}, "/params"),
        ({"strategy": "digest", "params": {"x": 1}}, "/params/x"),
        ({"strategy": "digest", "params": {"a/b": 1}}, "/params/a~1b"),
        ({"strategy": "digest", "params": {"max_tokens": "5"}}, "/params/max_tokens"),
        ({"strategy": "digest", "params": {"max_tokens": 10**40}}, "/params/max_tokens"),
        ({"strategy": "sliding_window", "params": {"protect_rounds": 0}}, "/params/protect_rounds"),
        ({"strategy": "sliding_window", "params": {"protect_rounds": 1.5}}, "/params/protect_rounds"),
        ({"strategy": "sliding_window", "params": {"protect_rounds": True}}, "/params/protect_rounds"),
        ({"strategy": "clear_tool_results", "params": {"exclude_tools": "run"}}, "/params/exclude_tools"),
        ({"strategy": "digest", "dry_run": "yes"}, "/dry_run"),
        ({"strategy": "digest", "dry_run": None}, "/dry_run"),
        ({"strategy": "restore"}, "/params/version"),
        ({"strategy": "restore", "params": {"version": None}}, "/params/version"),
        ({"strategy": "restore", "params": {"version": 1.0}}, "/params/version"),
    ],
)
def test_a_compression_says_what_is_wrong(body: dict[str, Any], pointer: str) -> None:
    api = operator()
    api.create(user(), calls("a"), reply("a"), says(), session_id="s")
    before = all_tables()
    assert refused(api.post("sessions/s/compressions/", body), before) == [pointer]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"reason": ""}, "/reason"),
        ({"reason": "boredom"}, "/reason"),
        ({"reason": 5}, "/reason"),
        ({"dry_run": 1}, "/dry_run"),
    ],
)
def test_a_recovery_says_what_is_wrong(body: dict[str, Any], pointer: str) -> None:
    api = operator()
    api.create(user(), calls("a"), session_id="s")
    before = all_tables()
    assert refused(api.post("sessions/s/recovery/", body), before) == [pointer]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/messages"),
        ({"messages": [], "strategy": "digest"}, "/messages"),
        ({"messages": {}, "strategy": "digest"}, "/messages"),
        ({"messages": [user(), 5], "strategy": "digest"}, "/messages/1"),
        ({"messages": [user(), {"role": "x"}], "strategy": "digest"}, "/messages/1/role"),
        ({"messages": [user()], "strategy": "restore"}, "/strategy"),
        ({"messages": [user()], "strategy": "digest", "params": {"x": 1}}, "/params/x"),
    ],
)
def test_a_pasted_list_says_what_is_wrong(body: dict[str, Any], pointer: str) -> None:
    api = operator()
    before = all_tables()
    assert refused(api.post("compress/", body), before)[0] == pointer
