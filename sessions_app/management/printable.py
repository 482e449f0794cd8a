"""Text of anybody's on a terminal of ours."""

from typing import Protocol


class Stream(Protocol):
    def write(self, text: str, /) -> object: ...


def printable(text: str) -> str:
    """Names of files, and of kinds of records, are anybody's: they must not steer the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def encodable(text: str, stream: Stream) -> str:
    """What the stream cannot take is escaped."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
