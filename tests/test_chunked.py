"""A body without its length is read, or refused: never taken for an empty one."""

from io import BytesIO
from typing import Any

import pytest

from config.chunked import Environ, with_length


def body_seen(environ: Environ) -> tuple[str, bytes]:
    """What an application behind the wrapper reads, with the length that it is told."""
    seen: list[tuple[str, bytes]] = []

    def application(environ: Environ, start_response: Any) -> list[bytes]:
        length = environ.get("CONTENT_LENGTH", "")
        seen.append((length, environ["wsgi.input"].read(int(length or 0))))
        return []

    with_length(application, limit=10)(environ, None)
    return seen[0]


def chunked(body: bytes, **members: Any) -> Environ:
    return {
        "wsgi.input": BytesIO(body),
        "HTTP_TRANSFER_ENCODING": "chunked",
        "wsgi.input_terminated": True,
        **members,
    }


@pytest.mark.parametrize(("sent", "read"), [(b"", b""), (b"0123456789", b"0123456789"), (b"x" * 99, b"x" * 11)])
def test_a_chunked_body_gets_a_length_and_at_most_one_byte_over_the_limit_is_read(sent: bytes, read: bytes) -> None:
    assert body_seen(chunked(sent)) == (str(len(read)), read)


def test_what_is_over_the_limit_is_read_away() -> None:
    environ = chunked(b"x" * 99)
    sent = environ["wsgi.input"]
    body_seen(environ)
    assert sent.read() == b""


def test_where_the_input_might_not_end_it_is_left_alone() -> None:
    environ = chunked(b"abc", **{"wsgi.input_terminated": False})
    assert body_seen(environ) == ("", b"")
    assert "HTTP_TRANSFER_ENCODING" in environ


def test_a_body_with_its_length_is_left_alone() -> None:
    assert body_seen({"wsgi.input": BytesIO(b"abc"), "CONTENT_LENGTH": "3"}) == ("3", b"abc")
