"""What a page that follows its session is told: nothing new, or what came since it was drawn."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.presenters.live import mark_of
from inspector.presenters.session_page import present
from inspector.reading import read_session
from inspector.requests import InspectorRequest
from inspector.view_state import ViewState, number_in
from sessions_app import engine
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right


@require_safe
@session_view(Right.READ)
def live(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponse:
    """204 where the session's row is as the page saw it: that costs the row, and nothing else.

    Else the parts that move, each for its own place, and what comes after `last` and `last_position`. A page that shows
    a window which is no longer the current one goes on showing it, and says so: nothing is taken from under a reader.
    """
    if request.GET.get("seen") == mark_of(record):
        return HttpResponse(status=204)
    view = ViewState.of(record.state.session_id, request.GET)
    last, position = number_in(request.GET, "last"), number_in(request.GET, "last_position")
    drawn, current = number_in(request.GET, "drawn"), record.state.context_compression_version
    is_superseded = view.at_seq is None and view.version is None and drawn is not None and drawn < current
    if is_superseded:
        view = view.with_(version=drawn)
    came = view.with_(after_seq=last, after_position=position)
    reading = read_session(record, came.with_(compare=None))
    page = present(reading, view, actor_for(request), sent=None, now=timezone.now())
    context = {
        "page": page,
        "new_frames": page.frames.lines if last is not None else (),
        "new_messages": page.context.lines if position is not None else (),
        "is_superseded": is_superseded,
    }
    return render(request, "inspector/_live.html", context)
