"""The strategies that stand side by side, as an address says them: what is read, what is wrong, the shortest form."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from inspector.slots import (
    USUAL,
    Slot,
    are_right,
    canonical,
    choices_of,
    params_of,
    slots_form,
    slots_from,
    unheard,
    usual,
)
from sessions_app.compression import parse_policy


def slots(query: str, **options: Any) -> tuple[Slot, ...]:
    return slots_from(QueryDict(query), **options)


def names(found: tuple[Slot, ...]) -> list[tuple[int, str]]:
    return [(slot.number, slot.name) for slot in found]


def errors(slot: Slot) -> dict[str, str]:
    return {field.name: field.error for field in slot.fields if field.error}


def test_a_slot_has_the_parameters_that_the_address_names_and_the_defaults_of_the_others() -> None:
    (slot,) = slots("s1=digest&s1.protect_rounds=2")
    assert [c.params_json for c in choices_of([slot])] == [{"protect_rounds": 2, "max_tokens": 2000}]
    assert {f.name: f.value for f in slot.fields} == {"s1.protect_rounds": "2", "s1.max_tokens": "2000"}


def test_slots_are_numbered_without_gaps() -> None:
    assert names(slots("s2=digest&s5=sliding_window")) == [(1, "digest"), (2, "sliding_window")]


def test_an_address_without_slots_shows_the_default() -> None:
    assert names(slots("probe=a", default=[("digest", {}), ("sliding_window", {})])) == [
        (1, "digest"),
        (2, "sliding_window"),
    ]


def test_more_than_six_are_not_read() -> None:
    query = urlencode([(f"s{n}", "digest") for n in range(1, 9)])
    assert len(slots(query)) == 6


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("s1=digest&s1.protect_rounds=x", "s1.protect_rounds"),
        ("s1=digest&s1.protect_rounds=0", "s1.protect_rounds"),
        (f"s1=digest&s1.protect_rounds={'9' * 5000}", "s1.protect_rounds"),
        ("s1=sliding_window&s1.protect_rounds=1.5", "s1.protect_rounds"),
        ("s1=digest&s1.max_tokens=NaN", "s1.max_tokens"),
    ],
)
def test_what_is_wrong_stands_at_its_field(query: str, field: str) -> None:
    (slot,) = slots(query)
    assert (slot.choice, list(errors(slot))) == (None, [field])
    assert not are_right([slot])


def test_a_strategy_that_is_not_there_is_said_in_its_slot() -> None:
    right, wrong = slots("s1=digest&s2=none%00such")
    assert right.choice and not right.errors
    assert (wrong.choice, wrong.errors) == (None, ("There is no strategy of this name.",))


def test_a_parameter_of_the_strategy_that_stood_in_the_slot_before_is_no_fault() -> None:
    (slot,) = slots("s1=sliding_window&s1.max_tokens=300")
    assert slot.choice and slot.choice.params_json == {"protect_rounds": 3}


def test_the_shortest_form_leaves_defaults_out_and_says_the_same() -> None:
    given = "s1=digest&s1.protect_rounds=3&s1.max_tokens=900&s2=clear_tool_results&s2.clear_inputs=on"
    given += "&s2.exclude_tools=read_file%0D%0Asearch"
    pairs = canonical(slots(given))
    assert pairs == [
        ("s1", "digest"),
        ("s1.max_tokens", "900"),
        ("s2", "clear_tool_results"),
        ("s2.exclude_tools", "read_file\nsearch"),
        ("s2.clear_inputs", "on"),
    ]
    assert [c.params_json for c in choices_of(slots(urlencode(pairs)))] == [
        c.params_json for c in choices_of(slots(given))
    ]


def test_a_box_that_is_not_ticked_says_so_by_standing_in_the_form() -> None:
    (slot,) = slots("s1=clear_tool_results&s1.clear_inputs=")
    assert slot.choice and slot.choice.params_json["clear_inputs"] is False
    (ticked,) = slots("s1=clear_tool_results&s1.clear_inputs=&s1.clear_inputs=on")
    assert ticked.choice and ticked.choice.params_json["clear_inputs"] is True


def test_what_is_wrong_stays_in_the_address_as_it_was_given() -> None:
    assert canonical(slots("s1=digest&s1.protect_rounds=x")) == [("s1", "digest"), ("s1.protect_rounds", "x")]


def test_a_form_is_sent_all_parameters() -> None:
    (slot,) = slots("s1=digest&s1.protect_rounds=2")
    assert params_of(slot, prefix="p.") == [("p.protect_rounds", "2"), ("p.max_tokens", "2000")]


def test_a_slot_is_added_and_removed_by_the_form_without_losing_the_others() -> None:
    form = "s1=digest&s1.protect_rounds=2&s2=sliding_window&s2.protect_rounds=5"
    added = slots(f"{form}&add=clear_tool_results")
    assert names(added) == [(1, "digest"), (2, "sliding_window"), (3, "clear_tool_results")]
    (left,) = slots(f"{form}&remove=1")
    assert left.choice and (left.number, left.name) == (1, "sliding_window")
    assert left.choice.params_json == {"protect_rounds": 5}


def test_when_six_stand_there_none_can_be_added() -> None:
    query = urlencode([(f"s{n}", "digest") for n in range(1, 7)])
    assert len(slots(f"{query}&add=digest")) == 6
    assert slots_form(slots(query)).offers == ()
    assert slots_form(slots("s1=digest")).offers


def test_the_usual_choice_begins_with_the_policy_of_the_session() -> None:
    policy = parse_policy({"strategy": "digest", "params": {"protect_rounds": 1}}, "")
    assert usual(policy)[0] == ("digest", {"protect_rounds": 1})
    assert ("digest", {}) in usual(policy)
    plain = usual(parse_policy({"strategy": "digest"}, ""))
    assert [name for name, _ in plain].count("digest") == 1
    assert tuple(name for name, _ in usual("")) == USUAL


def test_trigger_and_target_of_the_policy_are_those_of_the_strategies_that_go_by_them() -> None:
    policy = parse_policy({"trigger": 0.5, "target": 0.4, "params": {"target": 0.3}}, "")
    assert dict(usual(policy, others=("trim_to_target", "digest"))) == {
        "cascade": {"trigger": 0.5, "target": 0.3},
        "trim_to_target": {"target": 0.4},
        "digest": {},
    }


def test_a_parameter_that_the_page_sets_is_no_field_and_in_no_address() -> None:
    [slot] = slots_from(QueryDict("s1=cascade&s1.target=0.2"), fixed={"trigger": 0.4})
    assert slot.choice is not None
    assert slot.choice.params_json == {"trigger": 0.4, "target": 0.2, "protect_rounds": 3}
    assert [field.name for field in slot.fields] == ["s1.target", "s1.protect_rounds"]
    assert canonical([slot]) == [("s1", "cascade"), ("s1.target", "0.2")]


def test_a_policy_that_spells_out_the_defaults_is_not_shown_twice() -> None:
    policy = parse_policy({"strategy": "digest", "params": {"protect_rounds": 3}}, "")
    assert [name for name, _ in usual(policy)].count("digest") == 1


def test_what_is_passed_over_is_named() -> None:
    assert unheard(QueryDict("s1=digest&s1.protect_rounds=2&probe=s3.x&s2=nonesuch&s2.a=1")) == ()
    assert unheard(QueryDict("s1=digest&s1.size=2")) == ("s1.size is no parameter of digest.",)
    assert len(unheard(QueryDict("s0=digest&s7.a=1&s3.b=1"))) == 3


def test_a_strategy_without_its_model_is_offered_with_what_it_does_instead() -> None:
    notes = {offer.name: offer.note for offer in slots_form(slots("s1=digest")).offers}
    assert (notes["summarize"], notes["digest"]) == ("no model: by its digest", "")
