from datetime import timedelta

import pytest
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Role
from sessions_app.access.tokens import make_token, revoke
from sessions_app.api.authentication import TokenAuthentication, TokenScheme
from tests.builders import make_user

pytestmark = pytest.mark.django_db


def request_with(header: str | None) -> Request:
    request = APIRequestFactory().get("/")
    if header is not None:
        request.META["HTTP_AUTHORIZATION"] = header
    return Request(request, authenticators=[TokenAuthentication()])


@pytest.mark.parametrize("keyword", ["Token", "token", "TOKEN"])
def test_a_token_authenticates_whatever_the_case_of_the_keyword(keyword: str) -> None:
    ann = make_user()
    secret, token = make_token(user=ann, name="ci", role=Role.VIEWER, now=timezone.now())
    request = request_with(f"{keyword} {secret}")
    assert (request.user, request.auth) == (ann, token)


def test_the_actor_of_an_api_request_has_the_tokens_role() -> None:
    ann = make_user("ann", role=Role.STAFF)
    secret, _ = make_token(user=ann, name="ci", role=Role.VIEWER, now=timezone.now())
    actor = actor_for(request_with(f"Token {secret}"))
    assert (actor.user_id, actor.role, actor.label) == (ann.pk, Role.VIEWER, "ann · ci")


@pytest.mark.parametrize("header", [None, "", "  ", "Bearer abc", "Basic YTpi", "Tokens abc", "é", "\x00"])
def test_without_a_token_it_is_left_to_others_to_say_who_asks(header: str | None) -> None:
    assert TokenAuthentication().authenticate(request_with(header)) is None


@pytest.mark.parametrize(
    "header",
    [
        "Token",
        "Token ",
        "Token a b",
        "Token se_unknown",
        "Token é",
        "Token 令牌",
        "Token \ud800",
        "Token a\x00b",
        "Token " + "x" * 100_000,
    ],
)
def test_a_header_that_holds_no_known_token_is_refused(header: str) -> None:
    with pytest.raises(AuthenticationFailed):
        TokenAuthentication().authenticate(request_with(header))


def test_a_revoked_token_is_refused() -> None:
    now = timezone.now()
    secret, token = make_token(user=make_user(), name="ci", role=Role.VIEWER, now=now)
    revoke(token, now + timedelta(seconds=1))
    with pytest.raises(AuthenticationFailed):
        TokenAuthentication().authenticate(request_with(f"Token {secret}"))


def test_a_refusal_asks_for_a_token() -> None:
    assert TokenAuthentication().authenticate_header(request_with(None)) == "Token"


def test_the_schema_knows_the_scheme() -> None:
    extension = OpenApiAuthenticationExtension.get_match(TokenAuthentication())
    assert isinstance(extension, TokenScheme)
    assert extension.name == "token"
    definition = extension.get_security_definition(None)
    assert (definition["type"], definition["in"], definition["name"]) == ("apiKey", "header", "Authorization")
