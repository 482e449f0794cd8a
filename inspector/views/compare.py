"""The compare page: what several strategies would make of the window now, side by side. Writes nothing."""

from dataclasses import replace

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from inspector.candidates import make_candidate, read_candidate
from inspector.compare_view import OF_FORM, CompareView
from inspector.decorators import session_view
from inspector.inert import file_name, text_response
from inspector.presenters.candidate import bands_of, opened_of
from inspector.presenters.compare_page import compare_page
from inspector.presenters.comparison import candidate_rows
from inspector.presenters.measure_table import measure_table
from inspector.presenters.readable import whole_text
from inspector.refusals import EXPECTED, refusal_of
from inspector.requests import InspectorRequest, is_for
from inspector.slots import choices_of, usual
from inspector.wording import in_words
from sessions_app import engine
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right
from sessions_app.compression.comparison import compare as compare_strategies
from sessions_app.compression.errors import TooManyFrames

PARTS = ("frames", "context", "pinned", "bands")
"""Parts of an opened candidate that its scripts ask for, by the id of the element that they replace."""


@require_safe
@session_view(Right.READ)
def compare(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponseBase:
    view = _view(request, record)
    if view.is_right and any(name in request.GET for name in OF_FORM):
        return redirect(view.url(fragment=_place_in_the_form(request, view)))
    if part := next((name for name in PARTS if is_for(request, name)), ""):
        return _part(request, record, view, part)
    try:
        return _page(request, record, view)
    except EXPECTED as error:
        refusal = refusal_of(error)
        if isinstance(error, TooManyFrames):
            refusal = replace(refusal, advice=_("A single strategy can be looked at: Compress on the session's page."))
        page = compare_page(record, view, refusal=refusal, read_only=_read_only(request))
        return render(request, "inspector/compare.html", {"page": page}, status=refusal.status)


@require_safe
@session_view(Right.READ)
def compare_text(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponseBase:
    """The whole text of a message of a candidate, as plain text."""
    view = _view(request, record)
    _state, window = _candidate(record, view)
    position = view.message or 0
    if not 1 <= position <= len(window):
        raise Http404(_("The candidate has no such message."))
    name = file_name(record.state.session_id, f"candidate-message-{position}.txt")
    return text_response(whole_text(window[position - 1].message), name=name)


def _page(request: InspectorRequest, record: engine.SessionRecord, view: CompareView) -> HttpResponse:
    read_only, status = _read_only(request), 200 if view.is_right else 400
    slots = tuple(slot for slot in view.slots if slot.choice)
    if not slots or view.probe_error:
        page = compare_page(record, view, read_only=read_only)
        return render(request, "inspector/compare.html", {"page": page}, status=status)
    compared = compare_strategies(
        session_id=view.session_id,
        user_id=actor_for(request).user_id,
        choices=choices_of(slots),
        probes=view.probes,
    )
    now = replace(record, state=compared.state)
    window = next((r.window for r, s in zip(compared.results, slots, strict=True) if s == view.opened), None)
    opened = None
    if window is not None:
        reading = read_candidate(now, compared.state, window, view)
        opened = opened_of(reading, compared, slots, view, now=timezone.now())
    page = compare_page(
        now,
        view,
        rows=candidate_rows(compared, slots, now, view, actor_for(request)),
        measures=measure_table(compared, slots),
        opened=opened,
        read_only=read_only,
    )
    return render(request, "inspector/compare.html", {"page": page}, status=status)


def _part(request: InspectorRequest, record: engine.SessionRecord, view: CompareView, part: str) -> HttpResponse:
    """A part of the opened candidate: that one alone is made again."""
    state, window = _candidate(record, view)
    bands = bands_of(read_candidate(record, state, window, view), view, now=timezone.now())
    return render(request, "inspector/_candidate_part.html", {"part": part, "bands": bands})


def _candidate(record: engine.SessionRecord, view: CompareView) -> tuple[engine.SessionState, engine.Window]:
    """Raises Http404 where the address names none that has a window."""
    if view.opened is None or view.opened.choice is None:
        raise Http404(_("The address names no candidate."))
    try:
        state, window = make_candidate(record.state.session_id, view.opened.choice)
    except engine.DamagedMessage as e:
        raise Http404(in_words(str(e))) from e
    if window is None:
        raise Http404(_("The strategy makes no window here."))
    return state, window


def _view(request: InspectorRequest, record: engine.SessionRecord) -> CompareView:
    return CompareView.of(record.state.session_id, request.GET, default=usual(record.state.compression_policy))


def _place_in_the_form(request: InspectorRequest, view: CompareView) -> str:
    """Where one reads on: at the strategy that was added, or at the form that has one less."""
    if request.GET.get("add"):
        return f"#slot-{len(view.slots)}"
    return "#strategies" if request.GET.get("remove") else ""


def _read_only(request: InspectorRequest) -> str:
    actor = actor_for(request)
    if actor.may(Right.COMPRESS):
        return ""
    return _("Read only: your role is %(role)s.") % {"role": actor.role.value}
