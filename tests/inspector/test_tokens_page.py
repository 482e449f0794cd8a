"""The page of one's own API tokens."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from sessions_app.access.models import ApiToken, User
from sessions_app.access.roles import Role
from sessions_app.access.tokens import authenticate, make_token, revoke
from tests.access.test_tokens import everything_stored
from tests.builders import make_user
from tests.inspector.pages import Page, browser, text_of

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def make(client: Client, name: str = "ci", role: str = "viewer") -> Any:
    return client.post("/tokens/", {"name": name, "role": role})


def token_for(user: User, name: str = "ci", role: Role = Role.OPERATOR) -> ApiToken:
    return make_token(user=user, name=name, role=role, now=NOW)[1]


def revoke_by_page(client: Client, token: ApiToken) -> Any:
    return client.post(reverse("token_revoke", args=[token.pk]))


# --- Making one -------------------------------------------------------------------------------


def test_a_token_is_shown_once_with_a_call_to_copy(ann: User) -> None:
    client = browser(ann)
    page = Page.of(make(client))
    secret = page.text("token")
    assert f'curl -H "Authorization: Token {secret}" http://testserver/api/v1/sessions/' == page.text("first-call")
    assert secret.startswith("se_")
    assert secret not in text_of(client.get("/tokens/"))


def test_the_token_works_with_the_role_that_was_chosen(ann: User) -> None:
    token = authenticate(Page.of(make(browser(ann), role="viewer")).text("token"), NOW)
    assert token is not None
    assert (token.user, token.name, token.role) == (ann, "ci", Role.VIEWER)


def test_the_secret_is_in_no_address_no_cookie_no_table_and_no_cache(ann: User) -> None:
    client = browser(ann)
    response = make(client)
    secret = Page.of(response).text("token")
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert secret not in str(response.cookies) + str(client.cookies)
    assert secret not in everything_stored()


def test_the_secret_is_in_no_log(ann: User, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(0):
        secret = Page.of(make(browser(ann))).text("token")
    assert secret not in caplog.text


@pytest.mark.parametrize(
    ("role", "offered"),
    [
        (Role.VIEWER, ["viewer"]),
        (Role.OPERATOR, ["viewer", "operator"]),
        (Role.STAFF, ["viewer", "operator", "staff"]),
    ],
)
def test_a_role_above_one_s_own_is_not_offered(role: Role, offered: list[str]) -> None:
    page = Page.of(browser(role=role).get("/tokens/"))
    assert [a["value"] for a in page.all("option")] == offered


def test_a_role_above_one_s_own_is_refused(ann: User) -> None:
    response = make(browser(ann), role="staff")
    assert response.status_code == 400
    assert "errorlist" in text_of(response)
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "x" * 151, "two\nlines", "\u202egnp"])
def test_a_name_that_is_none_is_refused_beside_its_field(ann: User, name: str) -> None:
    response = make(browser(ann), name=name)
    assert response.status_code == 400
    assert Page.of(response).all("input", name="name", aria_invalid="true")
    assert not ApiToken.objects.exists()


def test_a_token_needs_the_csrf_token(ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    token = token_for(ann)
    assert (make(client).status_code, revoke_by_page(client, token).status_code) == (403, 403)
    assert [t.revoked_at for t in ApiToken.objects.all()] == [None]


# --- The list ---------------------------------------------------------------------------------


def test_the_list_says_role_and_last_use(ann: User) -> None:
    secret, _ = make_token(user=ann, name="laptop", role=Role.OPERATOR, now=NOW)
    client = browser(ann)
    assert "never" in text_of(client.get("/tokens/"))
    authenticate(secret, NOW + timedelta(days=1))
    page = text_of(client.get("/tokens/"))
    for part in ("laptop", "operator", NOW.isoformat(), (NOW + timedelta(days=1)).isoformat()):
        assert part in page
    assert "never" not in page


def test_a_token_whose_user_was_lowered_shows_what_it_can_do_now(ann: User) -> None:
    token_for(ann, role=Role.OPERATOR)
    User.objects.filter(pk=ann.pk).update(role=Role.VIEWER)
    ann.refresh_from_db()
    page = text_of(browser(ann).get("/tokens/"))
    assert "(made as operator)" in page


def test_staff_sees_its_own_tokens_only(ann: User) -> None:
    token_for(ann, name="hers")
    boss = make_user("boss", role=Role.STAFF)
    token_for(boss, name="his")
    page = text_of(browser(boss).get("/tokens/"))
    assert ">his<" in page and ">hers<" not in page


def test_tokens_that_work_stand_before_those_that_were_revoked(ann: User) -> None:
    names = ["one", "two", "three", "four"]
    tokens = {name: token_for(ann, name=name) for name in names}
    revoke(tokens["four"], NOW)
    revoke(tokens["two"], NOW + timedelta(days=1))
    page = text_of(browser(ann).get("/tokens/"))
    assert sorted(names, key=lambda name: page.index(f">{name}<")) == ["three", "one", "two", "four"]


def test_the_name_of_a_token_is_text_whatever_it_holds(ann: User) -> None:
    name = "<script>alert(1)</script>{{ 7 }}'\""
    client = browser(ann)
    for response in (make(client, name=name), client.get("/tokens/")):
        assert "<script>alert" not in text_of(response)
        assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 }}" in text_of(response)


# --- Revoking ---------------------------------------------------------------------------------


def test_a_token_is_revoked_by_a_form_that_has_to_be_unfolded(ann: User) -> None:
    secret, token = make_token(user=ann, name="ci", role=Role.VIEWER, now=NOW)
    client = browser(ann)
    page = Page.of(client.get("/tokens/"))
    assert page.all("details", **{"class": "revoke"})
    form = page.all("form", action=reverse("token_revoke", args=[token.pk]))
    assert form[0]["method"] == "post"
    response = client.post(form[0]["action"] or "")
    assert (response.status_code, response["Location"]) == (303, "/tokens/")
    assert authenticate(secret, NOW) is None
    assert "The token ci is revoked." in text_of(client.get("/tokens/"))


def test_revoking_again_changes_and_says_nothing(ann: User) -> None:
    token = token_for(ann)
    revoke(token, NOW)
    client = browser(ann)
    assert revoke_by_page(client, token).status_code == 303
    assert "is revoked." not in text_of(client.get("/tokens/"))
    token.refresh_from_db()
    assert token.revoked_at == NOW


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.STAFF])
def test_another_s_token_is_not_found_and_still_works(ann: User, role: Role) -> None:
    token = token_for(ann)
    assert revoke_by_page(browser(role=role), token).status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None


def test_the_masthead_leads_there() -> None:
    assert "/tokens/" in Page.of(browser().get("/")).links
    assert "/tokens/" not in Page.of(Client().get("/login/")).links
