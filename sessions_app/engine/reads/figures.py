"""What all sessions of a reader come to."""

from dataclasses import dataclass

from django.db.models import Count, F, Sum, Value
from django.db.models.functions import Greatest

from sessions_app.engine.state import load_open_calls
from sessions_app.models import SessionQuerySet


@dataclass(frozen=True, slots=True)
class Figures:
    """`tokens_held`: in the windows; `tokens_saved`: what the raw frames have more, session by session, never below
    0.
    """

    sessions: int
    frames: int
    tokens_held: int
    tokens_saved: int
    open_calls: int


def figures(sessions: SessionQuerySet) -> Figures:
    """Over the sessions that a reader may see. Two statements, over session rows only."""
    totals = sessions.aggregate(
        sessions=Count("session_id"),
        frames=Sum(F("next_msg_seq") - 1),
        held=Sum("context_tokens"),
        saved=Sum(Greatest(F("raw_tokens") - F("context_tokens"), Value(0))),
    )
    with_open_calls = sessions.exclude(open_calls="[]").values_list("open_calls", flat=True)
    return Figures(
        sessions=totals["sessions"],
        frames=int(totals["frames"] or 0),
        tokens_held=int(totals["held"] or 0),
        tokens_saved=int(totals["saved"] or 0),
        open_calls=sum(len(load_open_calls(text)) for text in with_open_calls),
    )
