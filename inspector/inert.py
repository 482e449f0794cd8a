"""What a session holds, served by itself: it may not run, load anything, or be taken for what it does not say it is."""

import re
from collections.abc import Iterable, Iterator
from typing import IO, Final

from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from sessions_app import jsontext

PIECE: Final = 64 * 1024
"""Characters or bytes that are sent at once: between two, other requests have their turn."""

TEXT: Final = "text/plain; charset=utf-8"
_POLICY: Final = "sandbox; default-src 'none'"


def text_response(texts: Iterable[str], *, name: str) -> StreamingHttpResponse:
    """Made into bytes piece by piece: of a text of megabytes there is no second copy."""
    return StreamingHttpResponse(pieces(texts), content_type=TEXT, headers=_headers(name))


def file_response(file: IO[bytes], *, name: str) -> FileResponse:
    """`file` stands at its start, is UTF-8, and is closed with the response."""
    # Named as an argument too: else it is guessed from the file.
    response = FileResponse(file, content_type=TEXT, headers=_headers(name))
    response.block_size = PIECE
    return response


def image_response(data: bytes, *, media_type: str, name: str) -> HttpResponse:
    return HttpResponse(data, content_type=media_type, headers=_headers(name))


def file_name(session_id: str, what: str) -> str:
    """No colon, which Windows refuses; the beginning is ours, so that no name is hidden or reserved."""
    return f"session-{re.sub(r'[^A-Za-z0-9._-]', '_', session_id)[:100]}-{what}"


def _headers(name: str) -> dict[str, str]:
    return {
        "Content-Disposition": f'inline; filename="{name}"',
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
    }


def pieces(texts: Iterable[str]) -> Iterator[bytes]:
    """UTF-8; what it cannot carry is U+FFFD."""
    for text in texts:
        for start in range(0, len(text), PIECE):
            yield jsontext.printable(text[start : start + PIECE]).encode()
