"""Who asks: `Authorization: Token <secret>`, or the browser's login."""

from copy import copy
from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from sessions_app.access import tokens
from sessions_app.access.models import ApiToken, User

KEYWORD = "Token"


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's user and the token. None where other credentials, or none, were sent."""
        # DRF's own helper encodes the header as latin-1 and fails on what it cannot.
        words = str(request.META.get("HTTP_AUTHORIZATION", "")).split()
        if not words or words[0].lower() != KEYWORD.lower():
            return None
        if len(words) != 2:
            raise AuthenticationFailed(f"Send the header as: Authorization: {KEYWORD} <token>.")
        token = tokens.authenticate(words[1], timezone.now())
        if token is None:
            raise AuthenticationFailed("This token is not known, was revoked, or its user is gone.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class BrowserAuthentication(SessionAuthentication):
    """The login of the pages, with the CSRF token in a header.

    Django would look for it in the body of a POST first, and the body would be read, as a form, before anybody knows
    whether it is one.
    """

    def enforce_csrf(self, request: Request) -> None:
        asked = copy(request._request)
        if asked.method == "POST":
            asked.method = "PUT"  # as unsafe as a POST, and judged by its headers only
        super().enforce_csrf(asked)  # type: ignore[arg-type]


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Found by drf-spectacular because it is imported with the class that it describes."""

    target_class = "sessions_app.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        # OpenAPI has a scheme for `Bearer` and none for another keyword.
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": f"`{KEYWORD} <token>`; `manage.py make_token` makes one.",
        }


class BrowserScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "sessions_app.api.authentication.BrowserAuthentication"
    name = "browser"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "The login of the pages. Writes send the CSRF cookie's value in `X-CSRFToken` too.",
        }
