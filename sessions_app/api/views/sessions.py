"""Sessions: list, create, read, change, delete."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import engine
from sessions_app.access.roles import Right
from sessions_app.access.sessions import sessions_for
from sessions_app.api import answers, bodies, docs
from sessions_app.api.cursors import dump_cursor, load_cursor
from sessions_app.api.representations import session_json
from sessions_app.api.views.base import ApiView, SessionView, at_head, written_at
from sessions_app.compression.policy import parse_policy


class SessionsView(ApiView):
    rights = {"GET": Right.READ, "POST": Right.CREATE}
    queries = {"GET": bodies.SessionsQuery}

    @extend_schema(
        operation_id="list_sessions",
        summary="List sessions",
        parameters=docs.query(bodies.SessionsQuery),
        responses=docs.responses({200: answers.SessionsPage}),
        tags=["sessions"],
    )
    def get(self, request: Request) -> Response:
        """Those of the user; with the role staff, everyone's. Newest change first, ties by id."""
        wanted: bodies.SessionsQuery = self.params
        page = engine.reads.sessions_page(
            sessions_for(self.actor),
            wanted=engine.reads.SessionFilter(
                search=wanted.search, state=wanted.state, label=wanted.label, ordering=wanted.ordering
            ),
            after=None if wanted.cursor is None else load_cursor(wanted.cursor, wanted.ordering),
            limit=wanted.limit,
        )
        next_cursor = None if page.next is None else dump_cursor(page.next, wanted.ordering)
        return Response({"items": [session_json(r) for r in page.items], "next_cursor": next_cursor})

    @extend_schema(
        operation_id="create_session",
        summary="Create a session",
        parameters=[docs.IDEMPOTENCY_KEY],
        request=bodies.CreateSession,
        responses=docs.responses(
            {201: answers.Session},
            "open-tool-calls",
            "unmatched-tool-reply",
            "session-exists",
            "idempotency-key-reused",
            takes_body=True,
        ),
        examples=docs.examples("create_session"),
        tags=["sessions"],
    )
    def post(self, request: Request) -> Response:
        """With its first messages, if any: all of it or nothing."""
        actor = self.actor
        body = self.body(bodies.CreateSession)
        created = engine.create(
            owner_id=actor.user_id,
            session_id=body.session_id,
            title=body.title,
            labels=body.labels,
            keep_context_history=body.keep_context_history,
            require_head=body.require_head,
            compression_policy=parse_policy(body.compression_policy, current=""),
            messages=body.messages,
            created_by=actor.label,
            idempotency=self.key(),
        )
        state = created.record.state
        response = written_at(
            session_json(created.record),
            state,
            status=201,
            seq=1 if state.frame_count else None,
            replayed=created.replayed,
        )
        response["Location"] = f"{request.path}{state.session_id}/"
        return response


class OneSessionView(SessionView):
    rights = {"GET": Right.READ, "PATCH": Right.CHANGE, "DELETE": Right.DELETE}

    @extend_schema(
        operation_id="get_session",
        summary="Read head and counters",
        responses=docs.responses({200: answers.Session}, "not-found"),
        tags=["sessions"],
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Where it stands, what it is called and set to, and how large it is. Reads no message."""
        record = engine.SessionRecord.of(self.session)
        return at_head(session_json(record), record.state)

    @extend_schema(
        operation_id="change_session",
        summary="Change title, labels and settings",
        parameters=[docs.IF_MATCH_OPTIONAL],
        request=bodies.ChangeSession,
        responses=docs.responses({200: answers.Session}, "not-found", "stale-head", takes_body=True),
        examples=docs.examples("change_session"),
        tags=["sessions"],
    )
    def patch(self, request: Request, session_id: str) -> Response:
        """Only what is named changes. Needs no head and moves none."""
        body = self.body(bodies.ChangeSession)
        given = {name: getattr(body, name) for name in body.model_fields_set}
        if "compression_policy" in given:
            given["compression_policy"] = parse_policy(body.compression_policy, current=self.session.compression_policy)
        record = engine.change(session_id=session_id, expected=self.expected(), **given)
        return written_at(session_json(record), record.state, status=200)

    @extend_schema(
        operation_id="delete_session",
        summary="Delete a session",
        parameters=[docs.IF_MATCH_REQUIRED],
        responses=docs.responses({204: None}, "not-found", "stale-head", "head-required"),
        tags=["sessions"],
    )
    def delete(self, request: Request, session_id: str) -> Response:
        """With its frames, windows and ledger, for ever. Needs the head, or `If-Match: *`."""
        engine.delete(session_id=session_id, expected=self.expected())
        return Response(status=204)
