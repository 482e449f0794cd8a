"""`GET sessions/`: order, pages, filters and search (contract, section 4)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from sessions_app.access.roles import Role
from sessions_app.models import Session
from tests.api.client import Api, operator
from tests.api.session_lists import all_pages, listed
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, user

pytestmark = pytest.mark.django_db


def test_an_empty_list_is_a_list() -> None:
    assert operator().get("sessions/").json == {"items": [], "next_cursor": None}


def test_an_item_reads_like_the_session_itself() -> None:
    api = operator()
    session_id = api.create(user(), calls("a"), title="t", labels=["b", "a"])
    assert api.get("sessions/").json["items"] == [api.get(f"sessions/{session_id}/").json]


@pytest.mark.case(71)
def test_the_newest_change_comes_first() -> None:
    api = operator()
    first, second, third = (api.create(user()) for _ in range(3))
    assert listed(api) == [third, second, first]
    api.append(first, says())
    assert listed(api) == [first, third, second]
    api.patch(f"sessions/{second}/", {"title": "new"})
    assert listed(api) == [second, first, third]
    assert listed(api, ordering="created") == [third, second, first]


def test_the_largest_window_comes_first_where_tokens_order() -> None:
    api = operator()
    small, large, middle = api.create(user("x")), api.create(user("word " * 90)), api.create(user("word " * 9))
    assert listed(api, ordering="tokens") == [large, middle, small]


@pytest.mark.case(71)
@pytest.mark.parametrize("ordering", ["updated", "created", "tokens"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 200])
def test_ties_go_by_id_and_no_page_loses_or_repeats_one(ordering: str, limit: int) -> None:
    api = operator()
    ids = ["b", "a", "~", "A", "B", "_", "10", "9", "a.b"]
    for session_id in ids:
        api.create(session_id=session_id)
    Session.objects.update(updated_at=timezone.now(), created_at=timezone.now())
    assert all_pages(api, ordering=ordering, limit=limit) == sorted(ids)


def test_a_cursor_goes_on_where_the_page_ended_although_others_came() -> None:
    api = operator()
    made = [api.create() for _ in range(6)]
    page = api.get("sessions/?limit=3").json
    api.create()
    rest = listed(api, cursor=page["next_cursor"])
    assert [i["session_id"] for i in page["items"]] + rest == made[::-1]


def test_a_page_holds_50_unless_it_is_told_otherwise() -> None:
    api = operator()
    for _ in range(51):
        make_session(owner=api.user)
    page = api.get("sessions/").json
    assert (len(page["items"]), page["next_cursor"] is None) == (50, False)
    assert api.get("sessions/?limit=51").json["next_cursor"] is None


def test_only_own_sessions_are_listed_and_staff_sees_all() -> None:
    ann, bob, staff = operator(), operator(), Api.of(make_user(role=Role.STAFF))
    a, b = ann.create(user("needle")), bob.create(user("needle"))
    assert listed(ann) == listed(ann, search="needle") == listed(ann, search=a) == [a]
    assert listed(ann, search=b) == []
    assert listed(staff) == [b, a]


def test_each_state_finds_its_own() -> None:
    api = operator()
    ids = {
        "empty": [api.create()],
        "awaiting_model": [api.create(user()), api.create(calls("a"), reply("a"))],
        "awaiting_tools": [api.create(user(), calls("a", "b"), reply("b"))],
        "settled": [api.create(user(), says())],
    }
    for state, expected in ids.items():
        assert sorted(listed(api, state=state)) == sorted(expected)
        assert {i["state"] for i in api.get(f"sessions/?state={state}").json["items"]} == {state}


def test_a_label_is_found_whole_and_exactly() -> None:
    api = operator()
    ci, quoted = api.create(labels=["ci", "a b"]), api.create(labels=['"', "\\", "a\nb", "标签", "CI"])
    assert listed(api, label="ci") == [ci]
    assert listed(api, label="c") == listed(api, label="a") == listed(api, label="%") == []
    for label in ('"', "\\", "a\nb", "标签"):
        assert listed(api, label=label) == [quoted]


def test_filters_hold_together() -> None:
    api = operator()
    hit = api.create(user("needle"), labels=["ci"])
    api.create(user("needle"))
    api.create(user("needle"), says(), labels=["ci"])
    api.create(user("hay"), labels=["ci"])
    assert listed(api, search="needle", label="ci", state="awaiting_model") == [hit]


def test_an_empty_filter_is_none() -> None:
    api = operator()
    assert listed(api, search="", label="") == listed(api) == []
    session_id = api.create(*react_rounds(1))
    assert listed(api, search="", label="") == [session_id]


def test_old_changes_sort_by_time_not_by_text() -> None:
    api = operator()
    a, b = api.create(), api.create()
    now = timezone.now().replace(microsecond=0)
    Session.objects.filter(pk=a).update(updated_at=now)
    Session.objects.filter(pk=b).update(updated_at=now + timedelta(microseconds=1))
    assert listed(api) == [b, a] == all_pages(api, limit=1)
