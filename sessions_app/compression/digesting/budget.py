"""Which lines of a digest there is room for: each section up to its share first, then what is left, in their order."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from sessions_app.compression.digesting.sections import Line, Section
from sessions_app.engine import first_tokens

_LEFT_OUT = 20
"""How many lines that are too long are passed over before a section gives up: so that the work stays linear."""
_WORTH_CUTTING = 24
_AROUND_A_CUT = 16


@dataclass(slots=True)
class _Shelf:
    """The lines of one section that found room."""

    section: Section
    count_text: Callable[[str], int]
    waiting: list[Line]
    taken: list[Line] = field(default_factory=list)

    @property
    def heading(self) -> str:
        return f"## {self.section.title}\n"

    def fill(self, allowance: int, *, pass_over: int, cut: bool) -> int:
        """Take lines worth at most `allowance` tokens, heading included; gives back what they cost."""
        left = allowance
        kept_waiting: list[Line] = []
        lines = iter(self.waiting)
        for line in lines:
            heading = 0 if self.taken else self.count_text(self.heading)
            if cut:
                line = self._fitting(line, left - heading)
            cost = self.count_text(str(line)) + heading
            if cost <= left:
                self.taken.append(line)
                left -= cost
                continue
            kept_waiting.append(line)
            if len(kept_waiting) > pass_over:
                break
        self.waiting = [*kept_waiting, *lines]
        return allowance - left

    def _fitting(self, line: Line, room: int) -> Line:
        """A line that must not be missing is cut to its part of the room."""
        must = self.section.always - len(self.taken)
        if must > 1 and room // must >= _WORTH_CUTTING:
            room //= must
        if must < 1 or room < _WORTH_CUTTING or self.count_text(str(line)) <= room:
            return line
        # The number, the mark of the cut and the indents cost too, and are not in the text that is cut.
        spare = _AROUND_A_CUT + line.text.count("\n", 0, room * 8)
        return Line(line.seq, first_tokens(line.text, max(room - spare, 1)).rstrip() + " …")

    def text(self) -> Iterator[str]:
        if self.taken:
            yield self.heading
            yield from map(str, sorted(self.taken, key=lambda line: -line.seq))


def fit(sections: Iterable[Section], budget: int, count_text: Callable[[str], int]) -> str:
    """The body of a digest, at most `budget` tokens.

    Lines are counted one by one: none begins with a space, so that the tokenizer joins no two of them, and the sum is
    that of the whole.
    """
    shelves = [_Shelf(section, count_text, section.lines()) for section in sections]
    left = budget
    for shelf in shelves:
        left -= shelf.fill(min(left, int(budget * shelf.section.share)), pass_over=0, cut=False)
    for shelf in shelves:
        left -= shelf.fill(left, pass_over=_LEFT_OUT, cut=True)
    return "".join(part for shelf in shelves for part in shelf.text())
