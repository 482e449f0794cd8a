"""The whole readable text of one message, as plain text. For what a row and a page show the beginning of."""

from django.http import Http404, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.inert import file_name, text_response
from inspector.presenters.readable import call_text, readable, whole_text
from inspector.reading_messages import window_message
from inspector.requests import InspectorRequest
from sessions_app import engine
from sessions_app.access.roles import Right


@require_safe
@session_view(Right.READ)
def frame_text(request: InspectorRequest, record: engine.SessionRecord, seq: int) -> HttpResponseBase:
    session_id = record.state.session_id
    message = engine.reads.frame(session_id, seq).message
    return text_response(_asked(request, message), name=file_name(session_id, f"frame-{seq}.txt"))


@require_safe
@session_view(Right.READ)
def context_text(
    request: InspectorRequest, record: engine.SessionRecord, version: int, position: int
) -> HttpResponseBase:
    session_id = record.state.session_id
    message = window_message(request, record, version, position).placement.item.message
    return text_response(_asked(request, message), name=file_name(session_id, f"v{version}-message-{position}.txt"))


def _asked(request: InspectorRequest, message: engine.Message) -> tuple[str, ...]:
    """All of it, or with `part=reasoning` its reasoning, or with `call=2` its second call."""
    call, part = request.GET.get("call"), request.GET.get("part")
    if call is None and part is None:
        return whole_text(message)
    read = readable(message)
    if read and part == "reasoning" and read.reasoning:
        return (read.reasoning,)
    numbered = {str(n): c for n, c in enumerate(read.calls, start=1)} if read else {}
    if part is None and call in numbered:
        return call_text(numbered[call])
    raise Http404(_("The message has no such part."))
