"""What a page that follows its session is told: nothing new, or what came since it was drawn."""

from dataclasses import replace

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.presenters.live import is_mark_of_the_same, mark_of
from inspector.presenters.rows import ContextLine, context_lines, frame_lines
from inspector.presenters.session_page import present
from inspector.reading import Reading, again, read_session, replaced_messages
from inspector.requests import InspectorRequest
from inspector.view_state import ViewState, number_in
from sessions_app import engine
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right


@require_safe
@session_view(Right.READ)
def live(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponse:
    """204 where the session's row is as the page saw it: that costs the row, and nothing else.

    Else the parts that move, each for its own place, and what comes after `last` and `last_position`; calls that it
    answers are drawn again. A page that shows a window which is no longer the current one goes on showing it, and says
    so: nothing is taken from under a reader.
    """
    seen = request.GET.get("seen", "")
    if seen == mark_of(record):
        return HttpResponse(status=204)
    if seen and not is_mark_of_the_same(seen, record):
        raise Http404(_("The session of this page was deleted, and another was made under its id."))
    view = ViewState.of(record.state.session_id, request.GET)
    last, position = number_in(request.GET, "last"), number_in(request.GET, "last_position")
    drawn, current = number_in(request.GET, "drawn"), record.state.context_compression_version
    is_superseded = view.at_seq is None and view.version is None and drawn is not None and drawn < current
    if is_superseded:
        view = view.with_(version=drawn)
    came = view.with_(after_seq=last, after_position=position)
    reading = read_session(record, came.with_(compare=None))
    now = timezone.now()
    page = present(reading, view, actor_for(request), sent=None, now=now)
    answered = _answered(reading, last) if last else ()
    context = {
        "page": page,
        "new_frames": page.frames.lines if last is not None else (),
        "changed_frames": frame_lines(again(reading, view, answered), view, now=now) if answered else (),
        "changed_messages": _changed_messages(reading, view, position) if last and position else (),
        "new_messages": page.context.lines if position is not None else (),
        "is_superseded": is_superseded,
    }
    return render(request, "inspector/_live.html", context)


def _answered(reading: Reading, last: int) -> tuple[int, ...]:
    """The frames up to `last` that what came is about: calls that were answered, recovery frames that a late reply
    follows.
    """
    about = {seq for row in reading.frames.items for seq in (row.call_seq, row.recovery_seq) if seq}
    return tuple(sorted(seq for seq in about if seq <= last))


def _changed_messages(reading: Reading, view: ViewState, position: int) -> tuple[ContextLine, ...]:
    rows = replaced_messages(reading, view, last_position=position)
    return context_lines(replace(reading, window=rows), view) if rows else ()
