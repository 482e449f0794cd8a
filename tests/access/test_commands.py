import io
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from sessions_app import engine, management
from sessions_app.access.models import ApiToken, User
from sessions_app.access.roles import Role
from sessions_app.access.tokens import authenticate
from sessions_app.models import IdempotencyRecord, Session
from tests.builders import make_session, make_user

pytestmark = pytest.mark.django_db


def printed(command: str, *arguments: str) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def role_of(username: str) -> str:
    return User.objects.get(username=username).role


# --- make_token -------------------------------------------------------------------------------


def test_make_token_prints_the_token_and_nothing_else() -> None:
    out = printed("make_token", "bot", "--role", "operator")
    assert re.fullmatch(r"se_[A-Za-z0-9_-]{40}\n", out)
    token = authenticate(out.strip(), timezone.now())
    assert token is not None
    assert (token.user.username, token.role, token.name) == ("bot", Role.OPERATOR, "bot")


def test_make_token_makes_a_user_who_has_no_password() -> None:
    printed("make_token", "bot", "--role", "operator")
    bot = User.objects.get(username="bot")
    assert bot.role == Role.OPERATOR
    assert not bot.has_usable_password()
    assert not bot.is_superuser


@pytest.mark.parametrize(
    ("had", "asked", "has"),
    [
        (Role.VIEWER, Role.OPERATOR, Role.OPERATOR),
        (Role.VIEWER, Role.STAFF, Role.STAFF),
        (Role.OPERATOR, Role.STAFF, Role.STAFF),
        (Role.OPERATOR, Role.VIEWER, Role.OPERATOR),
        (Role.STAFF, Role.VIEWER, Role.STAFF),
        (Role.STAFF, Role.STAFF, Role.STAFF),
    ],
)
def test_make_token_raises_the_users_role_and_never_lowers_it(had: Role, asked: Role, has: Role) -> None:
    make_user("bot", role=had)
    printed("make_token", "bot", "--role", asked)
    assert role_of("bot") == has
    assert ApiToken.objects.get().role == asked


def test_make_token_can_name_the_token() -> None:
    printed("make_token", "bot", "--role", "viewer", "--name", "nightly")
    assert ApiToken.objects.get().name == "nightly"


def test_make_token_takes_a_name_of_any_length_that_a_user_may_have() -> None:
    printed("make_token", "b" * 150, "--role", "viewer")
    assert ApiToken.objects.get().name == "b" * 150


@pytest.mark.parametrize("name", ["", " ", "a b", "<b>", "a" * 151])
def test_make_token_refuses_what_is_no_user_name(name: str) -> None:
    with pytest.raises(CommandError):
        printed("make_token", name, "--role", "viewer")
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["", " ", "a" * 151, "a\x00b", "\udcff", "a\nb"])
def test_make_token_refuses_what_is_no_token_name_and_makes_no_user(name: str) -> None:
    with pytest.raises(CommandError):
        printed("make_token", "bot", "--role", "viewer", "--name", name)
    assert not User.objects.exists()


def test_make_token_needs_a_role_that_there_is() -> None:
    for arguments in (["bot"], ["bot", "--role", "owner"]):
        with pytest.raises(CommandError):
            printed("make_token", *arguments)


def test_make_token_refuses_a_deactivated_user() -> None:
    bot = make_user("bot", role=Role.VIEWER)
    User.objects.filter(pk=bot.pk).update(is_active=False)
    with pytest.raises(CommandError):
        printed("make_token", "bot", "--role", "staff")
    assert not ApiToken.objects.exists()
    assert role_of("bot") == Role.VIEWER


