"""What is read of an endpoint's answer: so many bytes and no more, of an error's too. Loads the SDK's HTTP client."""

from collections.abc import AsyncIterator
from typing import Final

import httpx2

MOST_BYTES: Final = 4 * 2**20
"""Several times what the longest summary needs, with every character of it escaped."""


class TooLong(Exception):
    """The rest of it is not read."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_BYTES
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise TooLong
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound(response: httpx2.Response) -> None:
    """A hook of the client, called before the body is read."""
    # Nothing packed was asked for: a small body that is unpacked into a huge one would pass the bound.
    response.headers.pop("Content-Encoding", None)
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)
