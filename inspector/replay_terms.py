"""The terms of a replay as its form has them: limit and trigger, prices, the cache."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, ConfigDict
from pydantic import Field as Bounded

from inspector.forms_strategy import Field, fields_of
from inspector.presenters.shown import text
from sessions_app.compression.policy import MOST_TOKENS, load_policy
from sessions_app.compression.replay import Prices, Terms

PRESETS: Final = (
    (gettext_lazy("cache read 0.1, write 1.25, output 5"), Prices(0.1, 1.25, 5)),
    (gettext_lazy("no cache: 1, 1, 5"), Prices(1, 1, 5)),
    (gettext_lazy("cache read 0.25, write 1, output 4"), Prices(0.25, 1, 4)),
)
"""Prices to begin with, relative to a token of plain input. None of them is anybody's for long."""

_MOST_PRICE: Final = 1_000_000
_FEW: Final = 100
"""Tokens below which a limit is most likely a slip."""


class Numbers(BaseModel):
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
    def of(cls, terms: Terms) -> "Numbers":
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


SCHEMA: Final = Numbers.model_json_schema()
NAMES: Final = tuple(Numbers.model_fields)


@dataclass(frozen=True, slots=True)
class Group:
    """Fields under one legend."""

    legend: str
    fields: tuple[Field, ...]


def usual_numbers(policy_text: str) -> dict[str, Any]:
    """What is not said: limit and trigger of the session's policy."""
    policy = load_policy(policy_text)
    terms = Terms(limit_tokens=policy.limit_tokens, trigger=policy.trigger) if policy else Terms()
    # 300 and not 300.0: so it would be filled in.
    return {name: int(n) if n == int(n) else n for name, n in Numbers.of(terms).model_dump().items()}


def groups_of(given: Mapping[str, Any], errors: Mapping[str, str]) -> tuple[Group, ...]:
    told = {
        "limit": (_("Limit, in tokens"), ""),
        "trigger": (_("Trigger"), _("Up to 1 a share of the limit, above 1 tokens.")),
        "read": (_("Read from the cache"), ""),
        "write": (_("Written to the cache"), ""),
        "output": (_("Output"), ""),
        "cache_life": (_("Life of the cache, in seconds"), ""),
        "cache_min": (_("Shortest cached prefix, in tokens"), ""),
    }
    fields = {
        f.name: _as_typed(replace(f, label=told[f.name][0], help=told[f.name][1]), given[f.name])
        for f in fields_of(SCHEMA, values=given, errors=errors, prefix="")
    }
    return tuple(
        Group(legend, tuple(fields[name] for name in names))
        for legend, names in (
            (_("Window"), ("limit", "trigger")),
            (_("Prices"), ("read", "write", "output")),
            (_("Cache"), ("cache_life", "cache_min")),
        )
    )


def _as_typed(field: Field, given: Any) -> Field:
    """A browser empties a field for numbers that holds none: what is no number comes back in one for text."""
    if isinstance(given, float) and not isfinite(given):
        given = str(given)
    if not isinstance(given, str):
        return field
    said = {"given": text(given.strip(), limit=60)}
    error = _('"%(given)s" is not a whole number') if _is_number(given) else _('"%(given)s" is not a number')
    return replace(field, kind="text", value=text(given), low="", high="", error=error % said)


def _is_number(given: str) -> bool:
    try:
        return isfinite(float(given))
    except ValueError:
        return False


def doubts_about(terms: Terms) -> tuple[str, ...]:
    """What can be replayed and is most likely not meant."""
    told = []
    if terms.trigger_tokens > terms.limit_tokens:
        told.append(_("The trigger lies above the limit: calls are over the limit before anything is compressed."))
    if terms.limit_tokens < _FEW:
        told.append(_("The limit is in tokens: under 100 there is hardly room for one message."))
    return tuple(told)
