"""API tokens: one's own, for staff as well."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from inspector.decorators import signed_in
from inspector.forms_token import TokenForm
from inspector.presenters.tokens import MadeToken, made_token, token_lines
from inspector.requests import InspectorRequest
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.access.tokens import make_token, token_of, tokens_of
from sessions_app.access.tokens import revoke as revoke_token


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@sensitive_variables("made")
def tokens(request: InspectorRequest) -> HttpResponse:
    """The list, and the form that makes one.

    The POST is answered by the page itself: after a redirect the secret would have to wait in a cookie, an address or
    a table. A browser asks before it sends the form again.
    """
    user, made = _user(request), None
    role = Role(user.role)
    form = TokenForm(request.POST if request.method == "POST" else None, user_role=role)
    if form.is_bound and form.is_valid():
        made = _make(request, user, form)
        form = TokenForm(user_role=role)
    lines = token_lines(tokens_of(user), user_role=role, now=timezone.now())
    status = 400 if form.errors else 200
    return render(request, "inspector/tokens.html", {"form": form, "lines": lines, "made": made}, status=status)


@sensitive_variables("secret")
def _make(request: InspectorRequest, user: User, form: TokenForm) -> MadeToken:
    secret, token = make_token(user=user, name=form.cleaned_data["name"], role=form.chosen_role, now=timezone.now())
    return made_token(secret, token, sessions_url=request.build_absolute_uri(reverse("api-sessions")))


@require_POST
@signed_in
def revoke(request: InspectorRequest, token_id: int) -> HttpResponse:
    token = token_of(_user(request), token_id)
    if token is None:
        raise Http404(_("You have no such token."))
    if revoke_token(token, timezone.now()):
        messages.success(request, _("The token %(name)s is revoked.") % {"name": token.name})
    response = HttpResponseRedirect(reverse("tokens"))
    response.status_code = 303
    return response


def _user(request: InspectorRequest) -> User:
    assert isinstance(request.user, User)  # `signed_in` has seen to it
    return request.user
