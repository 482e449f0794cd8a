"""Measures of a window against the history it stands for: deterministic, no model (compression page, section 6)."""

from sessions_app.compression.measures.entities import CLASSES, entities_in
from sessions_app.compression.measures.history import History, entities_of
from sessions_app.compression.measures.measure import MEASURES, measure, naming
from sessions_app.compression.measures.probes import Haystack, generated_probes, is_found
from sessions_app.compression.measures.split import SizeSplit, split_of
from sessions_app.compression.measures.values import Measure, Probe, ProbeSource
from sessions_app.compression.measures.words import Entity

__all__ = [
    "CLASSES",
    "MEASURES",
    "Entity",
    "Haystack",
    "History",
    "Measure",
    "Probe",
    "ProbeSource",
    "SizeSplit",
    "entities_in",
    "entities_of",
    "generated_probes",
    "is_found",
    "measure",
    "naming",
    "split_of",
]
