"""Users and groups at /admin/: for the role staff, whatever Django's own flags say."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.test import Client

from sessions_app.access.admin import site
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.models import Session
from tests.builders import make_session, make_user
from tests.inspector.pages import Page, browser, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return make_user("boss", role=Role.STAFF)


def change(client: Client, user: User, **fields: Any) -> Any:
    kept = {"username": user.username, "role": user.role, "is_active": "on"}
    return client.post(f"/admin/access/user/{user.pk}/change/", {**kept, **fields})


def test_it_manages_users_and_groups_and_nothing_else() -> None:
    assert {model for model in apps.get_models() if site.is_registered(model)} == {User, Group}
    assert not site.is_registered(Session)


def test_the_role_opens_it_without_django_s_flags(boss: User) -> None:
    assert (boss.is_staff, boss.is_superuser) == (False, False)
    assert browser(boss).get("/admin/access/user/").status_code == 200


def test_django_s_flags_do_not_open_it() -> None:
    user = make_user(role=Role.OPERATOR)
    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    user.refresh_from_db()
    assert browser(user).get("/admin/access/user/").status_code == 403


def test_who_is_not_signed_in_is_led_to_our_own_login_and_back() -> None:
    assert Client().get("/admin/access/user/?q=a")["Location"] == "/login/?next=/admin/access/user/%3Fq%3Da"


@pytest.mark.parametrize("path", ["login/", "logout/", "password_change/", "autocomplete/", "nowhere/"])
def test_it_has_no_way_in_of_its_own(boss: User, path: str) -> None:
    for client in (Client(), browser(boss)):
        assert client.get(f"/admin/{path}").status_code == 404


def test_a_role_is_changed_and_holds_at_once(boss: User) -> None:
    ann = make_user("ann", role=Role.STAFF)
    hers = browser(ann)
    assert hers.get("/admin/").status_code == 200
    assert change(browser(boss), ann, role="viewer").status_code == 302
    ann.refresh_from_db()
    assert ann.role == Role.VIEWER
    assert hers.get("/admin/").status_code == 403


def test_a_role_that_does_not_exist_is_refused(boss: User) -> None:
    ann = make_user("ann")
    response = change(browser(boss), ann, role="god")
    assert response.status_code == 200 and "errorlist" in text_of(response)
    ann.refresh_from_db()
    assert ann.role == Role.OPERATOR


def test_nobody_shuts_himself_out(boss: User) -> None:
    assert change(browser(boss), boss, role="viewer", is_active="").status_code == 302
    boss.refresh_from_db()
    assert (boss.role, boss.is_active) == (Role.STAFF, True)


def test_a_user_is_made_with_a_role_and_without_a_password(boss: User) -> None:
    form = {"username": "carla", "role": "operator", "usable_password": "false", "password1": "", "password2": ""}
    assert browser(boss).post("/admin/access/user/add/", form).status_code == 302
    carla = User.objects.get(username="carla")
    assert (carla.role, carla.is_staff, carla.has_usable_password()) == (Role.OPERATOR, False, False)


def test_a_password_that_was_set_there_signs_in(boss: User) -> None:
    ann = make_user("ann")
    password = "correct horse battery"
    form = {"usable_password": "true", "password1": password, "password2": password, "set-password": "1"}
    assert browser(boss).post(f"/admin/access/user/{ann.pk}/password/", form).status_code == 302
    assert Client().login(username="ann", password=password)


def test_a_user_is_never_deleted(boss: User) -> None:
    ann = make_user("ann")
    make_session(owner=ann)
    client = browser(boss)
    assert client.post(f"/admin/access/user/{ann.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post("/admin/access/user/", {"action": "delete_selected", "_selected_action": [ann.pk], "post": "yes"})
    assert User.objects.filter(pk=ann.pk).exists()


@pytest.mark.parametrize(("role", "is_there"), [(Role.STAFF, True), (Role.OPERATOR, False), (Role.VIEWER, False)])
def test_the_masthead_leads_staff_there(role: Role, is_there: bool) -> None:
    assert ("/admin/" in Page.of(browser(role=role).get("/")).links) is is_there


def test_it_signs_out_where_all_pages_do(boss: User) -> None:
    page = Page.of(browser(boss).get("/admin/"))
    assert [form["action"] for form in page.all("form", method="post")] == ["/logout/"]


def test_its_pages_hold_to_the_policy(boss: User) -> None:
    client, ann = browser(boss), make_user("ann")
    for path in ("", "access/user/", "access/user/add/", f"access/user/{ann.pk}/change/", "auth/group/add/"):
        response = client.get(f"/admin/{path}")
        page = Page.of(response)
        assert "style-src 'self'" in response["Content-Security-Policy"]
        assert all(a.get("src") for a in page.all("script"))
        assert not page.all("style")
        assert not [a for _, a in page.elements for name in a if name == "style" or name.startswith("on")]
