"""Signing in, by password or by a one-time link, and signing out."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from sessions_app.access import links
from sessions_app.access.throttle import seconds_to_wait

HOME = "/"
BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignIn(LoginView):
    template_name = "sign_in/login.html"
    next_page = HOME

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "label_suffix": ""}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return _too_often(request) or super().post(request, *args, **kwargs)


class SignOut(LogoutView):
    next_page = "login"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def login_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Ask first, sign in by POST: chats and mail readers open links to preview them."""
    if request.method == "POST":
        return _too_often(request) or _sign_in_by_link(request, secret)
    user = links.user_of(secret, timezone.now())
    if user is None:
        return _link_is_over(request)
    return render(request, "sign_in/link.html", {"username": user.username})


def _sign_in_by_link(request: HttpRequest, secret: str) -> HttpResponse:
    user = links.claim(secret, timezone.now())
    if user is None:
        return _link_is_over(request)
    login(request, user, backend=BACKEND)
    return redirect(HOME)


def _link_is_over(request: HttpRequest) -> HttpResponse:
    return render(request, "sign_in/link_over.html", status=410)


def _too_often(request: HttpRequest) -> HttpResponse | None:
    seconds = seconds_to_wait(request)
    if seconds is None:
        return None
    response = render(request, "sign_in/throttled.html", {"seconds": seconds}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response
