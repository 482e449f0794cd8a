"""The frame around a summary's text: what it is, which frames it stands for, the first request quoted, where it ends.

A later digest reads it back. The quote may hold anything, this frame's own lines included, so its length is said before
it: nothing inside is ever looked at.
"""

import re
from dataclasses import dataclass
from typing import Final

from sessions_app.engine import ContextItem, Message, Seqs

QUOTE_END: Final = "(end of the quote)"
_NAMED_RANGES = 12

_QUOTE = re.compile(r"The first request, frame (\d{1,18}), begins with these (\d{1,9}) characters:\n")


@dataclass(frozen=True, slots=True)
class _Frame:
    """The lines around a summary: which begin and end it, and what is said of how it was made."""

    opening: str
    closing: str
    origin: str


_DIGEST: Final = _Frame(
    "[digest of earlier messages]", "[end of the digest]", "collected from them without a model; [n] names"
)
_BY_MODEL: Final = _Frame(
    "[summary of earlier messages]", "[end of the summary]", "written from them by a model; where known, [n] names"
)


@dataclass(frozen=True, slots=True)
class Quote:
    """The beginning of the first request, exactly as it was."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class SummaryText:
    quote: Quote | None
    body: str


def write_summary(*, covered: Seqs, quote: Quote | None, body: str, by_model: bool = False) -> Message:
    """`body`: lines, each ended by a line break."""
    frame = _BY_MODEL if by_model else _DIGEST
    head = f"{frame.opening} In place of {_frames(covered)}, {frame.origin} the frame a line comes from.\n"
    quoted = ""
    if quote is not None:
        said = f"The first request, frame {quote.seq}, begins with these {len(quote.text)} characters:"
        quoted = f"{said}\n{quote.text}\n{QUOTE_END}\n"
    return Message.of({"role": "user", "content": f"{head}{quoted}{body}{frame.closing}"})


def read_summary(item: ContextItem) -> SummaryText | None:
    """What `write_summary` wrote; None for any other message, another's summary included.

    Only the engine makes a message a summary: a user who writes these lines is not believed.
    """
    if item.kind != "summary":
        return None
    text = item.message.body
    frame = next((frame for frame in (_DIGEST, _BY_MODEL) if text.startswith(frame.opening)), None)
    if frame is None:
        return None
    start = text.find("\n") + 1
    quote = None
    if (said := _QUOTE.match(text, start)) is not None:
        seq, length = int(said[1]), int(said[2])
        quote = Quote(seq, text[said.end() : said.end() + length])
        start = said.end() + length + len(f"\n{QUOTE_END}\n")
    return SummaryText(quote, text[start:].removesuffix(frame.closing))


def _frames(covered: Seqs) -> str:
    if len(covered.ranges) > _NAMED_RANGES:
        return f"{len(covered)} frames between {covered.first} and {covered.last}"
    return ("frames " if len(covered) > 1 else "frame ") + str(covered).replace(",", ", ")
