"""Bodies that come in chunks, without their length: Django would read them as empty."""

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

Environ = dict[str, Any]
_PIECE = 64 * 1024

Application = Callable[[Environ, Any], Iterable[bytes]]


def with_length(application: Application, *, limit: int) -> Application:
    """Read a body without a length up to one byte over `limit`, which is enough for it to be refused as too large.

    Only where the server says that its input ends (`wsgi.input_terminated`): elsewhere a read might wait for ever.
    """

    def wrapper(environ: Environ, start_response: Any) -> Iterable[bytes]:
        chunked = environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked"
        if chunked and not environ.get("CONTENT_LENGTH") and environ.get("wsgi.input_terminated"):
            stream = environ["wsgi.input"]
            body = stream.read(limit + 1)
            # The rest is read away: a client that is still sending would lose the answer with the connection.
            while stream.read(_PIECE):
                pass
            environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
            del environ["HTTP_TRANSFER_ENCODING"]
        return application(environ, start_response)

    return wrapper
