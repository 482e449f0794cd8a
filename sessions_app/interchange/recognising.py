"""Which format a file has: by a look at its beginning, and by a longer one where that does not tell."""

from sessions_app.interchange.registry import UnknownFormat, recognise
from sessions_app.interchange.sniff import LONG_LOOK, LOOK, Sniff, sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.transcript import Format


def recognised(source: Source, named: str | None) -> tuple[Sniff, Format]:
    """The look by which the format was recognised, and the format. Raises UnknownFormat, InvalidInput."""
    look = sniff(source)
    try:
        format = recognise(look, named=named)
        if format.recognises(look) or not _goes_on(look, source):
            return look, format
    except UnknownFormat:
        if not _goes_on(look, source):
            raise
    # What the document would be known by stands in, or behind, a record that is longer than the look: an image, say.
    look = sniff(source, LONG_LOOK)
    return look, recognise(look, named=named)


def _goes_on(look: Sniff, source: Source) -> bool:
    return look.shape in ("array", "object") and source.size > LOOK
