"""The list of sessions, and what all of them come to."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from inspector.decorators import signed_in
from inspector.list_state import ListState, drawn_from
from inspector.presenters.figures import present_figures
from inspector.presenters.session_list import present_list
from inspector.requests import InspectorRequest, is_for
from sessions_app import engine
from sessions_app.access.actors import Actor, actor_for
from sessions_app.access.sessions import sessions_for
from sessions_app.access.users import usernames

LIMIT = 50


@require_safe
@signed_in
def sessions(request: InspectorRequest) -> HttpResponse:
    """The page; for a search its list alone; for a page that asks whether it still holds, nothing where it does."""
    actor, state, now = actor_for(request), ListState.of(request.GET), timezone.now()
    seen = sessions_for(actor)
    found = engine.reads.sessions_page(seen, wanted=state.filter, after=state.mark, limit=LIMIT)
    drawn, is_part = drawn_from(found, now=now), is_for(request, "sessions")
    drawn_before = request.GET.get("drawn") if is_part else None
    if drawn_before == drawn:
        return HttpResponse(status=204)
    page = present_list(found, state, owners=_others(found, actor), drawn=drawn, now=now)
    if is_part and drawn_before is None:
        return render(request, "inspector/_sessions.html", {"page": page})
    figures = present_figures(engine.reads.figures(seen))
    template = "inspector/_sessions_again.html" if is_part else "inspector/sessions.html"
    return render(request, template, {"page": page, "figures": figures})


def _others(found: engine.reads.SessionsPage, actor: Actor) -> dict[int, str]:
    """The names of the owners who are not the reader: staff alone sees the sessions of such."""
    return usernames({record.state.owner_id for record in found.items} - {actor.user_id})
