"""Which frames hold a text: their numbers only, so that a page can step through them."""

from dataclasses import dataclass
from typing import Final

from sessions_app.engine.reads.frame_pages import FrameFilter, Scan
from sessions_app.models import RawFrame

MOST_HITS: Final = 200


@dataclass(frozen=True, slots=True)
class Hits:
    """`seqs` ascending: all that is wanted among the frames `first` to `last`, which were looked through.

    `further`: the `upto` to go on with; None at the beginning of the session.
    """

    seqs: tuple[int, ...]
    first: int
    last: int
    further: int | None


def hits(
    session_id: str, *, last_seq: int, wanted: FrameFilter, upto: int | None = None, limit: int = MOST_HITS
) -> Hits:
    """The newest frames, from `upto` downwards, whose text or call arguments hold `wanted.search` and that fit the
    rest of it: `limit` at most, and those of `SCAN` frames where no index can tell. `last_seq` is that of the session.
    """
    last = max(0, last_seq if upto is None else min(upto, last_seq))
    rows = RawFrame.objects.only("session_id", "seq", "message")
    found, go_on = Scan(session_id, rows, wanted).down(last, limit)
    return Hits(
        seqs=tuple(row.seq for row in found),
        first=go_on or 1,
        last=last,
        further=None if go_on is None else go_on - 1,
    )
