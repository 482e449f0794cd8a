"""The pages of one frame and of one context message: the whole of what a row shows the beginning of."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.presenters.message_pages import context_message_page, frame_page
from inspector.presenters.whole import Manner
from inspector.reading_messages import window_message
from inspector.requests import InspectorRequest
from sessions_app import engine
from sessions_app.access.roles import Right


@require_safe
@session_view(Right.READ)
def frame(request: InspectorRequest, record: engine.SessionRecord, seq: int) -> HttpResponse:
    session_id, current = record.state.session_id, record.state.context_compression_version
    found = engine.reads.frame(session_id, seq)
    page = frame_page(
        record,
        found,
        Manner.of(request.GET),
        fates=engine.reads.fates_of_frame(session_id, seq=seq, since_version=found.context_version, current=current),
        replies=engine.reads.replies_by_call(session_id, seq) if found.role == "assistant" else {},
        now=timezone.now(),
    )
    return render(request, "inspector/frame.html", {"page": page})


@require_safe
@session_view(Right.READ)
def context_message(
    request: InspectorRequest, record: engine.SessionRecord, version: int, position: int
) -> HttpResponse:
    found = window_message(request, record, version, position)
    page = context_message_page(record, found, Manner.of(request.GET))
    return render(request, "inspector/context_message.html", {"page": page})
