"""Traces: spans of calls to models and tools, from which the conversations are put together again."""
