"""What the address of a replay says: strategies in their slots, and on which terms they are replayed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, ConfigDict
from pydantic import Field as Bounded

from inspector.forms_strategy import Field, errors_by_field, fields_of, params_from
from inspector.slots import USUAL, Slot, are_right, canonical, slots_from, usual
from sessions_app import engine
from sessions_app.compression.parameters import validate
from sessions_app.compression.policy import MOST_TOKENS, load_policy
from sessions_app.compression.replay import Prices, Terms

AT_ONCE: Final = 1_000
"""Frames up to which a replay is made before anybody asked for it."""
FORMS: Final = ("csv", "json")
OF_FORM: Final = ("add", "remove")
"""Buttons of the form: they are answered by the address that says the same, so that a reload does nothing again."""

PRESETS: Final = (
    (gettext_lazy("cache read 0.1, write 1.25, output 5"), Prices(0.1, 1.25, 5)),
    (gettext_lazy("no cache: 1, 1, 5"), Prices(1, 1, 5)),
    (gettext_lazy("cache read 0.25, write 1, output 4"), Prices(0.25, 1, 4)),
)
"""Prices to begin with, relative to a token of plain input. None of them is anybody's for long."""

_MOST_PRICE: Final = 1_000_000


class _Numbers(BaseModel):
    """The terms as their form has them; the names are those of its fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    limit: int = Bounded(ge=1, le=MOST_TOKENS)
    trigger: float = Bounded(gt=0, le=MOST_TOKENS)
    read: float = Bounded(ge=0, le=_MOST_PRICE)
    write: float = Bounded(ge=0, le=_MOST_PRICE)
    output: float = Bounded(ge=0, le=_MOST_PRICE)
    cache_life: float = Bounded(ge=0, le=MOST_TOKENS)
    cache_min: int = Bounded(ge=0, le=MOST_TOKENS)

    @classmethod
    def of(cls, terms: Terms) -> "_Numbers":
        return cls(
            limit=terms.limit_tokens,
            trigger=terms.trigger,
            read=terms.prices.read,
            write=terms.prices.write,
            output=terms.prices.output,
            cache_life=terms.cache_ttl_s,
            cache_min=terms.cache_min_tokens,
        )

    @property
    def terms(self) -> Terms:
        return Terms(
            limit_tokens=self.limit,
            trigger=self.trigger,
            prices=Prices(self.read, self.write, self.output),
            cache_ttl_s=self.cache_life,
            cache_min_tokens=self.cache_min,
        )


_SCHEMA: Final = _Numbers.model_json_schema()


@dataclass(frozen=True, slots=True)
class ReplayState:
    """`terms` is None where a number is wrong: `fields` say which. `is_asked`: somebody pressed the button.
    `given`: the numbers as they were filled in. `is_edited`: the form stands open. `form`: the file that is asked for,
    empty for the page.
    """

    session_id: str
    slots: tuple[Slot, ...]
    terms: Terms | None
    fields: tuple[Field, ...]
    given: Mapping[str, Any]
    is_asked: bool
    is_edited: bool
    form: str

    @classmethod
    def of(cls, state: engine.SessionState, query: QueryDict) -> "ReplayState":
        usual_terms = _numbers_of(state.compression_policy)
        given = usual_terms | params_from(_SCHEMA, query, prefix="")
        errors: dict[str, str] = {}
        terms: Terms | None = None
        try:
            terms = validate(_Numbers, given, at="/params", owner="a replay").terms
        except engine.InvalidInput as e:
            errors = errors_by_field(e)
        return cls(
            session_id=state.session_id,
            # A strategy that goes by a trigger goes by that of the replay: it is tried there and nowhere else.
            slots=slots_from(
                query,
                default=usual(state.compression_policy, others=(*USUAL, "cascade")),
                fixed={"trigger": terms.trigger} if terms is not None else {},
            ),
            terms=terms,
            fields=_in_words(fields_of(_SCHEMA, values=given, errors=errors, prefix="")),
            given=given,
            is_asked="go" in query,
            is_edited="edit" in query,
            form=query.get("format", "") if query.get("format") in FORMS else "",
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

    def url(self, *, form: str = "", is_edited: bool = False, **numbers: float) -> str:
        """The address of this replay, with some of its numbers changed, or of the file of it."""
        pairs = [*canonical(self.slots), *((name, str(value)) for name, value in {**self.given, **numbers}.items())]
        pairs += [("format", form)] if form else [("edit", "1")] if is_edited else [("go", "1")]
        return f"{reverse('session_replay', args=[self.session_id])}?{urlencode(pairs)}"


def _numbers_of(policy_text: str) -> dict[str, Any]:
    """What is not said: limit and trigger of the session's policy."""
    policy = load_policy(policy_text)
    terms = Terms(limit_tokens=policy.limit_tokens, trigger=policy.trigger) if policy else Terms()
    # 300 and not 300.0: so it would be filled in.
    numbers = _Numbers.of(terms).model_dump()
    return {name: int(value) if value == int(value) else value for name, value in numbers.items()}


def _in_words(fields: Iterable[Field]) -> tuple[Field, ...]:
    told = {
        "limit": (_("Limit, in tokens"), ""),
        "trigger": (_("Trigger"), _("Up to 1 a share of the limit, above 1 tokens.")),
        "read": (_("Read from the cache"), ""),
        "write": (_("Written to the cache"), ""),
        "output": (_("Output"), ""),
        "cache_life": (_("Life of the cache, in seconds"), ""),
        "cache_min": (_("Shortest cached prefix, in tokens"), ""),
    }
    return tuple(replace(f, label=told[f.name][0], help=told[f.name][1]) for f in fields)
