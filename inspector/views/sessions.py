"""The list of sessions."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from inspector.decorators import signed_in
from inspector.list_state import ListState
from inspector.presenters.session_list import present_list
from inspector.requests import InspectorRequest, is_for
from sessions_app import engine
from sessions_app.access.actors import actor_for
from sessions_app.access.sessions import sessions_for

LIMIT = 50


@require_safe
@signed_in
def sessions(request: InspectorRequest) -> HttpResponse:
    state = ListState.of(request.GET)
    found = engine.reads.sessions_page(
        sessions_for(actor_for(request)), wanted=state.filter, after=state.mark, limit=LIMIT
    )
    page = present_list(found, state, now=timezone.now())
    template = "inspector/_sessions.html" if is_for(request, "sessions") else "inspector/sessions.html"
    return render(request, template, {"page": page})
