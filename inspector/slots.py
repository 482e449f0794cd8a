"""The strategies that a page puts side by side, each with its parameters, as the address says them.

`s1=digest&s1.protect_rounds=2&s2=sliding_window`: a slot each, at most six. A parameter that is left out has its
default. `add=NAME` and `remove=2` are the buttons of the form: what they ask for is done while the address is read, so
that what was filled in elsewhere in the form is not lost.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from inspector.forms_strategy import Field, Schema, errors_by_field, fields_of, params_from, sent_as
from inspector.presenters.shown import text
from inspector.wording import in_words
from sessions_app import engine
from sessions_app.compression import Strategy, UnknownStrategy, describe, find, load_policy, parse_params, strategies
from sessions_app.compression.choices import MOST, Choice

NAMES: Final = 100
"""Characters of a strategy's name that is none."""
USUAL: Final = ("digest", "clear_tool_results", "truncate_tool_results", "sliding_window")
"""What is put side by side before anybody chose: one of each kind."""

NUMBERED: Final = frozenset(f"s{n}" for n in range(1, MOST + 1))
KEYS: Final = 200
"""Names in an address that are looked at."""

Asked = tuple[str, Mapping[str, Any]]
"""The name of a strategy and its parameters, as JSON values."""


@dataclass(frozen=True, slots=True)
class Slot:
    """`choice` is None where something is wrong: `errors` and those at the fields say what. `given`: the parameters as
    they were filled in, `schema`: what they can be. `why_not`: why the strategy cannot be applied here and now.
    """

    number: int
    name: str
    choice: Choice | None
    given: Mapping[str, Any]
    schema: Schema
    summary: str = ""
    why_not: str = ""
    fields: tuple[Field, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """A strategy that can be added. `note`: what is to be known where it needs what is not there."""

    name: str
    note: str


@dataclass(frozen=True, slots=True)
class SlotsForm:
    """What `_slots.html` shows. `offers` is empty where no slot is free."""

    slots: tuple[Slot, ...]
    offers: tuple[Offer, ...]
    most: int = MOST


def slots_from(
    query: QueryDict, *, default: Sequence[Asked] = (), fixed: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Slot, ...]:
    """The slots that the address names, numbered from 1 without gaps; `default` where it speaks of none. No fault is
    raised: each stands in its slot. `fixed`: parameters that the page itself sets for those that have them; they are no
    fields, and stand in no address.
    """
    numbers = [n for n in range(1, MOST + 1) if query.get(f"s{n}")]
    wanted: list[Asked] = [_read(query, n) for n in numbers if query.get("remove") != str(n)]
    if not numbers and "remove" not in query:
        wanted = list(default[:MOST])
    added = query.get("add", "")
    if added and len(wanted) < MOST:
        wanted.append((added, {}))
    return tuple(_slot(n, name, given, fixed) for n, (name, given) in enumerate(wanted, start=1))


def slots_form(slots: tuple[Slot, ...]) -> SlotsForm:
    offers = tuple(Offer(s.name, _note(s)) for s in strategies()) if len(slots) < MOST else ()
    return SlotsForm(slots, offers)


def unheard(query: QueryDict) -> tuple[str, ...]:
    """What the address says of slots and is passed over, each in a sentence."""
    said = []
    for key in list(query)[:KEYS]:
        slot, _dot, member = key.partition(".")
        if not (slot[:1] == "s" and slot[1:].isdecimal()):
            continue
        values = {"key": text(key, limit=NAMES), "slot": text(slot, limit=NAMES), "most": MOST}
        name = query.get(slot, "") if slot in NUMBERED else ""
        if slot not in NUMBERED:
            said.append(_("%(key)s is passed over: the strategies are s1 to s%(most)s.") % values)
        elif member and not name:
            said.append(_("%(key)s is passed over: there is no %(slot)s.") % values)
        elif member and _is_there(name) and member not in describe(find(name))["params_schema"].get("properties", {}):
            said.append(_("%(key)s is no parameter of %(name)s.") % {**values, "name": name})
    return tuple(said)


def choices_of(slots: Iterable[Slot]) -> tuple[Choice, ...]:
    """The choices of the slots that are right."""
    return tuple(slot.choice for slot in slots if slot.choice is not None)


def are_right(slots: Iterable[Slot]) -> bool:
    return all(slot.choice is not None for slot in slots)


def canonical(slots: Iterable[Slot]) -> list[tuple[str, str]]:
    """The slots as an address says them, as (name, value): parameters at their default are left out."""
    pairs: list[tuple[str, str]] = []
    for slot in slots:
        defaults = {name: m["default"] for name, m in slot.schema.get("properties", {}).items() if "default" in m}
        others = {k: v for k, v in _values(slot).items() if k not in defaults or v != defaults[k]}
        pairs += [(f"s{slot.number}", slot.name), *_sent(slot, others, f"s{slot.number}.")]
    return pairs


def params_of(slot: Slot, *, prefix: str) -> list[tuple[str, str]]:
    """All of its parameters, as a form sends them."""
    return _sent(slot, _values(slot), prefix)


def usual(policy_text: str, *, others: Sequence[str] = USUAL) -> tuple[Asked, ...]:
    """What is shown before anybody chose: the session's own policy, and `others`. Those that are not there are left
    out.
    """
    policy, there = load_policy(policy_text), {s.name for s in strategies()}
    own: list[Asked] = [(policy.strategy, policy.params)] if policy else []
    asked = [(name, given) for name, given in (*own, *((name, {}) for name in others)) if name in there]
    if policy:
        asked = [(name, {**policy.shared(find(name)), **given}) for name, given in asked]
    return tuple(one for i, one in enumerate(asked) if not any(_same(one, other) for other in asked[:i]))[:MOST]


def _same(one: Asked, other: Asked) -> bool:
    """Whether both ask for the same, defaults filled in."""
    if one[0] != other[0]:
        return False
    strategy = find(one[0])
    try:
        return parse_params(strategy, one[1]) == parse_params(strategy, other[1])
    except engine.InvalidInput:
        return False  # its parameters changed since the policy was set: its slot says what is wrong


def _note(strategy: Strategy) -> str:
    if strategy.available:
        return ""
    return _("no model: by its digest") if strategy.stands_in else _("cannot be applied here")


def _is_there(name: str) -> bool:
    return any(strategy.name == name for strategy in strategies())


def _values(slot: Slot) -> Mapping[str, Any]:
    return slot.choice.params_json if slot.choice else slot.given


def _sent(slot: Slot, values: Mapping[str, Any], prefix: str) -> list[tuple[str, str]]:
    members = slot.schema.get("properties", {})
    return [(prefix + name, sent_as(slot.schema, name, value)) for name, value in values.items() if name in members]


def _read(query: QueryDict, number: int) -> Asked:
    name, prefix = query.get(f"s{number}", ""), f"s{number}."
    try:
        schema = describe(find(name))["params_schema"]
    except UnknownStrategy:
        return name, {}
    # What is not in the address has its default.
    sent = {key: member for key, member in schema.get("properties", {}).items() if prefix + key in query}
    return name, params_from({**schema, "properties": sent}, query, prefix=prefix)


def _slot(number: int, name: str, given: Mapping[str, Any], fixed: Mapping[str, Any]) -> Slot:
    try:
        strategy = find(name)
    except UnknownStrategy:
        said = _("There is no strategy of this name.")
        return Slot(number, text(name, limit=NAMES), None, {}, {}, errors=(said,))
    declared = describe(strategy)["params_schema"]
    members = declared.get("properties", {})
    set_here = {member: value for member, value in fixed.items() if member in members}
    schema = {**declared, "properties": {key: m for key, m in members.items() if key not in set_here}}
    slot = Slot(number, name, None, given, schema, summary=in_words(strategy.summary), why_not=in_words(strategy.why))
    try:
        slot = replace(slot, choice=Choice(strategy, parse_params(strategy, {**given, **set_here})))
        faults: dict[str, str] = {}
    except engine.InvalidInput as e:
        faults = errors_by_field(e)
        slot = replace(slot, errors=_elsewhere(e, faults, schema))
    return replace(slot, fields=fields_of(schema, values=given, errors=faults, prefix=f"s{number}."))


def _elsewhere(error: engine.InvalidInput, faults: Mapping[str, str], schema: Schema) -> tuple[str, ...]:
    """What is wrong and stands at no field: a rule about several parameters, or one that the strategy does not have."""
    if faults and faults.keys() <= schema.get("properties", {}).keys():
        return ()
    return tuple(text(f"{f.pointer} {in_words(f.detail)}".strip(), limit=400) for f in error.faults[:8])
