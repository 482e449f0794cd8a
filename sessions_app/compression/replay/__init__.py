"""Replay: which strategy would have served a recorded session best (compression page, section 7)."""

from sessions_app.compression.replay.values import MOST_FRAMES, Event, Prices, Replay, Run, Terms, Totals

__all__ = ["MOST_FRAMES", "Event", "Prices", "Replay", "Run", "Terms", "Totals"]
