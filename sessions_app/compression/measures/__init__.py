"""Measures of a window against the history that it stands for: deterministic, no model (compression page, section 6)."""

from sessions_app.compression.measures.values import Measure, Probe, ProbeSource

__all__ = ["Measure", "Probe", "ProbeSource"]
