"""How often one address may try to sign in."""

import math
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

if TYPE_CHECKING:
    from rest_framework.views import APIView


class SignInThrottle(SimpleRateThrottle):
    """Counts in Django's cache, by the client's address as NUM_PROXIES lets it be believed."""

    scope = "sign_in"

    def get_rate(self) -> str | None:
        return settings.SIGN_IN_RATE or None

    def get_cache_key(self, request: Request, view: object) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


def seconds_to_wait(request: HttpRequest) -> int | None:
    """Count this try. None: go on; else the seconds after which trying again makes sense."""
    throttle = SignInThrottle()
    no_view = cast("APIView", None)  # a page asks, which has none of DRF's
    if throttle.allow_request(Request(request), no_view):
        return None
    return max(1, math.ceil(throttle.wait() or 0))
