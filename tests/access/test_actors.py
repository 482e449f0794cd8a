from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.test import RequestFactory

from sessions_app.access.actors import Actor, actor_for, actor_of
from sessions_app.access.models import ApiToken, User
from sessions_app.access.roles import Right, Role
from sessions_app.access.tokens import make_token
from tests.builders import make_user

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def request_of(user: User | AnonymousUser, token: ApiToken | None = None) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = user
    request.auth = token  # type: ignore[attr-defined]
    return request


def token_of(user: User, role: Role, name: str = "ci") -> ApiToken:
    return make_token(user=user, name=name, role=role, now=NOW)[1]


@pytest.mark.parametrize(
    ("of_user", "of_token", "effective"),
    [
        (Role.VIEWER, Role.STAFF, Role.VIEWER),
        (Role.OPERATOR, Role.STAFF, Role.OPERATOR),
        (Role.STAFF, Role.VIEWER, Role.VIEWER),
        (Role.STAFF, Role.OPERATOR, Role.OPERATOR),
        (Role.STAFF, Role.STAFF, Role.STAFF),
    ],
)
def test_a_token_acts_with_the_lower_of_its_role_and_its_users(of_user: Role, of_token: Role, effective: Role) -> None:
    user = make_user(role=of_user)
    assert actor_for(request_of(user, token_of(user, of_token))).role is effective


def test_a_user_who_is_lowered_takes_the_tokens_along() -> None:
    user = make_user(role=Role.STAFF)
    token = token_of(user, Role.STAFF)
    user.role = Role.VIEWER
    assert actor_of(user, token).role is Role.VIEWER


def test_a_token_is_made_with_at_most_its_users_role() -> None:
    assert token_of(make_user(role=Role.VIEWER), Role.STAFF).role == Role.VIEWER


def test_without_a_token_the_users_own_role_counts() -> None:
    user = make_user("ann", role=Role.OPERATOR)
    assert actor_for(request_of(user)) == Actor(user.pk, "ann", Role.OPERATOR, "ann")


def test_the_label_names_user_and_token() -> None:
    user = make_user("ann")
    assert actor_of(user, token_of(user, Role.VIEWER, "nightly")).label == "ann · nightly"


def test_the_label_fits_into_the_ledger() -> None:
    user = make_user("a" * 150)
    assert len(actor_of(user, token_of(user, Role.VIEWER, "b" * 150)).label) == 200


def test_an_anonymous_request_has_no_actor() -> None:
    with pytest.raises(PermissionDenied):
        actor_for(request_of(AnonymousUser()))


def test_a_viewer_may_read_and_nothing_else() -> None:
    viewer = actor_of(make_user(role=Role.VIEWER))
    assert {right for right in Right if viewer.may(right)} == {Right.READ}


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.STAFF])
def test_operator_and_staff_have_every_right(role: Role) -> None:
    assert all(actor_of(make_user(role=role)).may(right) for right in Right)


def test_a_superuser_made_by_hand_has_the_role_of_staff() -> None:
    assert User.objects.create_superuser("root", password="x").role == Role.STAFF
