"""Replay: which strategy would have served a recorded session best (compression page, section 7)."""

from sessions_app.compression.replay.as_json import replay_json
from sessions_app.compression.replay.replaying import replay, replay_session
from sessions_app.compression.replay.summing import summed
from sessions_app.compression.replay.tables import columns, replay_csv, rows
from sessions_app.compression.replay.values import MOST_FRAMES, Event, Prices, Replay, Run, Terms, Totals

__all__ = [
    "MOST_FRAMES",
    "Event",
    "Prices",
    "Replay",
    "Run",
    "Terms",
    "Totals",
    "columns",
    "replay",
    "replay_csv",
    "replay_json",
    "replay_session",
    "rows",
    "summed",
]