@pytest.mark.slow
def test_make_token_needs_no_first_start(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "make_token", "bot", "--role", "operator"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": "", "VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert re.fullmatch(r"se_[A-Za-z0-9_-]{40}\n", done.stdout)


# --- login_link -------------------------------------------------------------------------------


def test_login_link_prints_a_link_and_nothing_else() -> None:
    out = printed("login_link")
    assert re.fullmatch(re.escape(settings.PUBLIC_URL) + r"/login/link/[A-Za-z0-9_-]{40}/\n", out)


def test_login_link_signs_in_the_admin_whom_it_made() -> None:
    client = Client()
    client.post(urlsplit(printed("login_link").strip()).path)
    admin = User.objects.get()
    assert client.session["_auth_user_id"] == str(admin.pk)
    assert (admin.username, admin.role, admin.is_staff, admin.is_superuser) == ("admin", Role.STAFF, True, True)
    assert not admin.has_usable_password()


def test_login_link_leaves_an_admin_as_he_is() -> None:
    make_user("admin", role=Role.VIEWER)
    printed("login_link")
    assert role_of("admin") == Role.VIEWER


def test_login_link_can_be_for_another_user() -> None:
    ann = make_user("ann")
    client = Client()
    client.post(urlsplit(printed("login_link", "--user", "ann").strip()).path)
    assert client.session["_auth_user_id"] == str(ann.pk)


def test_login_link_refuses_a_user_who_is_not_there_or_deactivated() -> None:
    gone = make_user("gone")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    for username in ("nobody", "gone"):
        with pytest.raises(CommandError):
            printed("login_link", "--user", username)


# --- first_start ------------------------------------------------------------------------------


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """For whom the demo was loaded."""
    owners: list[str] = []

    def load(owner: User) -> None:
        owners.append(owner.username)
        make_session(owner=owner)

    monkeypatch.setattr(management, "demo", SimpleNamespace(load=load), raising=False)
    return owners


def test_the_first_start_makes_admin_and_loads_the_demo(loaded: list[str]) -> None:
    assert printed("first_start") == ""
    admin = User.objects.get()
    assert loaded == ["admin"]
    assert (admin.username, admin.role, admin.is_staff, admin.is_superuser) == ("admin", Role.STAFF, True, True)
    assert not admin.has_usable_password()


def test_a_second_start_changes_nothing(loaded: list[str]) -> None:
    printed("first_start")
    before = list(User.objects.values())
    printed("first_start")
    assert loaded == ["admin"]
    assert list(User.objects.values()) == before


def test_demos_that_were_deleted_stay_deleted(loaded: list[str]) -> None:
    printed("first_start")
    demo = Session.objects.get()
    engine.delete(session_id=demo.session_id, expected=engine.ANY_HEAD)
    printed("first_start")
    assert loaded == ["admin"]


@pytest.mark.parametrize("name", ["bot", "admin"])
def test_a_start_after_a_token_was_made_is_still_the_first(loaded: list[str], name: str) -> None:
    printed("make_token", name, "--role", "viewer")
    printed("first_start")
    assert loaded == ["admin"]
    assert role_of("admin") == Role.STAFF


def test_an_installation_with_sessions_is_left_alone(loaded: list[str]) -> None:
    make_session()
    printed("first_start")
    assert loaded == []
    assert not User.objects.filter(username="admin").exists()


def test_a_first_start_that_failed_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []

    def load(owner: User) -> None:
        loads.append(owner.username)
        if len(loads) == 1:
            raise RuntimeError("the disk is full")

    monkeypatch.setattr(management, "demo", SimpleNamespace(load=load), raising=False)
    with pytest.raises(RuntimeError):
        printed("first_start")
    printed("first_start")
    assert len(loads) == 2


# --- purge_idempotency_records ----------------------------------------------------------------


def test_purging_deletes_the_records_that_are_over_and_no_other() -> None:
    owner = make_user()
    for key, age in (
        ("old", engine.KEPT_FOR + timedelta(minutes=1)),
        ("young", engine.KEPT_FOR - timedelta(minutes=1)),
    ):
        IdempotencyRecord.objects.create(
            owner=owner,
            session_id="s",
            incarnation="i",
            key=key,
            request_hash="h",
            status=201,
            answer="{}",
            created_at=timezone.now() - age,
        )
    assert printed("purge_idempotency_records") == "1 records deleted.\n"
    assert list(IdempotencyRecord.objects.values_list("key", flat=True)) == ["young"]
