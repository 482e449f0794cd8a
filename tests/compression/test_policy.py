import json
from typing import Any

import pytest

from sessions_app.compression import find, is_due, limit_of, load_policy, parse_policy
from sessions_app.engine import InvalidInput

DEFAULTS = {
    "limit_tokens": 128_000,
    "trigger": 0.8,
    "target": 0.6,
    "strategy": "cascade",
    "params": {},
    "auto": False,
}


def test_members_left_out_get_their_default_on_creation() -> None:
    assert json.loads(parse_policy({}, "")) == DEFAULTS


def test_members_left_out_keep_their_value_on_change() -> None:
    current = parse_policy({"limit_tokens": 1_000, "strategy": "digest", "params": {"max_tokens": 300}}, "")
    changed = json.loads(parse_policy({"trigger": 700}, current))
    assert changed == {
        **DEFAULTS,
        "limit_tokens": 1_000,
        "strategy": "digest",
        "params": {"max_tokens": 300},
        "trigger": 700,
    }


def test_null_clears_the_policy() -> None:
    assert parse_policy(None, parse_policy({}, "")) == ""


def test_the_stored_form_is_compact_and_reads_back() -> None:
    params = {"exclude_tools": ["字"]}
    text = parse_policy({"strategy": "clear_tool_results", "params": params}, "")
    assert ": " not in text
    policy = load_policy(text)
    assert policy is not None
    assert policy.model_dump() == {**DEFAULTS, "strategy": "clear_tool_results", "params": params}
    assert load_policy("") is None


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        ([], ""),
        ({"limit": 1}, "/limit"),
        ({"limit_tokens": 0}, "/limit_tokens"),
        ({"limit_tokens": "128000"}, "/limit_tokens"),
        ({"limit_tokens": True}, "/limit_tokens"),
        ({"limit_tokens": 10**400}, "/limit_tokens"),
        ({"trigger": 0}, "/trigger"),
        ({"trigger": -1}, "/trigger"),
        ({"trigger": 10**400}, "/trigger"),
        ({"trigger": "0.8"}, "/trigger"),
        ({"trigger": True}, "/trigger"),
        ({"trigger": 0.5, "target": 0.6}, "/target"),
        ({"trigger": 0.5, "target": 64_001}, "/target"),
        ({"trigger": float("nan")}, ""),
        ({"strategy": "best"}, "/strategy"),
        ({"strategy": 3}, "/strategy"),
        ({"params": []}, "/params"),
        ({"strategy": "digest", "params": {"protect_rounds": 0}}, "/params/protect_rounds"),
        ({"strategy": "digest", "params": {"rounds": 1}}, "/params/rounds"),
        ({"params": {"rounds": 1}}, "/params/rounds"),
        ({"strategy": "pipeline", "params": {"steps": ["digest", "best"]}}, "/params/steps/1/strategy"),
        ({"auto": 1}, "/auto"),
    ],
)
def test_a_bad_member_is_refused_by_pointer(raw: Any, pointer: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_policy(raw, "")
    assert [f.pointer for f in caught.value.faults] == ["/compression_policy" + pointer]


def test_a_strategy_that_needs_no_model_may_run_by_itself() -> None:
    assert json.loads(parse_policy({"strategy": "digest", "auto": True}, ""))["auto"] is True


def test_one_that_cannot_do_without_a_model_may_not() -> None:
    with pytest.raises(InvalidInput, match=r"summarize, .* none is asked: use cascade or digest") as caught:
        parse_policy({"strategy": "summarize", "params": {"fallback": "none"}, "auto": True}, "")
    assert [f.pointer for f in caught.value.faults] == ["/compression_policy/auto"]


def test_a_trigger_below_the_target_that_nobody_named_is_taken_and_is_the_target_too() -> None:
    text = parse_policy({"trigger": 0.5}, "")
    policy = load_policy(text)
    assert policy is not None
    assert (policy.trigger, policy.target) == (0.5, 0.6)
    assert policy.shared(find("cascade")) == {"trigger": 0.5, "target": 0.5}
    assert load_policy(parse_policy({"trigger": 500, "limit_tokens": 1_000}, "")) is not None
    assert load_policy(parse_policy({"trigger": 0.4}, text)) is not None


def test_target_may_equal_trigger_also_where_one_is_in_tokens() -> None:
    policy = load_policy(parse_policy({"trigger": 0.5, "target": 64_000}, ""))
    assert policy is not None
    assert policy.target_tokens == policy.trigger_tokens == 64_000


def test_a_stored_policy_that_says_nothing_of_a_member_has_its_default() -> None:
    """It can come from who calls the engine without `parse_policy`."""
    assert limit_of('{"auto":true}') == 128_000
    assert is_due(policy_text='{"limit_tokens":1000}', context_tokens=800)
    assert not is_due(policy_text='{"limit_tokens":1000}', context_tokens=799)


def test_a_session_without_policy_is_never_due() -> None:
    assert not is_due(policy_text="", context_tokens=10**9)


@pytest.mark.parametrize(("trigger", "at"), [(0.8, 800), (1, 1_000), (1.5, 2), (500, 500)])
def test_a_window_is_due_from_the_trigger_on(trigger: float, at: int) -> None:
    text = parse_policy({"limit_tokens": 1_000, "trigger": trigger, "target": min(trigger, 0.001)}, "")
    assert is_due(policy_text=text, context_tokens=at)
    assert not is_due(policy_text=text, context_tokens=at - 1)


def test_the_limit_is_that_of_the_policy_or_the_default() -> None:
    assert limit_of(parse_policy({"limit_tokens": 5}, "")) == 5
    assert limit_of("") == 128_000
