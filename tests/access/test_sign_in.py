"""The pages: signing in by password or link, signing out."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from sessions_app.access.links import make_login_link
from sessions_app.access.models import LoginLink, User
from sessions_app.access.throttle import SignInThrottle
from tests.builders import make_user
from tests.inspector.pages import Page

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture
def ann() -> User:
    user = make_user("ann")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def strict() -> Client:
    """A browser whose forms need their CSRF token."""
    return Client(enforce_csrf_checks=True)


def sign_in(client: Client, password: str = PASSWORD, *, address: str = "127.0.0.1", **more: str) -> Any:
    form = {"username": "ann", "password": password, **more}
    return client.post("/login/", form, REMOTE_ADDR=address)


def signed_in_as(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def link_for(user: User, *, made: timedelta = timedelta(0)) -> str:
    link = make_login_link(user=user, now=timezone.now() - made, public_url="http://testserver")
    return urlsplit(link).path


# --- Password ---------------------------------------------------------------------------------


def test_the_right_password_signs_in(client: Client, ann: User) -> None:
    assert sign_in(client).headers["Location"] == "/"
    assert signed_in_as(client) == str(ann.pk)


def test_a_wrong_password_does_not(client: Client, ann: User) -> None:
    answer = sign_in(client, "wrong")
    assert answer.status_code == 200
    assert b"errorlist" in answer.content
    assert signed_in_as(client) is None


def test_a_wrong_name_and_a_wrong_password_are_answered_alike(client: Client, ann: User) -> None:
    def said(username: str) -> list[str]:
        answer = client.post("/login/", {"username": username, "password": "wrong"})
        return re.findall(r"errorlist.*?</ul>", answer.content.decode(), re.DOTALL)

    assert said("ann") == said("nobody") != []


def test_a_deactivated_user_does_not_get_in(client: Client, ann: User) -> None:
    User.objects.update(is_active=False)
    sign_in(client)
    assert signed_in_as(client) is None


def test_a_user_without_a_password_does_not_get_in_by_an_empty_one(client: Client) -> None:
    user = make_user("ann")
    user.set_unusable_password()
    user.save()
    for password in ("", "!", user.password):
        sign_in(client, password)
    assert signed_in_as(client) is None


def test_a_safe_next_is_followed(client: Client, ann: User) -> None:
    assert sign_in(client, next="/sessions/a/?version=2").headers["Location"] == "/sessions/a/?version=2"


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example/",
        "https:///evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "http://testserver@evil.example/",
        "\x00//evil.example",
    ],
)
def test_a_next_that_leads_elsewhere_is_not_followed(client: Client, ann: User, elsewhere: str) -> None:
    assert sign_in(client, next=elsewhere).headers["Location"] == "/"


def test_the_form_carries_no_next_that_leads_elsewhere(client: Client) -> None:
    assert Page.of(client.get("/login/", {"next": "https://evil.example/"})).field("next") == ""


def test_the_form_carries_the_next_that_is_one_of_our_pages(client: Client) -> None:
    assert Page.of(client.get("/login/", {"next": "/tokens/"})).field("next") == "/tokens/"


@pytest.mark.parametrize("username", ["", "a\x00b", "x" * 10_000, "👩‍🚀", "<script>"])
def test_any_user_name_is_answered_with_the_form(client: Client, username: str) -> None:
    answer = client.post("/login/", {"username": username, "password": "a\x00b"})
    assert answer.status_code == 200
    assert b"<script>" not in answer.content


def test_the_session_key_changes_on_signing_in(client: Client, ann: User) -> None:
    session = client.session
    session["before"] = True
    session.save()
    before = session.session_key
    sign_in(client)
    assert client.session.session_key != before


def test_the_pages_are_kept_in_no_cache(client: Client, ann: User) -> None:
    for path in ("/login/", link_for(ann)):
        assert "no-store" in client.get(path).headers["Cache-Control"]


# --- CSRF -------------------------------------------------------------------------------------


def test_each_post_needs_its_csrf_token(strict: Client, ann: User) -> None:
    link = link_for(ann)
    strict.force_login(ann)
    answers = [strict.post(path) for path in ("/login/", link, "/logout/")]
    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert LoginLink.objects.get().used_at is None
    assert signed_in_as(strict) == str(ann.pk)


def test_the_forms_bring_their_csrf_token(strict: Client, ann: User) -> None:
    page = strict.get(link_for(ann)).content.decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert found
    strict.post(link_for(ann), {"csrfmiddlewaretoken": found[1]})
    assert signed_in_as(strict) == str(ann.pk)


# --- Link -------------------------------------------------------------------------------------


def test_opening_a_link_shows_whom_it_signs_in_and_does_not_use_it_up(client: Client, ann: User) -> None:
    link = link_for(ann)
    for _ in range(3):
        page = client.get(link)
        assert page.status_code == 200
        assert "Sign in as ann" in page.content.decode()
    client.head(link)
    assert LoginLink.objects.get().used_at is None
    assert signed_in_as(client) is None


def test_posting_to_a_link_signs_in_once(client: Client, ann: User) -> None:
    link = link_for(ann)
    assert client.post(link).headers["Location"] == "/"
    assert signed_in_as(client) == str(ann.pk)

    second = Client()
    assert second.post(link).status_code == 410
    assert signed_in_as(second) is None


def test_a_link_that_is_over_says_what_to_do(client: Client, ann: User) -> None:
    used, expired = link_for(ann), link_for(ann, made=timedelta(minutes=11))
    client.post(used)
    for path in (used, expired, "/login/link/never-one/", "/login/link/%00/", "/login/link/é/"):
        page = client.get(path)
        assert page.status_code == 410
        assert "manage.py login_link" in page.content.decode()


def test_a_link_replaces_who_was_signed_in(client: Client, ann: User) -> None:
    client.force_login(make_user())
    client.post(link_for(ann))
    assert signed_in_as(client) == str(ann.pk)


# --- Signing out ------------------------------------------------------------------------------


def test_signing_out_is_a_post_that_leads_to_the_login_page(client: Client, ann: User) -> None:
    client.force_login(ann)
    assert client.get("/logout/").status_code == 405
    assert signed_in_as(client) == str(ann.pk)
    assert client.post("/logout/").headers["Location"] == "/login/"
    assert signed_in_as(client) is None


def test_signing_out_without_having_signed_in_is_no_error(client: Client) -> None:
    assert client.post("/logout/").status_code == 302


# --- Throttle ---------------------------------------------------------------------------------


@pytest.fixture
def three_a_minute(settings: Settings) -> None:
    settings.SIGN_IN_RATE = "3/min"


@pytest.mark.usefixtures("three_a_minute")
class TestThrottle:
    def test_a_fourth_try_is_refused_with_the_time_to_wait(self, client: Client, ann: User) -> None:
        tries = [sign_in(client, "wrong").status_code for _ in range(3)]
        refused = sign_in(client)
        assert tries == [200, 200, 200]
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert signed_in_as(client) is None

    def test_after_the_minute_it_is_let_in_again(
        self, client: Client, ann: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = [1000.0]
        monkeypatch.setattr(SignInThrottle, "timer", lambda throttle: clock[0])
        for _ in range(3):
            sign_in(client, "wrong")
        clock[0] += 59.5
        assert sign_in(client).headers["Retry-After"] == "1"
        clock[0] += 0.5
        assert sign_in(client).status_code == 302

    def test_another_address_is_counted_apart(self, client: Client, ann: User) -> None:
        for _ in range(4):
            sign_in(client, "wrong", address="192.0.2.1")
        assert sign_in(client, address="192.0.2.2").status_code == 302

    def test_a_forwarded_address_is_not_believed_without_a_proxy(self, client: Client, ann: User) -> None:
        codes = [client.post("/login/", {}, headers={"x-forwarded-for": f"192.0.2.{n}"}).status_code for n in range(4)]
        assert codes == [200, 200, 200, 429]

    def test_trying_links_counts_as_well(self, client: Client) -> None:
        codes = [client.post(f"/login/link/guess-{n}/").status_code for n in range(4)]
        assert codes == [410, 410, 410, 429]

    def test_reading_the_pages_does_not_count(self, client: Client, ann: User) -> None:
        link = link_for(ann)
        assert {client.get(path).status_code for path in ("/login/", link) for _ in range(4)} == {200}


def test_an_empty_rate_turns_the_throttle_off(client: Client, ann: User, settings: Settings) -> None:
    settings.SIGN_IN_RATE = ""
    assert {sign_in(client, "wrong").status_code for _ in range(30)} == {200}
