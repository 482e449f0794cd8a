"""Which frames the messages of one version stand for, where these stand for several."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import chain
from typing import Final, Self

from django.db.models import Exists, F, OuterRef, Q

from sessions_app.engine.seqs import Seqs
from sessions_app.models import ContextMessage

_NAMED: Final = 200
"""Ranges that a statement names: SQLite nests a condition 1,000 deep at most."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The frames in a part of a session that a message with several frames stands for. `ranges` ascend."""

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def by_several(cls, session_id: str, version: int, *, first: int, last: int) -> Self:
        """One statement, by an index that only such messages are in."""
        rows = ContextMessage.objects.filter(
            session_id=session_id,
            version=version,
            last_seq__gt=F("first_seq"),
            first_seq__lte=last,
            last_seq__gte=first,
        )
        parsed = (Seqs.parse(text).ranges for text in rows.values_list("original_seqs", flat=True))
        return cls(tuple(sorted((a, b) for a, b in chain.from_iterable(parsed) if a <= last and b >= first)))

    def __contains__(self, seq: int) -> bool:
        at = bisect_right(self.ranges, seq, key=lambda r: r[0]) - 1  # no two of a window overlap
        return at >= 0 and seq <= self.ranges[at][1]

    def condition(self) -> Q:
        """Leaves out the widest ranges. Not all where there are many: ask `in` about what comes through."""
        widest = sorted(self.ranges, key=lambda r: r[0] - r[1])[:_NAMED]
        left_out = Q()
        for a, b in widest:
            left_out &= ~Q(seq__range=(a, b))
        return left_out


def no_message_begins_here(version: int) -> Q:
    """Of frames: whether no message of this version has it as the first, or the only one, of those it stands for."""
    rows = ContextMessage.objects.filter(session_id=OuterRef("session_id"), first_seq=OuterRef("seq"), version=version)
    return ~Q(Exists(rows))
