"""A session's page: raw frames on the left, a window on the right, the controls above. Whole, or a part for htmx."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.panels import Sent
from inspector.presenters.session_page import SessionPage, present
from inspector.reading import read_session
from inspector.requests import InspectorRequest, is_for
from inspector.view_state import ViewState
from sessions_app import engine
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right

PARTS = {part: f"inspector/_{part}.html" for part in ("session", "bands", "panel", "pinned", "frames", "context")}
"""The parts that htmx may ask for, by the id of the element that they replace."""


@require_safe
@session_view(Right.READ)
def session(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponse:
    view = ViewState.of(record.state.session_id, request.GET)
    return render_session(request, record, view)


def render_session(
    request: InspectorRequest,
    record: engine.SessionRecord,
    view: ViewState,
    *,
    sent: Sent | None = None,
    status: int = 200,
) -> HttpResponse:
    """`sent`: what came back to the open panel, where a form was refused or asked for a preview."""
    page = present(read_session(record, view), view, actor_for(request), sent=sent, now=timezone.now())
    part = next((name for name in PARTS if is_for(request, name)), "")
    # Not made a list of: a part that shows no notices leaves them for the next page.
    context = {"page": page, "notices": messages.get_messages(request), **_values_of(part, page)}
    return render(request, PARTS.get(part, "inspector/session.html"), context, status=status)


def _values_of(part: str, page: SessionPage) -> dict[str, Any]:
    """What the page hands to the partials that take values of their own."""
    match part:
        case "frames":
            return {"band": page.frames, "last_seq": page.head.last_seq}
        case "context":
            return {"band": page.context}
        case "pinned":
            return {"pinned": page.pinned}
    return {}
