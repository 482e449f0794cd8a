"""What all views share: who asks, for which session, under which head, and how an answer names the head."""

from typing import Any, ClassVar, TypeVar

from django.conf import settings
from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app.access.actors import Actor, actor_for
from sessions_app.access.roles import Right
from sessions_app.access.sessions import session_for
from sessions_app.api import bodies
from sessions_app.api.preconditions import expected_head, idempotency_key
from sessions_app.api.representations import etag
from sessions_app.engine import Expected, Fault, IdempotencyKey, InvalidInput, SessionState
from sessions_app.models import Session

_B = TypeVar("_B", bound=bodies.Body)


class ApiView(APIView):
    """A route. `queries` names the query parameters of each method; others take none."""

    queries: ClassVar[dict[str, type[bodies.Query]]] = {}
    params: Any

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.headers.get("Transfer-Encoding"):
            # WSGI hands over no body without its length: it would be taken for an empty one.
            raise InvalidInput([Fault("Content-Length", "is missing: a body must be sent with its length")])
        self.params = self._query(request)

    def _query(self, request: Request) -> BaseModel:
        twice = [name for name, values in request.query_params.lists() if len(values) > 1]
        if twice:
            raise InvalidInput([Fault(f"/{name}", "is given more than once") for name in twice])
        model = self.queries.get(str(request.method), bodies.NoQuery)
        query = request.query_params.dict()
        unstorable = [name for name, value in query.items() if "\0" in value]
        if unstorable:
            raise InvalidInput([Fault(f"/{name}", "holds NUL") for name in unstorable])
        return bodies.parse(model, query)

    def body(self, model: type[_B]) -> _B:
        # Read whole before it is parsed: the size is checked here, and a key's hash is made of the bytes.
        data = self.request.data if self.request.body else {}
        return bodies.parse(model, data)

    @property
    def actor(self) -> Actor:
        return actor_for(self.request)

    def key(self) -> IdempotencyKey | None:
        return idempotency_key(self.request, owner_id=self.actor.user_id)


class SessionView(ApiView):
    """A route below one session, which is reached in this way only."""

    def session(self, right: Right) -> Session:
        """Raises SessionNotFound, then Forbidden."""
        return session_for(self.actor, self.kwargs["session_id"], right)

    def expected(self, session: Session) -> Expected:
        return expected_head(self.request, session)


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
