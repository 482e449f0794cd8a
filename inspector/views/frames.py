"""The pages of one frame and of one context message: the whole of what a row shows the beginning of."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.presenters.whole import context_message_page, frame_page
from inspector.requests import InspectorRequest
from inspector.view_state import ViewState
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
        fates=engine.reads.fates_of_frame(session_id, seq=seq, since_version=found.context_version, current=current),
        replies=engine.reads.replies_to(session_id, [seq])[seq] if found.role == "assistant" else (),
        now=timezone.now(),
    )
    return render(request, "inspector/frame.html", {"page": page})


@require_safe
@session_view(Right.READ)
def context_message(
    request: InspectorRequest, record: engine.SessionRecord, version: int, position: int
) -> HttpResponse:
    session_id, at_seq = record.state.session_id, ViewState.of(record.state.session_id, request.GET).at_seq
    one = {"after_position": position - 1, "limit": 1}
    if at_seq is not None:
        read = engine.reads.window_at(session_id, at_seq, **one)
    else:
        read = engine.reads.window_of_version(session_id, version, **one)
    if not read.placements or read.version != version:
        raise Http404(_("The window has no such message."))
    page = context_message_page(record, read, at_seq=at_seq)
    return render(request, "inspector/context_message.html", {"page": page})
