"""The list of sessions."""

import base64
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.compression.policy import parse_policy
from tests.builders import calls, make_session, make_user, says, user
from tests.inspector.pages import Page, browser, htmx, text_of

pytestmark = pytest.mark.django_db(transaction=True)

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def at(minute: int) -> Any:
    return lambda: START + timedelta(minutes=minute)


def shown(response: Any) -> list[str]:
    """The ids of the sessions on the page, in their order."""
    return [m[1] for link in Page.of(response).links if (m := re.fullmatch(r"/sessions/([^/?]+)/", link))]


def test_one_sees_one_s_own_newest_change_first(ann: User) -> None:
    make_session(user(), session_id="other")
    for n in (1, 3, 2):
        make_session(user(), owner=ann, session_id=f"s{n}", now=at(n))
    assert shown(browser(ann).get("/")) == ["s3", "s2", "s1"]


def test_staff_sees_everyone_s(ann: User) -> None:
    make_session(user(), owner=ann, session_id="hers")
    assert shown(browser(role=Role.STAFF).get("/")) == ["hers"]


def test_who_is_not_signed_in_is_led_to_it() -> None:
    assert Client().get("/")["Location"] == "/login/?next=/"


def test_a_row_says_where_a_session_stands(ann: User) -> None:
    policy = parse_policy({"limit_tokens": 1000, "strategy": "digest"}, "")
    make_session(user("word " * 900), calls("a"), owner=ann, title="Upload", labels=["ci"], compression_policy=policy)
    page = text_of(browser(ann).get("/"))
    for part in ("Upload", "awaiting tools · 1 open", ">ci<", "v1", "% of the limit", "due"):
        assert part in page


@pytest.mark.parametrize("needle", ["UPLOAD", "flaky", "ci-run", "needle"])
def test_a_search_looks_at_title_id_labels_and_text(ann: User, needle: str) -> None:
    make_session(user("A needle."), owner=ann, title="The upload", session_id="flaky-1", labels=["ci-run"])
    make_session(user("Hay."), owner=ann, session_id="two")
    assert shown(browser(ann).get("/", {"q": needle})) == ["flaky-1"]


def test_states_and_labels_narrow_the_list(ann: User) -> None:
    make_session(owner=ann, session_id="e")
    make_session(user(), owner=ann, session_id="m", labels=["x"])
    make_session(user(), calls("a"), owner=ann, session_id="t")
    make_session(user(), says(), owner=ann, session_id="s", labels=["x y"])
    client = browser(ann)
    for state, ids in {"empty": ["e"], "awaiting_model": ["m"], "awaiting_tools": ["t"], "settled": ["s"]}.items():
        assert shown(client.get("/", {"state": state})) == ids
    assert shown(client.get("/", {"label": "x"})) == ["m"]


@pytest.mark.case(85)
def test_older_sessions_are_one_link_away_and_none_is_left_out(ann: User) -> None:
    for n in range(120):
        make_session(owner=ann, session_id=f"s{n:03}", now=at(n // 10))
    client = browser(ann)
    found, url = [], "/?state=empty"
    while url:
        response = client.get(url)
        found += shown(response)
        url = next((a["href"] or "" for a in Page.of(response).all("a", rel="next")), "")
    assert len(found) == len(set(found)) == 120


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "x"},
        {"cursor": "%%%"},
        {"cursor": "é"},
        {"cursor": encoded(3)},
        {"cursor": encoded(["yesterday", "s"])},
        {"cursor": encoded(["9999-12-31T23:59:59-14:00", "s"])},
        {"cursor": encoded(["2026-03-01T00:00:00+00:00", "a/b"])},
        {"cursor": encoded(["2026-03-01T00:00:00+00:00", 7])},
        {"state": "asleep"},
        {"q": "a\0b"},
        {"label": "\0"},
    ],
)
def test_a_query_that_is_none_is_a_bad_request_in_our_design(ann: User, query: dict[str, str]) -> None:
    response = browser(ann).get("/", query)
    assert response.status_code == 400
    assert "This address cannot be read" in text_of(response)


def test_an_empty_list_says_what_to_do_first(ann: User) -> None:
    page = Page.of(browser(ann).get("/"))
    assert "make_token ann" in page.text("first-token")
    assert "curl http://testserver/api/v1/sessions/" in page.text("first-session")


def test_a_search_without_a_hit_leads_back(ann: User) -> None:
    make_session(owner=ann)
    page = text_of(browser(ann).get("/", {"q": "nothing"}))
    assert "No session matches" in page
    assert "make_token" not in page


def test_what_htmx_asks_for_is_what_stands_in_the_whole_page(ann: User) -> None:
    make_session(user(), owner=ann, title="A", now=at(0))
    client = browser(ann)
    fragment = text_of(htmx(client, "/?q=a", "sessions")).strip()
    assert fragment.startswith("<section")
    assert fragment in text_of(client.get("/?q=a"))


def test_the_list_takes_three_statements_and_reads_no_message(ann: User) -> None:
    for _ in range(60):
        make_session(user(), owner=ann)
    client = browser(ann)
    with CaptureQueriesContext(connection) as captured:
        client.get("/")
    # Login, user, sessions.
    assert len(captured) == 3
    assert "rawframe" not in captured[2]["sql"].lower()
