"""The fate strip: the whole session in one line, a cell a frame, or some frames a cell where it is long.

Each cell is cut into its fates from the bottom up, as much of its height as they have of its frames. Equal neighbours
are drawn as one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.session_head import fate_word
from sessions_app import engine

ORDER: Final = ("kept", "recovery", "edited", "summarised", "dropped", "gone", "later")
HEIGHT: Final = 24


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle: `x` and `width` as percentages with their sign, `y` and `height` in pixels. `first`, `last`: of the
    frames that it is drawn for.
    """

    fate: str
    x: str
    width: str
    y: str
    height: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the legend. `share` is out of 100."""

    fate: str
    text: str
    count: str


@dataclass(frozen=True, slots=True)
class StripView:
    """`last`: the number of frames. `width`: frames of a cell. `cell`: the width of a cell as a percentage; empty where
    cells are too narrow to be told apart.
    """

    blocks: tuple[Block, ...]
    keys: tuple[Key, ...]
    last: int
    width: int
    cell: str
    label: str


def strip_view(strip: engine.reads.Strip | None) -> StripView | None:
    """None where there is nothing to draw."""
    if strip is None or not strip.cells:
        return None
    cells, last = strip.cells, strip.cells[-1].last
    keys = tuple(Key(fate, strip_word(fate), f"{count:,}") for fate in ORDER if (count := strip.totals.get(fate, 0)))
    said = ", ".join(f"{key.text} {key.count}" for key in keys)
    return StripView(
        blocks=_blocks(cells, last),
        keys=keys,
        last=last,
        width=strip.width,
        cell=_percent(strip.width / last) if len(cells) <= 160 else "",
        label=_("What became of %(n)s frames: %(said)s") % {"n": f"{last:,}", "said": said},
    )


def strip_word(fate: str) -> str:
    words = {"recovery": _("recovery"), "gone": _("dropped before"), "later": _("later")}
    return words.get(fate) or fate_word(fate)


def _blocks(cells: tuple[engine.reads.Cell, ...], last: int) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for shares, run in groupby(cells, key=lambda cell: _shares(cell.counts)):
        first, *rest = run
        start, stop = first.first - 1, (rest[-1] if rest else first).last
        x, width = _percent(start / last), _percent((stop - start) / last)
        bottom = float(HEIGHT)
        for fate, share in shares:
            height = share * HEIGHT
            bottom -= height
            blocks.append(Block(fate, x, width, _short(bottom), _short(height), start + 1, stop))
    return tuple(blocks)


def _shares(counts: Mapping[str, int]) -> tuple[tuple[str, float], ...]:
    """Each fate with its share of the cell's frames; what is there at all is seen."""
    total = sum(counts.values())
    present = [fate for fate in ORDER if counts.get(fate)]
    twelfths = [max(round(counts[fate] / total * 12), 1) for fate in present]
    # One by one from the largest: of many that were all rounded up, none is left with nothing.
    while (over := sum(twelfths) - 12) != 0:
        twelfths[twelfths.index(max(twelfths))] -= 1 if over > 0 else -1
    return tuple((fate, round(part / 12, 4)) for fate, part in zip(present, twelfths, strict=True))


def _percent(part: float) -> str:
    return f"{_short(100 * part, 3)}%"


def _short(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0"
