"""What became of some frames in one version of the window. The fates of one frame in all versions: `reads.ledger`."""

from collections.abc import Collection

from django.db.models import F, Q

from sessions_app.engine.fates import Fate, fate_of_kind
from sessions_app.engine.seqs import Seqs
from sessions_app.models import ContextMessage

Place = tuple[Fate, int | None]
"""A fate, and the position of the context message that stands for the frame; None where none does."""


def fates_of_frames(session_id: str, *, version: int, seqs: Collection[int]) -> dict[int, Place]:
    """The fate of each of `seqs` under a version that is kept. Two statements, each by an index of its own.

    Not a range: the frames that a filter finds may lie far apart, and what lies between is not read.
    """
    fates: dict[int, Place] = dict.fromkeys(seqs, ("dropped", None))
    if not fates:
        return fates
    rows = ContextMessage.objects.filter(session_id=session_id, version=version)
    several = Q(last_seq__gt=F("first_seq"), first_seq__lt=max(fates), last_seq__gte=min(fates))
    for claiming in (rows.filter(first_seq__in=list(fates)), rows.filter(several)):
        for position, kind, text in claiming.values_list("position", "kind", "original_seqs"):
            claimed = Seqs.parse(text)
            place = (fate_of_kind(kind), position)
            if claimed.first == claimed.last:  # most are
                fates[claimed.first] = place
            else:
                fates |= {seq: place for seq in fates if seq in claimed}
    return fates
