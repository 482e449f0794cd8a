import pytest
from pytest_django import DjangoAssertNumQueries

from sessions_app.access.actors import Actor, actor_of
from sessions_app.access.roles import Right, Role
from sessions_app.access.sessions import Forbidden, require, session_for, sessions_for
from sessions_app.engine import SessionNotFound
from tests.builders import make_session, make_user

pytestmark = pytest.mark.django_db


def ids_for(actor: Actor) -> set[str]:
    return set(sessions_for(actor).values_list("session_id", flat=True))


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_viewer_and_operator_see_their_own_sessions_only(role: Role) -> None:
    ann = make_user(role=role)
    own = make_session(owner=ann)
    make_session()
    assert ids_for(actor_of(ann)) == {own}


def test_staff_sees_everyones() -> None:
    staff = make_user(role=Role.STAFF)
    everyones = {make_session(), make_session(), make_session(owner=staff)}
    assert ids_for(actor_of(staff)) == everyones


def test_a_session_is_reached_by_its_owner() -> None:
    ann = make_user()
    own = make_session(owner=ann)
    assert session_for(actor_of(ann), own, Right.APPEND).session_id == own


def test_a_session_is_reached_in_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    ann = make_user()
    own = make_session(owner=ann)
    with django_assert_num_queries(1):
        session_for(actor_of(ann), own, Right.APPEND)


def test_staff_reaches_everyones_with_every_right() -> None:
    other = make_session()
    staff = actor_of(make_user(role=Role.STAFF))
    assert all(session_for(staff, other, right).session_id == other for right in Right)


def test_anothers_session_is_not_found_even_where_the_right_is_missing_too() -> None:
    viewer = actor_of(make_user(role=Role.VIEWER))
    with pytest.raises(SessionNotFound):
        session_for(viewer, make_session(), Right.DELETE)


def test_an_own_session_without_the_right_is_forbidden() -> None:
    ann = make_user(role=Role.VIEWER)
    own = make_session(owner=ann)
    with pytest.raises(Forbidden) as refused:
        session_for(actor_of(ann), own, Right.COMPRESS)
    assert (refused.value.right, refused.value.role) == (Right.COMPRESS, Role.VIEWER)


@pytest.mark.parametrize("never", ["none", "", ".", "..", "a\x00b", "\ud800", "é", "a" * 201, "a\n"])
def test_what_is_no_session_is_not_found(never: str) -> None:
    staff = actor_of(make_user(role=Role.STAFF))
    with pytest.raises(SessionNotFound):
        session_for(staff, never, Right.READ)


def test_a_viewer_may_not_create() -> None:
    with pytest.raises(Forbidden):
        require(actor_of(make_user(role=Role.VIEWER)), Right.CREATE)


def test_an_operator_may_create_and_import() -> None:
    operator = actor_of(make_user(role=Role.OPERATOR))
    for right in (Right.CREATE, Right.IMPORT):
        require(operator, right)
        assert operator.may(right)
