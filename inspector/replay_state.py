"""What the address of a replay says: strategies in their slots, and on which terms they are replayed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from inspector.forms_strategy import errors_by_field, params_from
from inspector.presenters.shown import text
from inspector.replay_terms import NAMES, SCHEMA, Group, Numbers, groups_of, usual_numbers
from inspector.slots import USUAL, Slot, are_right, canonical, slots_from, usual
from sessions_app import engine
from sessions_app.compression.choices import MOST
from sessions_app.compression.parameters import validate
from sessions_app.compression.replay import Terms

AT_ONCE: Final = 1_000
"""Frames up to which a replay is made before anybody asked for it."""
FORMS: Final = ("csv", "json")
OF_FORM: Final = ("add", "remove")
"""Buttons of the form: they are answered by the address that says the same, so that a reload does nothing again."""

_KNOWN: Final = frozenset({*OF_FORM, *NAMES, "go", "edit", "format"})
_MOST_STRANGE: Final = 8
"""Unknown parameters that the page names."""


@dataclass(frozen=True, slots=True)
class ReplayState:
    """`terms` is None where a number is wrong: `groups` say which. `is_asked`: somebody pressed the button.
    `given`: the numbers as they were filled in. `is_edited`: the form stands open. `form`: the file that is asked for,
    empty for the page. `is_limit_open`: neither the address nor a policy says a limit. `strange`: what the address
    says and nothing here understands.
    """

    session_id: str
    slots: tuple[Slot, ...]
    terms: Terms | None
    groups: tuple[Group, ...]
    given: Mapping[str, Any]
    is_asked: bool
    is_edited: bool
    form: str
    is_limit_open: bool
    strange: tuple[str, ...]

    @classmethod
    def of(cls, state: engine.SessionState, query: QueryDict) -> "ReplayState":
        given = usual_numbers(state.compression_policy) | params_from(SCHEMA, query, prefix="")
        terms, errors = _terms_of(given)
        # A strategy that goes by a trigger goes by that of the replay: it is tried there and nowhere else.
        slots = slots_from(
            query,
            default=usual(state.compression_policy, others=(*USUAL, "cascade")),
            fixed={"trigger": terms.trigger} if terms is not None else {},
        )
        return cls(
            session_id=state.session_id,
            slots=slots,
            terms=terms,
            groups=groups_of(given, errors),
            given=given,
            is_asked="go" in query,
            is_edited="edit" in query,
            form=query.get("format", "") if query.get("format") in FORMS else "",
            is_limit_open=not state.compression_policy and not query.get("limit", "").strip(),
            strange=_strange(query, slots),
        )

    @property
    def is_right(self) -> bool:
        """Whether it can be replayed as it is asked for."""
        return self.terms is not None and bool(self.slots) and are_right(self.slots)

    @property
    def is_wrong(self) -> bool:
        """Whether something was filled in that cannot be."""
        return self.terms is None or not are_right(self.slots)

    @property
    def slots_query(self) -> str:
        """The slots alone, as another page of the session takes them."""
        return "?" + urlencode(canonical(self.slots))

    def with_limit(self, limit: int) -> "ReplayState":
        """The same under another limit, which its addresses say from here on. Its terms are right."""
        given = {**self.given, "limit": limit}
        terms, errors = _terms_of(given)
        return replace(self, terms=terms, given=given, groups=groups_of(given, errors), is_limit_open=False)

    def url(self, *, form: str = "", is_edited: bool = False, **numbers: float) -> str:
        """The address of this replay, with some of its numbers changed, or of the file of it."""
        told = {name: n for name, n in self.given.items() if not (name == "limit" and self.is_limit_open)}
        pairs = [*canonical(self.slots), *((name, str(value)) for name, value in {**told, **numbers}.items())]
        pairs += [("format", form)] if form else [("edit", "1")] if is_edited else [("go", "1")]
        return f"{reverse('session_replay', args=[self.session_id])}?{urlencode(pairs)}"


def _terms_of(given: Mapping[str, Any]) -> tuple[Terms | None, dict[str, str]]:
    try:
        return validate(Numbers, dict(given), at="/params", owner="a replay").terms, {}
    except engine.InvalidInput as e:
        return None, errors_by_field(e)


def _strange(query: QueryDict, slots: tuple[Slot, ...]) -> tuple[str, ...]:
    """A misspelt parameter would else be passed over, and its default taken for what was asked."""
    numbers = [n for n in range(1, MOST + 1) if query.get(f"s{n}") and query.get("remove") != str(n)]
    known = {*_KNOWN, *(f"s{n}" for n in range(1, MOST + 1))}
    for n, slot in zip(numbers, slots, strict=False):
        known |= {f"s{n}.{name}" for name in slot.schema.get("properties", {})}
    unknown = [name for name in query if name not in known]
    if query.get("format") and query["format"] not in FORMS:
        unknown.append(f"format={query['format']}")
    return tuple(text(name, limit=60) for name in unknown[:_MOST_STRANGE])
