"""A limit at which a recording is worth a replay, where the one that it was replayed under is never reached."""

from django.utils.translation import gettext as _

from inspector.presenters.shown import short_number
from inspector.replay_state import ReplayState
from sessions_app.compression.replay import Replay


def is_reached(replay: Replay) -> bool:
    """Whether any call of the recording comes up to the trigger."""
    return replay.baseline.totals.peak >= replay.terms.trigger_tokens


def lower_limit(asked: ReplayState, replay: Replay) -> int:
    """To be taken in place of the usual limit; 0 where that is right, or where the limit is somebody's choice."""
    is_share = replay.terms.trigger <= 1
    return half_of_peak(replay) if asked.is_limit_open and is_share and not is_reached(replay) else 0


def half_of_peak(replay: Replay) -> int:
    """Rounded to two figures; 0 where no call says anything."""
    half = replay.baseline.totals.peak / 2
    size: int = 10 ** max(len(str(int(half))) - 2, 0)
    return int(half / size + 0.5) * size


def lowered_told(replay: Replay, limit: int) -> str:
    values = {"trigger": short_number(round(replay.terms.trigger_tokens)), "limit": short_number(limit)}
    return _("The recording never reaches the trigger of %(trigger)s; shown with a limit of %(limit)s.") % values
