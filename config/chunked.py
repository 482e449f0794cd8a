"""Bodies that come in chunks, without their length: Django would read them as empty."""

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]


def with_length(application: Application, *, limit: int) -> Application:
    """Read a body without a length up to one byte over `limit`, which is enough for it to be refused as too large.

    Only where the server says that its input ends (`wsgi.input_terminated`): elsewhere a read might wait for ever.
    """

    def wrapper(environ: Environ, start_response: Any) -> Iterable[bytes]:
        chunked = environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked"
        if chunked and not environ.get("CONTENT_LENGTH") and environ.get("wsgi.input_terminated"):
            body = environ["wsgi.input"].read(limit + 1)
            environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
            del environ["HTTP_TRANSFER_ENCODING"]
        return application(environ, start_response)

    return wrapper
