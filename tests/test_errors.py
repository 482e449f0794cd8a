"""What answers when no view did."""

from typing import Any

import pytest
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config import errors
from tests.builders import make_user


def answered(request: HttpRequest, status: int) -> HttpResponse:
    match status:
        case 400:
            return errors.bad_request(request, BadRequest())
        case 403:
            return errors.forbidden(request, PermissionDenied())
        case 404:
            return errors.not_found(request, Http404())
        case _:
            return errors.server_error(request)


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_below_the_api_it_is_a_problem(rf: RequestFactory, status: int) -> None:
    response = answered(rf.get("/api/v1/nowhere/"), status)
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("status", [400, 403, 404, 500])
@pytest.mark.django_db
def test_elsewhere_it_is_a_page(rf: RequestFactory, status: int) -> None:
    response = answered(rf.get("/nowhere/"), status)
    assert response.status_code == status
    assert response["Content-Type"].startswith("text/html")


@pytest.mark.django_db
def test_a_form_without_its_csrf_token_is_forbidden() -> None:
    response = Client(enforce_csrf_checks=True).post("/i18n/setlang/", {"language": "en"})
    assert response.status_code == 403
    assert response["Content-Type"].startswith("text/html")


@pytest.mark.case(52)
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "media_type"),
    [("/login/", "text/html; charset=utf-8"), ("/api/v1/strategies/", "application/problem+json")],
)
def test_a_database_that_is_away_is_a_503_that_says_so(path: str, media_type: str) -> None:
    def away(*_args: Any) -> Any:
        raise OperationalError("connection refused")

    client = Client()
    client.force_login(make_user())
    with connection.execute_wrapper(away):
        response = client.get(path)
    assert response.status_code == 503
    assert response["Content-Type"] == media_type
    assert response["Retry-After"]


def test_a_host_that_is_not_served_is_told_what_names_it() -> None:
    response = Client().get("/api/v1/sessions/", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "Host"
    assert "PUBLIC_URL" in response.json()["detail"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_answered_to_whoever_asks_by_address(path: str) -> None:
    assert Client().get(path, headers={"host": "10.0.0.7"}).status_code == 200
