"""The line of filters above the bands, and the search that steps from hit to hit."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.shown import text
from inspector.reading import Reading
from inspector.view_state import DROPPED, ERRORS, NO_FILTER, NO_PAGE, OPEN, ViewState
from sessions_app import engine

NAMES: Final = 100
"""Characters of a tool's name that a list shows."""


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    text: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Search:
    """`said`: which hit this is, of how many, and among which frames. `further`: goes on where the search stopped."""

    said: str
    earlier: str
    later: str
    further: str


@dataclass(frozen=True, slots=True)
class Filters:
    """`kept`: what the form must carry on beside its own fields, as (name, value)."""

    roles: tuple[Choice, ...]
    only: tuple[Choice, ...]
    tools: tuple[Option, ...]
    q: str
    search: Search | None
    kept: tuple[tuple[str, str], ...]
    clear: str


def filters_of(reading: Reading, view: ViewState) -> Filters:
    fresh = view.with_(**NO_PAGE, pin=None, hit=None, upto=None)
    used = [role for role in engine.ROLES if role != "developer" or view.role == role]
    roles = [Choice(_("all"), fresh.url(role=""), not view.role)]
    roles += [Choice(role, fresh.url(role=role), view.role == role) for role in used]
    words = {"": _("any"), ERRORS: _("errors"), DROPPED: _("not in window"), OPEN: _("open calls")}
    own = ("tool", "q", "hit", "upto", "frame", "after_seq", "before_seq", "message", "after_position", "pin")
    return Filters(
        roles=tuple(roles),
        only=tuple(Choice(words[only], fresh.url(only=only), view.only == only) for only in words),
        tools=_tools(reading, view),
        q=text(view.q),
        search=_search(reading, view) if reading.hits else None,
        kept=tuple((name, value) for name, value in view.params().items() if name not in own),
        clear=fresh.url(**NO_FILTER) if view.is_filtered or view.q else "",
    )


def _tools(reading: Reading, view: ViewState) -> tuple[Option, ...]:
    names = reading.tools if not view.tool or view.tool in reading.tools else (view.tool, *reading.tools)
    return tuple(Option(text(name), text(name, limit=NAMES), name == view.tool) for name in names)


def _search(reading: Reading, view: ViewState) -> Search:
    hits = reading.hits
    assert hits is not None
    turn = view.with_(**NO_PAGE, pin=None)
    count, i = len(hits.seqs), hits.seqs.index(reading.hit) if reading.hit else 0
    last = reading.record.state.frame_count
    most = "+" if hits.further and count >= engine.reads.MOST_HITS else ""
    said = _("%(i)s of %(n)s") % {"i": f"{i + 1:,}", "n": f"{count:,}{most}"} if count else _("no hit")
    if hits.first > 1 or hits.last < last:
        said += " " + _("in #%(a)s–#%(b)s") % {"a": f"{hits.first:,}", "b": f"{hits.last:,}"}
    return Search(
        said=said,
        earlier=turn.url(hit=hits.seqs[i - 1], fragment=f"#f-{hits.seqs[i - 1]}") if i else "",
        later=turn.url(hit=hits.seqs[i + 1], fragment=f"#f-{hits.seqs[i + 1]}") if i + 1 < count else "",
        further=turn.url(upto=hits.further, hit=None) if hits.further else "",
    )
