"""Titles that a Claude Code file holds: of the session, and of the chain that leads to a row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sessions_app.interchange.formats.claude_code.kinds import session_of, text_of
from sessions_app.interchange.tally import Tally

_TEXTS: Final = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
_RANKS: Final = list(_TEXTS)
"""What somebody wrote counts before what a model wrote."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title as a row of the file gives it; `leaf`: the row whose chain it names, "" for the whole session."""

    text: str
    leaf: str
    session: str
    number: int
    kind: str


def title_in(row: dict[str, Any], number: int) -> Title | None:
    kind = text_of(row.get("type"))
    text = text_of(row.get(_TEXTS.get(kind, ""))).strip()
    leaf = text_of(row.get("leafUuid")) if kind == "summary" else ""
    return Title(text, leaf, session_of(row), number, kind) if text else None


def choose_titles(
    titles: Sequence[Title], sessions: dict[int, str], owner_of: Callable[[str], int | None], tally: Tally
) -> dict[int, str]:
    """The titles of chains, by their number; of two of a kind the later one.

    `sessions`: the chains that are whole sessions, and their ids. `owner_of`: the chain that a row is of.
    """
    chosen: dict[int, Title] = {}
    owned = [(title, named) for title in titles if (named := _named_by(title, sessions, owner_of, tally))]
    for title, named in owned:
        for number in named:
            before = chosen.get(number)
            if before is None or _RANKS.index(title.kind) >= _RANKS.index(before.kind):
                chosen[number] = title
    tally.use(title.number for title in chosen.values())
    for title, _ in owned:
        if title.number not in tally.used:
            tally.skip(title.kind, "is not the last word on the title", title.number)
    return {number: title.text for number, title in chosen.items()}


def _named_by(title: Title, sessions: dict[int, str], owner_of: Callable[[str], int | None], tally: Tally) -> list[int]:
    if title.leaf:
        owner = owner_of(title.leaf)
        named = [] if owner is None else [owner]
    else:
        named = [n for n, session in sessions.items() if title.session in ("", session)]
    if not named:
        tally.skip(title.kind, "is the title of another session", title.number)
    return named
