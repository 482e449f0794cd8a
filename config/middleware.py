"""What must hold for every request, whichever view answers it."""

from collections.abc import Callable
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

from config.errors import database_failure
from sessions_app.api.health import healthz, readyz


class HealthFirst:
    """Health is asked for by address, and without TLS, by whoever balances the load: before hosts and schemes are
    judged.
    """

    views: Final = {"/healthz": healthz, "/readyz": readyz}

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = self.views.get(request.path_info)
        return self.get_response(request) if view is None else view(request)


class DatabaseFailures:
    """A database that is locked or away is no 500: the same request may work in a moment."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, OperationalError | InterfaceError):
            return database_failure(request, exception)
        return None
