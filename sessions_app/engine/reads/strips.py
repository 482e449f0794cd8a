"""Reading the fate strip of one version: the bins that were stored with it, and what came since.

What came since stands in the window as it is, but for late replies, recovery frames and replies to nothing. Each of
these has an index of its own: a strip costs what they are, and not what the session or its window is.
"""

from collections.abc import Iterable

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from sessions_app.engine.errors import VersionNotFound
from sessions_app.engine.fate_bins import FateBins
from sessions_app.engine.fate_strip import CELLS, Strip, StripDraft, strip_of_bins
from sessions_app.engine.ledger import LedgerEntry
from sessions_app.engine.projection import Placement
from sessions_app.engine.state import SessionState
from sessions_app.models import Compression, ContextMessage, RawFrame


def strip(state: SessionState, version: int, *, below_seq: int | None = None, cells: int = CELLS) -> Strip | None:
    """What became of each frame of `state` under a version, in at most `cells` cells. Five statements.

    `below_seq`: as the window was before that frame, which must not be older than the version. None where the window
    is no longer kept. Raises VersionNotFound.
    """
    start, stop = _frames_under(state, version)
    if below_seq is not None:
        if below_seq < start:
            raise ValueError(f"version {version} was made after frame {below_seq}")
        stop = min(stop, below_seq)
    draft = StripDraft(state.frame_count, at_most=cells)
    draft.add(start, stop - 1, "kept")
    draft.add(stop, state.frame_count, "later")
    for first, last in _replies_since(state.session_id, version, start, stop):
        for seq in {first, last}:
            draft.move(draft.cell_of(seq), "kept", "edited")
    for cell, count in _by_cell(_kept_recoveries(state.session_id, version, stop), draft.width):
        draft.move(cell, "kept", "recovery", count)
    for cell, count in _by_cell(_orphans(state.session_id, start, stop), draft.width):
        draft.move(cell, "kept", "dropped", count)
    # Last of all: where they are still there, the window was when it was asked.
    bins = Compression.objects.filter(session_id=state.session_id, version=version).values_list("fate_bins", flat=True)
    if not (stored := bins.first()):
        return None
    draft.add_bins(FateBins.parse(stored))
    return draft.strip()


def strip_of_candidate(
    session_id: str, entry: LedgerEntry, context: Iterable[Placement], *, cells: int = CELLS
) -> Strip | None:
    """The strip that a version would have which is not published: `entry` and `context` are those of a dry run. One
    statement. None where the entry says nothing of frames.
    """
    if entry.fate_bins is None:
        return None
    rows = RawFrame.objects.filter(session_id=session_id, source="recovery", seq__lt=entry.from_next_msg_seq)
    written = set(rows.values_list("seq", flat=True))
    kept = (p.item.original_seqs.first for p in context if p.item.kind == "original")
    return strip_of_bins(entry.fate_bins, cells=cells, recovered=(seq for seq in kept if seq in written))


def _frames_under(state: SessionState, version: int) -> tuple[int, int]:
    """The first frame that was written under this version, and the first one after those."""
    if not 1 <= version <= state.context_compression_version:
        raise VersionNotFound(state.session_id, version)
    rows = Compression.objects.filter(session_id=state.session_id, version__in=(version, version + 1))
    starts = dict(rows.values_list("version", "from_next_msg_seq"))
    if version not in starts:
        raise VersionNotFound(state.session_id, version)
    # What others have written since is no part of this state.
    return starts[version], min(starts.get(version + 1, state.next_msg_seq), state.next_msg_seq)


def _replies_since(session_id: str, version: int, start: int, stop: int) -> QuerySet[ContextMessage, tuple[int, int]]:
    """Late replies: the first and the last frame that each stands for, a recovery frame and itself, or itself twice."""
    rows = ContextMessage.objects.filter(
        session_id=session_id, version=version, kind="edited", last_seq__gte=start, last_seq__lt=stop
    )
    return rows.values_list("first_seq", "last_seq")


def _kept_recoveries(session_id: str, version: int, stop: int) -> QuerySet[RawFrame]:
    """Recovery frames whose message stands in the window, or stood there until a late reply that came after `stop`."""
    replaced_later = Q(kind="edited", last_seq__gte=stop)
    messages = ContextMessage.objects.filter(
        Q(kind="original") | replaced_later, session_id=session_id, version=version, first_seq=OuterRef("seq")
    )
    return RawFrame.objects.filter(Exists(messages), session_id=session_id, source="recovery", seq__lt=stop)


def _orphans(session_id: str, start: int, stop: int) -> QuerySet[RawFrame]:
    return RawFrame.objects.filter(
        session_id=session_id, role="tool", call_seq__isnull=True, seq__gte=start, seq__lt=stop
    )


def _by_cell(frames: QuerySet[RawFrame], width: int) -> QuerySet[RawFrame, tuple[int, int]]:
    """How many of them lie in each cell."""
    return (
        frames.annotate(cell=(F("seq") - 1) / width)
        .values("cell")
        .annotate(count=Count("seq"))
        .values_list("cell", "count")
    )
