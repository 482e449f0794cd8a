"""Raw frames: append and read."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import compression, engine
from sessions_app.access.roles import Right
from sessions_app.api import answers, bodies, docs
from sessions_app.api.representations import frame_json, written_json
from sessions_app.api.views.base import SessionView, at_head, written_at
from sessions_app.engine import Fault, InvalidInput


class FramesView(SessionView):
    rights = {"GET": Right.READ, "POST": Right.APPEND}
    queries = {"GET": bodies.FramesQuery}

    @extend_schema(
        operation_id="list_frames",
        summary="Read raw frames",
        parameters=docs.query(bodies.FramesQuery),
        responses=docs.responses({200: answers.FramesPage}, "not-found", "damaged-frame"),
        tags=["frames"],
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Ascending: the last ones, or those after `after_seq`, or before `before_seq`, both exclusive."""
        state = engine.SessionState.of(self.session)
        query: bodies.FramesQuery = self.params
        if query.after_seq is not None and query.before_seq is not None:
            raise InvalidInput([Fault("/before_seq", "cannot be given together with after_seq")])
        wanted = engine.reads.FrameFilter(
            role=query.role, tool=query.tool or None, errors=query.errors, search=query.search or None
        )
        page = engine.reads.frames_page(
            session_id,
            last_seq=state.frame_count,
            wanted=wanted,
            after_seq=query.after_seq,
            before_seq=query.before_seq,
            limit=query.limit,
        )
        answer = {
            "items": [frame_json(f) for f in page.items],
            "next_after_seq": page.next_after_seq,
            "previous_before_seq": page.previous_before_seq,
            "total": state.frame_count if wanted.is_empty else None,
        }
        return at_head(answer, state)

    @extend_schema(
        operation_id="append_frames",
        summary="Append messages",
        parameters=[docs.IF_MATCH, docs.IDEMPOTENCY_KEY],
        request=bodies.Append,
        responses=docs.responses(
            {201: answers.Appended},
            "not-found",
            "conflict",
            "open-tool-calls",
            "unmatched-tool-reply",
            "stale-head",
            "head-required",
            "idempotency-key-reused",
            takes_body=True,
        ),
        examples=docs.examples("append_frames"),
        tags=["frames"],
    )
    def post(self, request: Request, session_id: str) -> Response:
        """One to 1,000 messages, all or none. With `auto` in its policy a window that is due is compressed then, and
        the answer has `compressed`. A window that is due and cannot be made smaller stays; a dry run of the policy's
        strategy says why.
        """
        body = self.body(bodies.Append)
        written = compression.append(
            session_id=session_id,
            messages=body.messages,
            expected=self.expected(),
            recover=body.recover,
            metadata=body.metadata,
            idempotency=self.key(),
            created_by=self.actor.label,
        )
        return written_at(
            written_json(written, frames_as="frames"),
            written.state,
            status=201,
            seq=written.frames[0].seq if written.frames else None,
            replayed=written.replayed,
        )


class OneFrameView(SessionView):
    rights = {"GET": Right.READ}

    @extend_schema(
        operation_id="get_frame",
        summary="Read one frame and what became of it",
        responses=docs.responses({200: answers.FrameWithVersions}, "not-found", "damaged-frame"),
        tags=["frames"],
    )
    def get(self, request: Request, session_id: str, seq: int) -> Response:
        """As it was sent, and what each version of the window made of it."""
        state = engine.SessionState.of(self.session)
        frame = engine.reads.frame(session_id, seq)
        fates = engine.reads.fates_of_frame(
            session_id, seq=seq, since_version=frame.context_version, current=state.context_compression_version
        )
        versions = [{"version": f.version, "kept": f.kept, "fate": f.fate, "position": f.position} for f in fates]
        return at_head({**frame_json(frame), "versions": versions}, state)
