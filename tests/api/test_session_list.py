"""`GET sessions/`: order, pages, filters and search (contract, section 4)."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from sessions_app.access.roles import Role
from sessions_app.models import Session
from tests.api.client import Api, operator
from tests.builders import call, calls, make_session, make_user, react_rounds, reply, says, user

pytestmark = pytest.mark.django_db


def listed(api: Api, **query: Any) -> list[str]:
    answer = api.get("sessions/?" + urlencode(query))
    assert answer.status == 200, answer.content
    return [item["session_id"] for item in answer.json["items"]]


def all_pages(api: Api, **query: Any) -> list[str]:
    found: list[str] = []
    while True:
        page = api.get("sessions/?" + urlencode(query)).json
        found += [item["session_id"] for item in page["items"]]
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


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


@pytest.mark.case(85)
def test_a_search_finds_what_stands_beyond_the_first_page() -> None:
    api = operator()
    old = api.create(user("the needle in it"))
    for n in range(60):
        make_session(user(f"hay {n}"), owner=api.user)
    assert listed(api, search="needle") == [old]


TEXTS = [
    "修复上传",
    "Straße",
    "ÉCOLE",
    "Привет",
    "İstanbul",
    "ΣΊΣΥΦΟΣ",
    "100% of",
    "a_b",
    'say "hi"',
    "one\ntwo",
    "tab\there",
]
TEXTS += [
    "back\\slash",
    "\\u0000",
    "\\n",
    "😀",
    "it's",
    "<b>",
    "a/b",
    "\x7f",
    "?*[a]",
    "E'x'",
    "--",
    "%(x)s",
    "%s",
    "{}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_search_finds_the_text_in_each_place_in_any_case(text: str) -> None:
    api = operator()
    api.create(user("nothing"), title="nothing", labels=["nothing"])
    found = [
        api.create(user(f"before {text} after")),
        api.create({"role": "user", "content": [{"type": "text", "text": text}]}),
        api.create(title=f"before {text} after"),
        api.create(labels=["x", text]),
        api.create(user(), calls("a"), reply("a", text)),
    ]
    assert sorted(listed(api, search=text)) == sorted(found)
    for other in {text.upper(), text.lower()} if len(text.lower()) == len(text) else ():
        if other.lower() == text.lower():
            assert sorted(listed(api, search=other)) == sorted(found)


@pytest.mark.parametrize("ask", ["run-7", "RUN-7", "n-7:"])
def test_a_search_finds_a_part_of_an_id(ask: str) -> None:
    api = operator()
    api.create(session_id="other")
    api.create(session_id="my.Run-7:x")
    assert listed(api, search=ask) == ["my.Run-7:x"]


@pytest.mark.parametrize("name", ["role", "content", "tool_calls", "arguments", "function", "zebra", 'user",', "\\n"])
def test_a_search_does_not_find_how_a_message_is_stored(name: str) -> None:
    api = operator()
    api.create({**user("a\nb"), "zebra": "x"}, calls("a"), reply("a"), labels=["x"])
    assert listed(api, search=name) == []


def test_a_percent_sign_or_an_underscore_stands_for_itself() -> None:
    api = operator()
    api.create(user("abc"))
    assert listed(api, search="a%c") == listed(api, search="a_c") == listed(api, search="%") == []


def test_a_search_goes_through_pages_like_the_list() -> None:
    api = operator()
    found = [make_session(user(f"needle {n}" if n % 3 else "hay"), owner=api.user) for n in range(20)]
    expected = [session_id for n, session_id in reversed(list(enumerate(found))) if n % 3]
    assert all_pages(api, search="NEEDLE", limit=4) == expected


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


@pytest.mark.sqlite
def test_old_changes_sort_by_time_not_by_text() -> None:
    api = operator()
    a, b = api.create(), api.create()
    now = timezone.now().replace(microsecond=0)
    Session.objects.filter(pk=a).update(updated_at=now)
    Session.objects.filter(pk=b).update(updated_at=now + timedelta(microseconds=1))
    assert listed(api) == [b, a] == all_pages(api, limit=1)
    assert call("x")
