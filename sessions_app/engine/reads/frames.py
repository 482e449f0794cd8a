"""Reading raw frames: always a range of `seq`, never a whole session."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sessions_app import jsontext
from sessions_app.engine.errors import FrameNotFound
from sessions_app.engine.frames import Frame
from sessions_app.models import Compression, RawFrame

MISSED = 50
"""How many frames a stale writer is told."""

_AT_ONCE = 500
"""Parameters of one statement: SQLite takes a limited number."""


def frame(session_id: str, seq: int) -> Frame:
    row = RawFrame.objects.filter(session_id=session_id, seq=seq).first()
    if row is None:
        raise FrameNotFound(session_id, seq)
    return Frame.of(row)


def frames_between(session_id: str, first: int, last: int) -> list[Frame]:
    """The frames `first` to `last`, both included, in order."""
    rows = RawFrame.objects.filter(session_id=session_id, seq__gte=first, seq__lte=last).order_by("seq")
    return [Frame.of(row) for row in rows]


def frames_by_seq(session_id: str, seqs: Sequence[int]) -> list[Frame]:
    """The frames of these numbers, in order; those that do not exist are left out."""
    rows: list[Frame] = []
    for start in range(0, len(seqs), _AT_ONCE):
        chunk = seqs[start : start + _AT_ONCE]
        rows += [Frame.of(row) for row in RawFrame.objects.filter(session_id=session_id, seq__in=chunk).order_by("seq")]
    return rows


def answers_since(session_id: str, seq: int, *, at_most: int) -> int:
    """How many assistant frames there are from `seq` on; no more than `at_most` are counted."""
    rows = RawFrame.objects.filter(session_id=session_id, seq__gte=seq, role="assistant")
    return len(rows.order_by("seq").values_list("seq")[:at_most])


def first_user_frame(session_id: str) -> Frame | None:
    """The first thing that the user said. Stands near the front, so the scan by key ends soon."""
    row = RawFrame.objects.filter(session_id=session_id, role="user").order_by("seq").first()
    return None if row is None else Frame.of(row)


def frames_missed(session_id: str, from_seq: int) -> list[Frame]:
    return frames_between(session_id, from_seq, from_seq + MISSED - 1)


def all_frames(session_id: str, *, below: int) -> Iterator[Frame]:
    """Every frame with a seq under `below`, in order: to rebuild version 1 of a window."""
    rows = RawFrame.objects.filter(session_id=session_id, seq__lt=below).order_by("seq")
    return (Frame.of(row) for row in rows.iterator(chunk_size=500))


def frames_since_version(session_id: str, *, version: int, below: int) -> list[Frame]:
    """The frames that entered the session after `version` of the window had been superseded, in order."""
    next_entry = Compression.objects.filter(session_id=session_id, version=version + 1)
    superseded_at = next_entry.values_list("from_next_msg_seq", flat=True).first()
    if superseded_at is None:
        return []
    # Frames that were carried over while the next version was made came later and still stand in this one.
    rows = RawFrame.objects.filter(
        session_id=session_id, seq__gte=superseded_at, seq__lt=below, context_version__gt=version
    )
    return [Frame.of(row) for row in rows.order_by("seq")]


def replies_to(session_id: str, call_seqs: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """The tool frames that answer each of these assistant frames, late replies too, in order. One statement."""
    # Not ordered there: SQLite would walk the session's frames by their key to save itself the sorting.
    rows = RawFrame.objects.filter(session_id=session_id, call_seq__in=call_seqs).values_list("call_seq", "seq")
    replies: defaultdict[int | None, tuple[int, ...]] = defaultdict(tuple)
    for call_seq, seq in sorted(rows):
        replies[call_seq] += (seq,)
    return {call_seq: replies[call_seq] for call_seq in call_seqs}


def replies_by_call(session_id: str, call_seq: int) -> dict[str, tuple[int, ...]]:
    """The tool frames that answer an assistant frame, late replies too, by the id of the call. One statement."""
    rows = RawFrame.objects.filter(session_id=session_id, call_seq=call_seq).order_by("seq")
    replies: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    for call_id, seq in rows.values_list("tool_call_id", "seq"):
        replies[jsontext.unescape(call_id)] += (seq,)
    return dict(replies)
