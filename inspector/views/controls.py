"""What the forms of a session's page do. Each is one engine call; what all of them share is `control`."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from inspector.decorators import View, session_view
from inspector.forms_strategy import params_from
from inspector.heads import check_drawn, head_from
from inspector.panel_policy import policy_from
from inspector.panels import RIGHTS, Sent
from inspector.presenters.previews import compression_preview
from inspector.presenters.shown import short_number
from inspector.refusals import EXPECTED, refusal_of
from inspector.requests import InspectorRequest
from inspector.view_state import NO_PAGE, NO_PANEL, ViewState
from inspector.views.session_page import render_session
from inspector.wording import in_words
from sessions_app import compression, engine, jsontext
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right
from sessions_app.compression import registry
from sessions_app.compression.parameters import parse_params
from sessions_app.compression.policy import parse_policy
from sessions_app.compression.previewing import tools_for
from sessions_app.compression.stopping import stopped

Act = Callable[[InspectorRequest, engine.SessionRecord], str | HttpResponse]


def control(name: str) -> Callable[[Act], View]:
    """A form of the panel `name`. `act` gives a notice, or an answer of its own where there is no page to go to.

    A refusal draws the page as it is now, with the form as it was filled in and the head of now. GET, which a reload of
    such an answer sends, opens the panel.
    """

    def decorate(act: Act) -> View:
        @session_view(RIGHTS[name])
        def send(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponse:
            view = ViewState.of(record.state.session_id, request.GET).with_(do=name)
            try:
                check_drawn(request, record, name)
                done = act(request, record)
            except EXPECTED as error:
                refusal = refusal_of(error, view)
                sent = Sent(request.POST, refusal=refusal, error=error)
                return _stay(_as_it_is_now(request, record, view, sent, refusal.status))
            if isinstance(done, HttpResponse):
                return done
            messages.success(request, done)
            to = view.with_(version=None, compare=None, at_seq=None, pin=None, **NO_PANEL, **NO_PAGE)
            return _see_other(to.url())

        @session_view(Right.READ)
        def show(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponse:
            return redirect(ViewState.of(record.state.session_id, request.GET).url(do=name))

        @require_http_methods(["GET", "HEAD", "POST"])
        @wraps(act)
        def wrapper(request: InspectorRequest, session_id: str) -> HttpResponseBase:
            return (send if request.method == "POST" else show)(request, session_id)

        return wrapper

    return decorate


@control("compress")
def compress(request: InspectorRequest, record: engine.SessionRecord) -> str | HttpResponse:
    session_id = record.state.session_id
    strategy = registry.usable(request.POST.get("strategy", ""))
    params = parse_params(strategy, params_from(registry.describe(strategy)["params_schema"], request.POST))
    is_preview = request.POST.get("act") == "preview"
    written = engine.compress(
        session_id=session_id,
        strategy=strategy,
        params=params,
        expected=head_from(request, session_id),
        dry_run=is_preview,
        tools=tools_for(strategy, params, policy_text=record.state.compression_policy, dry_run=is_preview),
        created_by=actor_for(request).label,
    )
    if is_preview:
        view = ViewState.of(session_id, request.GET).with_(do="compress")
        sent = Sent(request.POST, preview=compression_preview(written))
        return _stay(render_session(request, record, view, sent=sent))
    return _published(written)


@control("restore")
def restore(request: InspectorRequest, record: engine.SessionRecord) -> str:
    session_id = record.state.session_id
    version = request.POST.get("version", "")
    written = engine.restore(
        session_id=session_id,
        version=int(version) if version.isascii() and version.isdigit() and len(version) < 19 else 0,
        expected=head_from(request, session_id),
        created_by=actor_for(request).label,
    )
    return _published(written)


@control("recover")
def recover(request: InspectorRequest, record: engine.SessionRecord) -> str:
    session_id = record.state.session_id
    written = engine.recover(
        session_id=session_id,
        expected=head_from(request, session_id),
        reason=request.POST.get("reason") or None,
    )
    count = len(written.frames)
    if not count:
        return _("No call is open; nothing was written.")
    return ngettext("%(n)s call was recovered.", "%(n)s calls were recovered.", count) % {"n": count}


@control("append")
def append(request: InspectorRequest, record: engine.SessionRecord) -> str:
    session_id = record.state.session_id
    written = compression.append(
        session_id=session_id,
        messages=_messages(request.POST.get("messages", "")),
        expected=head_from(request, session_id),
        recover=bool(request.POST.get("recover")),
        metadata=None,
        created_by=actor_for(request).label,
    )
    count = len(written.frames)
    told = ngettext("%(n)s frame was written.", "%(n)s frames were written.", count) % {"n": count}
    if written.compression is None:
        return told
    return " ".join(filter(None, (told, _published(written), in_words(stopped(written.state.compression_policy)))))


@control("rename")
def rename(request: InspectorRequest, record: engine.SessionRecord) -> str:
    session_id = record.state.session_id
    lines = request.POST.get("labels", "").replace("\r\n", "\n").split("\n")
    engine.change(
        session_id=session_id,
        expected=head_from(request, session_id),
        title=request.POST.get("title", "").strip(),
        labels=[line.strip() for line in lines if line.strip()],
    )
    return _("Title and labels were changed.")


@control("history")
def history(request: InspectorRequest, record: engine.SessionRecord) -> str:
    session_id = record.state.session_id
    keep = request.POST.get("keep") == "on"
    engine.change(session_id=session_id, expected=head_from(request, session_id), keep_context_history=keep)
    return (
        _("History is on: windows are kept.")
        if keep
        else _("History is off: the next version deletes the earlier windows.")
    )


@control("policy")
def policy(request: InspectorRequest, record: engine.SessionRecord) -> str | HttpResponse:
    session_id, current = record.state.session_id, record.state.compression_policy
    act = request.POST.get("act")
    if act == "choose":
        view = ViewState.of(session_id, request.GET).with_(do="policy")
        return _stay(render_session(request, record, view, sent=Sent(request.POST)))
    given = None if act == "none" else policy_from(request.POST, current)
    engine.change(
        session_id=session_id,
        expected=head_from(request, session_id),
        compression_policy=parse_policy(given, current=current),
    )
    return _("The policy was taken away.") if given is None else _("The policy was set.")


@control("delete")
def delete(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponse:
    session_id = record.state.session_id
    if request.POST.get("confirm", "").strip() != session_id:
        raise engine.InvalidInput([engine.Fault("/confirm", _("is not the id of this session"))])
    engine.delete(session_id=session_id, expected=head_from(request, session_id))
    messages.success(request, _("The session %(id)s was deleted.") % {"id": session_id})
    home = reverse("sessions")
    return HttpResponseClientRedirect(home) if request.htmx else _see_other(home)


def _as_it_is_now(
    request: InspectorRequest, record: engine.SessionRecord, view: ViewState, sent: Sent, status: int
) -> HttpResponse:
    """The page with the form as it was filled in. Where the version or the frame that it showed is gone, the newest."""
    try:
        return render_session(request, record, view, sent=sent, status=status)
    except (engine.VersionNotFound, engine.FrameNotFound):
        newest = view.with_(version=None, compare=None, at_seq=None, pin=None, **NO_PAGE)
        return render_session(request, record, newest, sent=sent, status=status)


def _published(written: engine.Written) -> str:
    """And why it came about as it did: nobody should take a digest for the summary that was asked for."""
    entry = written.compression
    assert entry is not None  # a compression that was written stands in the ledger
    values = {
        "version": entry.version,
        "before": short_number(entry.before.tokens),
        "after": short_number(entry.after.tokens),
    }
    told = _("Version %(version)s is the window now: %(before)s → %(after)s tokens.") % values
    return " ".join(filter(None, (told, in_words(entry.why))))


def _messages(given: str) -> Any:
    """A JSON list of messages, or one message. Raises InvalidInput."""
    try:
        value = jsontext.loads(given)
    except engine.MalformedJSON as e:
        raise engine.InvalidInput([engine.Fault("/messages", _("is no JSON: %(why)s") % {"why": e})]) from e
    return [value] if isinstance(value, dict) else value


def _see_other(url: str) -> HttpResponse:
    """To a page by GET, so that a reload sends nothing twice."""
    return HttpResponse(status=303, headers={"Location": url})


def _stay(response: HttpResponse) -> HttpResponse:
    """An answer to a POST that is no redirect: its address is not that of a page."""
    response.headers["HX-Push-Url"] = "false"
    return response
