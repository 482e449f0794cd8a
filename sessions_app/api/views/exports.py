"""Export: a session as a file."""

from typing import Final

from django.http import FileResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from sessions_app import engine
from sessions_app.access.roles import Right
from sessions_app.api import answers, bodies, docs
from sessions_app.api.renderers import JSONLinesRenderer, JSONRenderer
from sessions_app.api.representations import etag
from sessions_app.api.views.base import Negotiation, SessionView
from sessions_app.interchange import export_session

_PIECE: Final = 64 * 1024


class _JSONAsked(Negotiation):
    """Who sends `Accept: application/json` with everything means this too: it is lines of it."""

    def get_accept_list(self, request: Request) -> list[str]:
        accepted = super().get_accept_list(request)
        asks_json = any(kind.split(";")[0].strip() == JSONRenderer.media_type for kind in accepted)
        return [*accepted, JSONLinesRenderer.media_type] if asks_json else accepted


class ExportView(SessionView):
    content_negotiation_class = _JSONAsked
    rights = {"GET": Right.READ}
    queries = {"GET": bodies.ExportQuery}
    renderer_classes = [JSONLinesRenderer]

    @extend_schema(
        operation_id="export_session",
        summary="Download the messages, or a bundle of everything",
        parameters=docs.query(bodies.ExportQuery),
        responses=docs.responses({200: answers.ExportLine}, "not-found", "conflict", "damaged-frame"),
        examples=docs.lines(JSONLinesRenderer.media_type),
        tags=["imports"],
    )
    def get(self, request: Request, session_id: str) -> FileResponse:
        """JSON Lines. Importing a bundle makes an equal session. The ETag names the head that the file is of."""
        export = export_session(engine.SessionState.of(self.session), self.params.kind)
        response = FileResponse(
            export.file, as_attachment=True, filename=export.name, content_type=JSONLinesRenderer.media_type
        )
        response.block_size = _PIECE
        response["ETag"] = etag(export.state)
        return response
