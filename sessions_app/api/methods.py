"""For the views that are no API views: another method is answered as it is everywhere under the API."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from sessions_app.api.problems import problem_response

View = Callable[[HttpRequest], HttpResponse]


def only_get(view: View) -> View:
    """GET and HEAD, and a problem for the rest; no CSRF token is asked for what is refused anyway."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return view(request)
        detail = f"Method {request.method} is not allowed."
        return problem_response("method-not-allowed", detail=detail, headers={"Allow": "GET, HEAD"})

    return csrf_exempt(answer)
