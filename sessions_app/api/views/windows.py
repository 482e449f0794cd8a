"""Context windows: read them, see their versions, compress, recover."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import engine
from sessions_app.access.roles import Right
from sessions_app.api import answers, bodies, docs
from sessions_app.api.representations import compressed_json, head_json, placement_json, version_json, written_json
from sessions_app.api.views.base import SessionView, at_head, written_at
from sessions_app.compression import registry
from sessions_app.compression.policy import load_policy
from sessions_app.compression.previewing import tools_for
from sessions_app.compression.under_policy import params_under
from sessions_app.engine import Fault, InvalidInput


class ContextView(SessionView):
    rights = {"GET": Right.READ}
    queries = {"GET": bodies.ContextQuery}

    @extend_schema(
        operation_id="get_context",
        summary="Read a window as it is stored",
        parameters=docs.query(bodies.ContextQuery),
        responses=docs.responses({200: answers.Context}, "not-found", "version-not-kept", "damaged-frame"),
        tags=["context"],
    )
    def get(self, request: Request, session_id: str) -> Response:
        """The current one, that of a version, or what the model saw when a frame was written."""
        query: bodies.ContextQuery = self.params
        read, tokens = _read(session_id, query)
        answer = {
            "version": read.version,
            "tokens": tokens,
            "items": [placement_json(p) for p in read.placements],
            **head_json(read.state),
        }
        return at_head(answer, read.state)


def _read(session_id: str, query: bodies.ContextQuery) -> tuple[engine.reads.WindowRead, int]:
    """The window asked for, or the page of it, with the tokens of the whole."""
    if query.at_seq is not None:
        if query.version is not None:
            raise InvalidInput([Fault("/version", "cannot be given together with at_seq")])
        # What came later is left out, so the total is that of the messages, not of a version: read whole, then cut.
        whole = engine.reads.window_at(session_id, query.at_seq)
        return whole.page(after_position=query.after_position, limit=query.limit), whole.window.tokens
    if query.version is None:
        read = engine.reads.current_window(session_id, after_position=query.after_position, limit=query.limit)
        return read, read.state.context_tokens
    read = engine.reads.window_of_version(
        session_id, query.version, after_position=query.after_position, limit=query.limit
    )
    if query.version == read.state.context_compression_version:
        return read, read.state.context_tokens
    return read, engine.reads.tokens_of_version(session_id, query.version)


class ContextMessagesView(SessionView):
    rights = {"GET": Right.READ}

    @extend_schema(
        operation_id="get_context_messages",
        summary="Read the list to send to the model",
        responses=docs.responses({200: answers.Sendable}, "not-found", "damaged-frame"),
        tags=["context"],
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Always whole, and fit for providers: no empty message is in it."""
        read = engine.reads.current_window(session_id)
        return at_head({"messages": engine.sendable(p.item.message for p in read.placements)}, read.state)


class VersionsView(SessionView):
    rights = {"GET": Right.READ}

    @extend_schema(
        operation_id="list_versions",
        summary="Read the ledger of compressions",
        responses=docs.responses({200: answers.Versions}, "not-found"),
        tags=["context"],
    )
    def get(self, request: Request, session_id: str) -> Response:
        """A row for each version of the window, oldest first; it stays when old windows go."""
        state = engine.SessionState.of(self.session)
        versions = engine.reads.versions(session_id, current=state.context_compression_version)
        return at_head({"items": [version_json(v) for v in versions]}, state)


class CompressionsView(SessionView):
    rights = {"POST": Right.COMPRESS}

    @extend_schema(
        operation_id="compress",
        summary="Compress the window, or restore an earlier one",
        parameters=[docs.IF_MATCH, docs.IDEMPOTENCY_KEY],
        request=bodies.Compress,
        responses=docs.responses(
            {200: answers.Compressed, 201: answers.Compressed},
            "not-found",
            "version-not-kept",
            "conflict",
            "nothing-to-compress",
            "stale-head",
            "head-required",
            "idempotency-key-reused",
            "rule-broken",
            "damaged-frame",
            "summariser-failed",
            takes_body=True,
        ),
        examples=docs.examples("compress"),
        tags=["context"],
    )
    def post(self, request: Request, session_id: str) -> Response:
        """A dry run answers 200 and writes nothing; where a model would write it is refused. Raw frames stay."""
        body = self.body(bodies.Compress)
        expected, key, who = self.expected(), self.key(), self.actor.label
        if body.strategy == engine.RESTORE:
            params = bodies.parse(bodies.RestoreParams, body.params, pointer="/params")
            written = engine.restore(
                session_id=session_id,
                version=params.version,
                expected=expected,
                dry_run=body.dry_run,
                created_by=who,
                idempotency=key,
            )
        else:
            strategy = registry.usable(body.strategy)
            parameters = params_under(load_policy(self.session.compression_policy), strategy, body.params)
            policy_text, dry_run = self.session.compression_policy, body.dry_run
            written = engine.compress(
                session_id=session_id,
                strategy=strategy,
                params=parameters,
                expected=expected,
                dry_run=dry_run,
                tools=tools_for(strategy, parameters, policy_text=policy_text, dry_run=dry_run),
                created_by=who,
                idempotency=key,
            )
        status = 200 if written.dry_run else 201
        return written_at(compressed_json(written), written.state, status=status, replayed=written.replayed)


class RecoveryView(SessionView):
    rights = {"POST": Right.RECOVER}

    @extend_schema(
        operation_id="recover",
        summary="Answer the open calls of an interrupted run",
        parameters=[docs.IF_MATCH, docs.IDEMPOTENCY_KEY],
        request=bodies.Recover,
        responses=docs.responses(
            {200: answers.Recovered},
            "not-found",
            "conflict",
            "stale-head",
            "head-required",
            "idempotency-key-reused",
            takes_body=True,
        ),
        examples=docs.examples("recover"),
        tags=["context"],
    )
    def post(self, request: Request, session_id: str) -> Response:
        """One frame for each open call, saying that its result is unknown. No open call: nothing is written."""
        body = self.body(bodies.Recover)
        written = engine.recover(
            session_id=session_id,
            expected=self.expected(),
            reason=body.reason,
            dry_run=body.dry_run,
            idempotency=self.key(),
        )
        return written_at(
            written_json(written, frames_as="recovered"),
            written.state,
            status=200,
            seq=written.frames[0].seq if written.frames and not written.dry_run else None,
            replayed=written.replayed,
        )
