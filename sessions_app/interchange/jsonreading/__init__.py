"""Reading foreign JSON: leniently, in pieces, and never by an exception.

What a damaged file still holds is given; what it does not is named in the tally. The parser is that of the standard
library, fed piece by piece: ijson's C parser turns lone surrogates into `?` and stops at NaN, which real logs hold
(docs/decisions/0007).
"""

from sessions_app.interchange.jsonreading.document import Document
from sessions_app.interchange.jsonreading.lines import LONGEST_LINE, json_lines, line_at, numbered_lines
from sessions_app.interchange.jsonreading.values import TORN, MoreFollows, Record, TooDeep, Unreadable, loads

__all__ = [
    "LONGEST_LINE",
    "TORN",
    "Document",
    "MoreFollows",
    "Record",
    "TooDeep",
    "Unreadable",
    "json_lines",
    "line_at",
    "loads",
    "numbered_lines",
]
