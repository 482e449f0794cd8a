"""Whose page it is and what may be done on it: decided here, before a view runs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseBase
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from inspector.requests import InspectorRequest
from inspector.wording import in_words
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right
from sessions_app.access.sessions import Forbidden, session_for
from sessions_app.engine import FrameNotFound, SessionNotFound, SessionRecord, VersionNotFound, VersionNotKept

View = Callable[..., HttpResponseBase]
NOT_THERE = (SessionNotFound, FrameNotFound, VersionNotFound, VersionNotKept)


def signed_in(view: View) -> View:
    """A page for people who are signed in. What it answers is theirs and never kept by a cache."""

    @wraps(view)
    def wrapper(request: InspectorRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        response = view(request, *args, **kwargs)
        add_never_cache_headers(response)
        # A fragment under the address of its page: neither may stand in for the other.
        patch_vary_headers(response, ["HX-Request", "HX-Target"])
        return response

    return wrapper


def session_view(right: Right) -> Callable[[View], View]:
    """A view of one session, handed over as its record. Another's session is 404 as none is; then the right: 403."""

    def decorate(view: View) -> View:
        @signed_in
        @wraps(view)
        def wrapper(request: InspectorRequest, session_id: str, **kwargs: Any) -> HttpResponseBase:
            try:
                row = session_for(actor_for(request), session_id, right)
                return view(request, SessionRecord.of(row), **kwargs)
            except NOT_THERE as e:
                raise Http404(in_words(str(e))) from e
            except Forbidden as e:
                raise PermissionDenied(reason_against(right, e.role.value)) from e

        return wrapper

    return decorate


def reason_against(right: Right, role: str) -> str:
    return _("Your role, %(role)s, does not include the right to %(right)s.") % {"role": role, "right": right.value}


def _to_sign_in(request: InspectorRequest) -> HttpResponseBase:
    if not request.htmx:
        return redirect_to_login(request.get_full_path())
    # The sign-in page must replace the page, not a part of it, and lead back to the page.
    return HttpResponseClientRedirect(redirect_to_login(request.htmx.current_url_abs_path or "/").url)
