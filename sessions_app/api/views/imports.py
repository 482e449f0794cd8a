"""Imports: a trajectory file of another tool becomes sessions."""

from typing import BinaryIO, cast

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app.access.roles import Right
from sessions_app.api import answers, bodies, docs
from sessions_app.api.parsers import WholeFormParser
from sessions_app.api.representations import report_json
from sessions_app.api.views.base import ApiView
from sessions_app.interchange import Importer, Report, Source, import_file


class ImportsView(ApiView):
    rights = {"POST": Right.IMPORT}
    parser_classes = [WholeFormParser]

    @extend_schema(
        operation_id="import_file",
        summary="Import a trajectory file",
        request=bodies.Import,
        responses=docs.responses(
            {200: answers.ImportReport, 201: answers.ImportReport},
            "session-exists",
            "conflict",
            "unknown-format",
            "damaged-frame",
            takes_file=True,
        ),
        examples=docs.examples("import_file", media_type=WholeFormParser.media_type),
        tags=["imports"],
    )
    def post(self, request: Request) -> Response:
        """Idempotent by itself, so it takes no `Idempotency-Key`: the same file again makes nothing (200, each session
        `exists`), and a file that has grown extends its sessions. Each session is stored whole or not at all; those
        that were stored before a failure stay, and the same request goes on with the rest.
        """
        actor = self.actor
        form = self.form(bodies.Import)
        report = import_file(
            Source(cast(BinaryIO, form.file.file), name=form.file.name or ""),
            Importer(owner_id=actor.user_id, created_by=actor.label, dry_run=form.dry_run),
            named=form.format,
        )
        status = 201 if report.has_news and not report.dry_run else 200
        return Response(report_json(report), status=status, headers=_link(report))


def _link(report: Report) -> dict[str, str]:
    """Where a person can look at what was imported: the session, or the list where there are several."""
    if report.dry_run or not report.sessions:
        return {}
    path = f"sessions/{report.sessions[0].session_id}/" if len(report.sessions) == 1 else ""
    return {"Link": f'<{settings.PUBLIC_URL}/{path}>; rel="inspector"'}
