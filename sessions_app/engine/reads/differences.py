"""What changed between two versions of a window. Rows that both have are compared by the database and not read."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from django.db.models import Exists, OuterRef

from sessions_app.engine.errors import VersionNotFound, VersionNotKept
from sessions_app.engine.fates import Fate, fate_of_kind
from sessions_app.engine.reads.role_tokens import tokens_by_role
from sessions_app.engine.reads.sessions import session_state
from sessions_app.engine.reads.windows import is_kept
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.state import SessionState
from sessions_app.models import Compression, ContextMessage, RawFrame

FateThen = Fate | Literal["later"]
"""A fate, or `later`: the version was superseded before the frame came."""


@dataclass(frozen=True, slots=True)
class Move:
    """All frames whose fate changed in the same way."""

    fate_before: FateThen
    fate_after: FateThen
    seqs: Seqs
    count: int


@dataclass(frozen=True, slots=True)
class Replaced:
    """A summary of the version before that is not in the one after. `by`: positions of the messages there that stand
    for its frames now; empty where none stands for any of them.
    """

    position: int
    seqs: Seqs
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """`moves`: those of the lowest frames first. `tokens_by_role_…`: of each role that has any; `summary` is one."""

    moves: tuple[Move, ...]
    replaced: tuple[Replaced, ...]
    tokens_by_role_before: dict[str, int]
    tokens_by_role_after: dict[str, int]


def difference(session_id: str, *, before: int, after: int) -> Difference:
    """What became otherwise from version `before` to version `after`, whichever is the newer.

    Raises SessionNotFound, VersionNotFound, VersionNotKept.
    """
    state = session_state(session_id)
    for version in (before, after):
        if not 1 <= version <= state.context_compression_version:
            raise VersionNotFound(session_id, version)
    only_before = _Side.of(session_id, before, without=after)
    only_after = _Side.of(session_id, after, without=before)
    tokens = tokens_by_role(session_id, versions=(before, after))
    # Asked at the end: a window that went meanwhile was read as one that dropped everything.
    for version in (before, after):
        _ensure_kept(state, version)
    return Difference(
        moves=_moves(only_before, only_after, stop=state.next_msg_seq),
        replaced=tuple(
            Replaced(position, seqs, only_after.positions(seqs)) for position, seqs in only_before.summaries
        ),
        tokens_by_role_before=tokens[before],
        tokens_by_role_after=tokens[after],
    )


class _Range(NamedTuple):
    """Frames that one message stands for."""

    first: int
    last: int
    fate: Fate
    position: int


@dataclass(frozen=True, slots=True)
class _Side:
    """The messages that only one of the versions has, and the first frame that came too late for it."""

    ranges: tuple[_Range, ...]
    summaries: tuple[tuple[int, Seqs], ...]
    later_from: int

    @classmethod
    def of(cls, session_id: str, version: int, *, without: int) -> "_Side":
        same = {name: OuterRef(name) for name in ("session_id", "first_seq", "kind", "original_seqs", "message")}
        there = ContextMessage.objects.filter(version=without, **same)
        found = ContextMessage.objects.filter(~Exists(there), session_id=session_id, version=version)
        ranges: list[_Range] = []
        summaries: list[tuple[int, Seqs]] = []
        for position, kind, text in found.order_by("position").values_list("position", "kind", "original_seqs"):
            seqs, fate = Seqs.parse(text), fate_of_kind(kind)
            ranges += [_Range(first, last, fate, position) for first, last in seqs.ranges]
            if kind == "summary":
                summaries.append((position, seqs))
        return cls(tuple(sorted(ranges)), tuple(summaries), _first_that_came_later(session_id, version))

    def fates(self, cuts: Sequence[int]) -> Iterator[FateThen]:
        """The fate of each of these frames, which ascend. One that no message of these claims is dropped, or came
        later; or both versions claim it alike.
        """
        at = 0
        for seq in cuts:
            while at < len(self.ranges) and self.ranges[at].last < seq:
                at += 1
            if at < len(self.ranges) and self.ranges[at].first <= seq:
                yield self.ranges[at].fate
            else:
                yield "later" if seq >= self.later_from else "dropped"

    def positions(self, seqs: Seqs) -> tuple[int, ...]:
        """Of the messages that stand for any of these frames."""
        found: set[int] = set()
        for first, last in seqs.ranges:
            at = bisect_left(self.ranges, first, key=lambda r: r.last)
            while at < len(self.ranges) and self.ranges[at].first <= last:
                found.add(self.ranges[at].position)
                at += 1
        return tuple(sorted(found))


_NEVER: Final = 2**63


def _first_that_came_later(session_id: str, version: int) -> int:
    next_entry = Compression.objects.filter(session_id=session_id, version=version + 1)
    superseded_at = next_entry.values_list("from_next_msg_seq", flat=True).first()
    if superseded_at is None:
        return _NEVER
    # Those that came while the next version was made stand in both.
    frames = RawFrame.objects.filter(session_id=session_id, seq__gte=superseded_at, context_version__gt=version)
    return frames.order_by("seq").values_list("seq", flat=True).first() or _NEVER


def _ensure_kept(state: SessionState, version: int) -> None:
    is_empty = version == state.context_compression_version and state.context_messages == 0
    if not is_empty and not is_kept(state.session_id, version):
        raise VersionNotKept(state.session_id, version)


def _moves(before: _Side, after: _Side, *, stop: int) -> tuple[Move, ...]:
    """From one frame at which a fate may change to the next: a summary of 90,000 frames is one step."""
    cuts = {cut for side in (before, after) for r in side.ranges for cut in (r.first, r.last + 1)}
    cuts |= {side.later_from for side in (before, after) if side.later_from != _NEVER} | {stop}
    in_order = sorted(cuts)
    moved: defaultdict[tuple[FateThen, FateThen], list[tuple[int, int]]] = defaultdict(list)
    steps = zip(pairwise(in_order), before.fates(in_order), after.fates(in_order), strict=False)
    for (first, following), was, now in steps:
        if was == now:
            continue
        ranges = moved[was, now]
        if ranges and ranges[-1][1] == first - 1:
            first, _ = ranges.pop()
        ranges.append((first, following - 1))
    found = ((fates, Seqs(tuple(ranges))) for fates, ranges in moved.items())
    return tuple(Move(was, now, seqs, len(seqs)) for (was, now), seqs in found)
