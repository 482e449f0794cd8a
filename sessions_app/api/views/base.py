"""What all views share: who asks, for which session, under which head, and how an answer names the head."""

from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http.response import HttpResponseBase
from pydantic import BaseModel
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app.access.actors import Actor, actor_for
from sessions_app.access.roles import Right
from sessions_app.access.sessions import require, session_for
from sessions_app.api import bodies
from sessions_app.api.preconditions import expected_head, idempotency_key
from sessions_app.api.representations import etag
from sessions_app.engine import Expected, Fault, IdempotencyKey, InvalidInput, SessionState, escape_pointer
from sessions_app.models import Session

_B = TypeVar("_B", bound=bodies.Body)


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
        self.params = _read_query(request, self.queries.get(method, bodies.NoQuery))

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
        if self.request.headers.get("Transfer-Encoding"):
            # WSGI hands over no body without its length: it would be taken for an empty one.
            raise InvalidInput([Fault("Content-Length", "is missing: a body must be sent with its length")])
        return bodies.parse(model, {})

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
    left = min(int(request.META["CONTENT_LENGTH"]), _READ_AWAY)
    while left > 0 and (piece := request.META["wsgi.input"].read(min(left, 65_536))):
        left -= len(piece)


def _read_query(request: Request, model: type[bodies.Query]) -> BaseModel:
    given = dict(request.query_params.lists())
    faults = [Fault(_at(name), "is given more than once") for name, values in given.items() if len(values) > 1]
    faults += [Fault(_at(name), "holds NUL") for name, values in given.items() if any("\0" in v for v in values)]
    if faults:
        raise InvalidInput(faults)
    return bodies.parse(model, request.query_params.dict())


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
