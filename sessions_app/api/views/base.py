"""What all views share: who asks, for which session, under which head, and how an answer names the head."""

from typing import Any, ClassVar, TypeVar, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http.response import HttpResponseBase
from django.utils.datastructures import MultiValueDict
from pydantic import BaseModel
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app.access.actors import Actor, actor_for
from sessions_app.access.roles import Right
from sessions_app.access.sessions import require, session_for
from sessions_app.api import bodies
from sessions_app.api.parsers import NotMultipart
from sessions_app.api.preconditions import expected_head, idempotency_key
from sessions_app.api.representations import etag
from sessions_app.engine import Expected, Fault, IdempotencyKey, InvalidInput, SessionState, escape_pointer
from sessions_app.models import Session

_B = TypeVar("_B", bound=bodies.Body)
_M = TypeVar("_M", bound=BaseModel)


class Negotiation(DefaultContentNegotiation):
    """An empty `Accept` asks for nothing in particular."""

    def get_accept_list(self, request: Request) -> list[str]:
        accepted: list[str] = super().get_accept_list(request)
        return accepted if any(accepted) else ["*/*"]


class ApiView(APIView):
    """A route. `rights` names the right that each method needs, `queries` its query parameters; others take none."""

    rights: ClassVar[dict[str, Right]] = {}
    content_negotiation_class = Negotiation
    queries: ClassVar[dict[str, type[bodies.Query]]] = {}
    params: Any

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """What is refused before a method runs, in this order: 406, 401, 404, 403, and 400 for the query."""
        super().initial(request, *args, **kwargs)
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method in self.rights:
            self.admit(self.rights[method])
        self.params = _read_fields(request.query_params, self.queries.get(method, bodies.NoQuery))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """No cache keeps an answer: the next write makes it untrue."""
        finished: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        finished.headers.setdefault("Cache-Control", "no-store")
        return finished

    def admit(self, right: Right) -> None:
        """Raises Forbidden."""
        require(self.actor, right)

    def body(self, model: type[_B]) -> _B:
        # Read whole before it is parsed: the size is checked here, and a key's hash is made of the bytes.
        try:
            is_given = bool(self.request.body)
        except RequestDataTooBig:
            _read_away(self.request)
            raise
        if is_given:
            return bodies.parse(model, self.request.data)
        self._ensure_length()
        return bodies.parse(model, {})

    def form(self, model: type[_B]) -> _B:
        """The fields and files of a multipart form. It is never held whole, so its size is checked by its length."""
        request = self.request
        try:
            if self.get_content_negotiator().select_parser(request, self.get_parsers()) is None:
                raise NotMultipart(request.content_type)
            if _length(request) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
                raise RequestDataTooBig
            self._ensure_length()
            given = cast("MultiValueDict[str, Any]", request.data)
        except Exception:
            _read_away(request)
            raise
        return _read_fields(given, model)

    def _ensure_length(self) -> None:
        if self.request.headers.get("Transfer-Encoding"):
            # WSGI hands over no body without its length: it would be taken for an empty one.
            raise InvalidInput([Fault("Content-Length", "is missing: a body must be sent with its length")])

    @property
    def actor(self) -> Actor:
        return actor_for(self.request)

    def key(self) -> IdempotencyKey | None:
        return idempotency_key(self.request, owner_id=self.actor.user_id)


class SessionView(ApiView):
    """A route below one session, which is reached in this way only. Every method of it needs a right."""

    session: Session

    def admit(self, right: Right) -> None:
        """Raises SessionNotFound, then Forbidden."""
        self.session = session_for(self.actor, self.kwargs["session_id"], right)

    def expected(self) -> Expected:
        return expected_head(self.request, self.session)


_READ_AWAY = 128 * 1024 * 1024


def _read_away(request: Request) -> None:
    """Take what is still being sent, up to a bound: many a client reads no answer before it has sent all."""
    left = _READ_AWAY
    while left > 0 and (piece := request._request.read(min(left, 65_536))):
        left -= len(piece)


def _length(request: Request) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _read_fields(given: MultiValueDict[str, Any], model: type[_M]) -> _M:
    """A query or a form: each name once."""
    lists = dict(given.lists())
    faults = [Fault(_at(name), "is given more than once") for name, values in lists.items() if len(values) > 1]
    faults += [Fault(_at(name), "holds NUL") for name, values in lists.items() if any(_has_nul(v) for v in values)]
    if faults:
        raise InvalidInput(faults)
    return bodies.parse(model, given.dict())


def _has_nul(value: object) -> bool:
    return isinstance(value, str) and "\0" in value


def _at(name: str) -> str:
    return f"/{escape_pointer(name)}"


def at_head(data: Any, state: SessionState, *, status: int = 200) -> Response:
    """An answer about a session: it names the head."""
    return Response(data, status=status, headers={"ETag": etag(state)})


def written_at(
    data: Any, state: SessionState, *, status: int, seq: int | None = None, replayed: bool = False
) -> Response:
    """An answer to a write: it names the head after it, and where a person can look at it."""
    response = at_head(data, state, status=status)
    anchor = "" if seq is None else f"#f-{seq}"
    response["Link"] = f'<{settings.PUBLIC_URL}/sessions/{state.session_id}/{anchor}>; rel="inspector"'
    if replayed:
        response["Idempotent-Replayed"] = "true"
    return response
