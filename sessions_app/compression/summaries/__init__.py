"""Summaries written by a model (compression page, section 4). The SDK is loaded when the first one is asked for."""

from sessions_app.compression.summaries.endpoint import Endpoint, why_not_configured
from sessions_app.compression.summaries.usage import NoSummary, Usage
from sessions_app.compression.summaries.writing import Source, Summary, write

__all__ = ["Endpoint", "NoSummary", "Source", "Summary", "Usage", "why_not_configured", "write"]
