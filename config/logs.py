"""The form of a log line."""

import logging


class OneLineFormatter(logging.Formatter):
    """Keep a record on one line, traceback included.

    A record is then one line for whatever collects them, and text that came with a request cannot
    pass itself off as a record of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\r", "\\r").replace("\n", "\\n")
