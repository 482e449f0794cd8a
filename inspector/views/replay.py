"""The replay page of a session: which strategy would have served it best. The page, or its figures as a file."""

import json
from typing import Final

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.inert import file_name
from inspector.presenters.replay_limits import lower_limit, lowered_told
from inspector.presenters.replay_page import replay_page
from inspector.refusals import refusal_of
from inspector.replay_state import AT_ONCE, OF_FORM, ReplayState
from inspector.requests import InspectorRequest
from inspector.slots import choices_of
from sessions_app import engine
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right
from sessions_app.compression.errors import Busy, TooManyFrames
from sessions_app.compression.replay import MOST_FRAMES, Replay, Terms, replay_json, replay_session
from sessions_app.compression.replay.tables import replay_csv

RETRY_AFTER_S: Final = 2


@require_safe
@session_view(Right.READ)
def replay(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponse:
    """With `format=csv` or `json` a file of what the rest of the address asks for. A short session is replayed at once,
    a long one when it is asked for, and one that is too long is refused before anybody asks. Where nobody said a limit
    and the recording never reaches the usual one, it is replayed with one that it reaches.
    """
    asked = ReplayState.of(record.state, request.GET)
    if any(request.GET.get(name) for name in OF_FORM):
        return redirect(asked.url(is_edited=True))
    made, lowered, refusal = None, "", None
    if asked.is_right and (asked.is_asked or asked.form or not AT_ONCE < record.state.frame_count <= MOST_FRAMES):
        try:
            made = _replayed(request, asked)
            if limit := lower_limit(asked, made):
                lowered = lowered_told(made, limit)
                asked = asked.with_limit(limit)
                made = _replayed(request, asked)
        except (Busy, TooManyFrames, engine.DamagedMessage) as e:
            refusal = refusal_of(e)
    if asked.form and made is not None:
        return _file(asked, made)
    page = replay_page(record, asked, made, refusal, lowered=lowered)
    status = refusal.status if refusal else 400 if asked.is_wrong else 200
    response = render(request, "inspector/replay.html", {"page": page}, status=status)
    if status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


def _replayed(request: InspectorRequest, asked: ReplayState) -> Replay:
    _state, made = replay_session(
        session_id=asked.session_id,
        user_id=actor_for(request).user_id,
        choices=choices_of(asked.slots),
        terms=asked.terms or Terms(),
    )
    return made


def _file(asked: ReplayState, made: Replay) -> HttpResponse:
    name = file_name(asked.session_id, f"replay.{asked.form}")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    if asked.form == "csv":
        return HttpResponse(replay_csv(made), content_type="text/csv; charset=utf-8", headers=headers)
    return HttpResponse(json.dumps(replay_json(made)), content_type="application/json", headers=headers)
