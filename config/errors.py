"""What answers when no view did: a problem under /api/, a page elsewhere."""

from django.core.exceptions import DisallowedHost, PermissionDenied
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from sessions_app.api.problems import BUSY_RETRY_AFTER_S, problem_response, refusal_response
from sessions_app.engine import as_refusal


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, DisallowedHost):
        # By its own header such a request has no host to send a page for, so the page is a problem too.
        detail = "This host name is not answered here. PUBLIC_URL names the one that is, beside the loopback names."
        return problem_response(
            "invalid-request", detail=detail, members={"errors": [{"pointer": "Host", "detail": detail}]}
        )
    if _asks_the_api(request):
        return problem_response("invalid-request")
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _asks_the_api(request):
        return problem_response("forbidden")
    return defaults.permission_denied(request, exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's own page for this has its style inline, which the policy blocks."""
    return forbidden(request, PermissionDenied(reason))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _asks_the_api(request):
        return problem_response("not-found")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if _asks_the_api(request):
        return problem_response("internal-error")
    return defaults.server_error(request)


def database_failure(request: HttpRequest, exception: DatabaseError | InterfaceError) -> HttpResponse | None:
    refusal = as_refusal(exception)
    if _asks_the_api(request):
        return refusal_response(refusal)
    page = render_to_string("503.html", {"detail": str(refusal)})
    return HttpResponse(page, status=503, headers={"Retry-After": str(BUSY_RETRY_AFTER_S)})


def _asks_the_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")
