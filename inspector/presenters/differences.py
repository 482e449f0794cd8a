"""What changed between two versions, as lines that people read."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from inspector.pins import Pin
from inspector.presenters.session_head import fate_word
from inspector.presenters.shown import Link, Number
from inspector.reading import Reading
from inspector.view_state import ViewState
from sessions_app import engine

RANGES: Final = 12
REPLACED: Final = 20
ROLES: Final = ("system", "developer", "user", "assistant", "tool", "summary")


@dataclass(frozen=True, slots=True)
class MoveLine:
    before: str
    after: str
    before_word: str
    after_word: str
    count: str
    ranges: tuple[Link, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ReplacedLine:
    """A summary of the version before, and the messages that now stand for its frames."""

    text: str
    frames: Link
    by: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class RoleLine:
    """Shares are out of 100, of the largest of all, for bars."""

    role: str
    before: Number
    after: Number
    before_share: int
    after_share: int


@dataclass(frozen=True, slots=True)
class DifferenceView:
    before: int
    after: int
    moves: tuple[MoveLine, ...]
    replaced: tuple[ReplacedLine, ...]
    left_out: int
    roles: tuple[RoleLine, ...]
    close: str
    why_not: str = ""


def difference_view(reading: Reading, view: ViewState) -> DifferenceView | None:
    found = reading.difference
    if view.compare is None or view.compare == reading.version:
        return None
    before, after = sorted((view.compare, reading.version))
    if found is None:
        why_not = _("The window of one of the two is no longer kept, so that nobody knows what changed.")
        return DifferenceView(before, after, (), (), 0, (), view.url(compare=None), why_not)
    new = view.with_(compare=None, version=after, at_seq=None)
    return DifferenceView(
        before=before,
        after=after,
        moves=tuple(move_line(move, view) for move in found.moves),
        replaced=tuple(_replaced(r, new) for r in found.replaced[:REPLACED]),
        left_out=max(0, len(found.replaced) - REPLACED),
        roles=role_lines(found.tokens_by_role_before, found.tokens_by_role_after),
        close=view.url(compare=None),
    )


def move_line(move: engine.reads.Move, view: ViewState) -> MoveLine:
    shown = move.seqs.ranges[:RANGES]
    return MoveLine(
        before=move.fate_before,
        after=move.fate_after,
        before_word=_word(move.fate_before),
        after_word=_word(move.fate_after),
        count=f"{move.count:,}",
        ranges=tuple(_range(first, last, view) for first, last in shown),
        more=len(move.seqs.ranges) - len(shown),
    )


def _range(first: int, last: int, view: ViewState) -> Link:
    said = f"#{first:,}" if first == last else f"#{first:,}–#{last:,}"
    return Link(said, view.pin_url(Pin(first, last)))


def _replaced(replaced: engine.reads.Replaced, new: ViewState) -> ReplacedLine:
    first, last = replaced.seqs.first, replaced.seqs.last
    return ReplacedLine(
        text=f"C{replaced.position}",
        frames=_range(first, last, new),
        by=tuple(Link(f"C{p}", new.pin_url(Pin.message(p))) for p in replaced.by[:RANGES]),
    )


def role_lines(before: dict[str, int], after: dict[str, int]) -> tuple[RoleLine, ...]:
    names = [role for role in ROLES if before.get(role) or after.get(role)]
    most = max((*before.values(), *after.values(), 1))
    return tuple(
        RoleLine(
            role=role,
            before=Number.of(before.get(role, 0)),
            after=Number.of(after.get(role, 0)),
            before_share=round(100 * before.get(role, 0) / most),
            after_share=round(100 * after.get(role, 0) / most),
        )
        for role in names
    )


def _word(fate: str) -> str:
    return _("later") if fate == "later" else fate_word(fate)
