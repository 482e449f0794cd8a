"""The list of sessions, what stands above it, and the page that asks whether it still holds."""

import base64
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.compression.policy import parse_policy
from tests.builders import calls, make_session, make_user, says, user
from tests.inspector.pages import Page, browser, compress, htmx, text_of

pytestmark = pytest.mark.django_db

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def at(minute: int) -> Any:
    return lambda: START + timedelta(minutes=minute)


def shown(response: Any) -> list[str]:
    """The ids of the sessions on the page, in their order."""
    return [m[1] for link in Page.of(response).links if (m := re.fullmatch(r"/sessions/([^/?]+)/(\?q=.*)?", link))]


def statements(client: Client, url: str, *, part: bool = False) -> list[str]:
    """What a page asks the database, by the tables that it names first."""
    with CaptureQueriesContext(connection) as captured:
        response = htmx(client, url, "sessions") if part else client.get(url)
    assert response.status_code in (200, 204)
    return [re.findall(r'FROM "(\w+)"', query["sql"])[0] for query in captured.captured_queries]


# --- Whose, and in which order ----------------------------------------------------------------


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


def test_staff_is_told_whose_a_session_is_and_not_that_it_is_its_own(ann: User) -> None:
    boss = make_user("boss", role=Role.STAFF)
    make_session(owner=ann, session_id="hers")
    make_session(owner=boss, session_id="own")
    page = text_of(browser(boss).get("/"))
    assert page.count("Owner: ann") == 1
    assert "Owner: boss" not in page


def test_nobody_else_is_told_an_owner(ann: User) -> None:
    make_session(owner=ann)
    assert "Owner" not in text_of(browser(ann).get("/"))


# --- A row ------------------------------------------------------------------------------------


def test_a_row_says_where_a_session_stands(ann: User) -> None:
    policy = parse_policy({"limit_tokens": 1000, "strategy": "digest"}, "")
    make_session(user("word " * 900), calls("a"), owner=ann, title="Upload", labels=["ci"], compression_policy=policy)
    page = text_of(browser(ann).get("/"))
    for part in ("Upload", "awaiting tools · 1 open", ">ci<", "v1", "% of the limit; the trigger is at 80 %", "due"):
        assert part in page


def test_a_session_without_a_policy_has_a_bar_without_a_trigger(ann: User) -> None:
    make_session(user("word " * 64_000), owner=ann)
    page = Page.of(browser(ann).get("/"))
    assert page.all("svg", role="img")[0]["aria-label"] == ("50 % of 128k, the usual limit: this session has no policy")
    assert not page.all("path", **{"class": "gauge-trigger"})


def test_a_title_is_one_line_with_the_whole_of_it_in_its_title(ann: User) -> None:
    make_session(owner=ann, session_id="s", title="\n\n  Fix the \t flaky\n\nupload test ")
    page = Page.of(browser(ann).get("/"))
    assert page.text("s-s") == "Fix the flaky upload test"
    assert page.all("a", id="s-s")[0]["title"] == "Fix the flaky upload test"


@pytest.mark.parametrize("title", ["", " \n "])
def test_a_session_without_a_title_shows_its_id_once(ann: User, title: str) -> None:
    make_session(owner=ann, session_id="lonely", title=title)
    page = text_of(browser(ann).get("/"))
    assert len(re.findall(r">\s*lonely\s*<", page)) == 1


def test_a_label_leads_to_the_sessions_that_have_it(ann: User) -> None:
    make_session(owner=ann, session_id="s", labels=["x & y"])
    make_session(owner=ann, session_id="t")
    client = browser(ann)
    label = Page.of(client.get("/")).all("a", id="l-1-s")[0]
    assert shown(client.get(label["href"] or "")) == ["s"]


HOSTILE = "</a></title><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 }}'\""


def test_titles_labels_and_owners_are_text_whatever_they_hold(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(username=HOSTILE)
    make_session(user(), owner=ann, session_id="s", title=HOSTILE, labels=[HOSTILE[:50], "\u202ertl", "<b>"])
    client = browser(role=Role.STAFF)
    for response in (client.get("/"), client.get("/", {"q": HOSTILE}), htmx(client, "/?label=%3Cb%3E", "sessions")):
        page = Page.of(response)
        assert page.text("s-s") == HOSTILE
        assert all(a.get("src") for a in page.all("script"))
        assert not page.all("img")
        assert page.text("l-3-s") == "<b>"
        assert not [a for _, a in page.elements for name in a if name.startswith("on")]


# --- Narrowing it -----------------------------------------------------------------------------


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


# --- Nothing to show --------------------------------------------------------------------------


def test_an_empty_list_says_what_to_do_first(ann: User) -> None:
    page = Page.of(browser(ann).get("/"))
    assert "make_token ann" in page.text("first-token")
    assert "curl http://testserver/api/v1/sessions/" in page.text("first-session")
    assert page.links.count("/tokens/") == 2  # in the masthead, and where one is needed


def test_a_search_without_a_hit_leads_back(ann: User) -> None:
    make_session(owner=ann)
    page = text_of(browser(ann).get("/", {"q": "nothing"}))
    assert "No session matches" in page
    assert "make_token" not in page


# --- The figures ------------------------------------------------------------------------------


def figures_of(client: Client, query: str = "") -> str:
    return Page.of(client.get(f"/{query}")).text("figures")


def test_the_figures_count_all_that_the_reader_may_see(ann: User) -> None:
    make_session(user(), says(), owner=ann)
    make_session(user(), calls("a", "b"), owner=ann)
    make_session(user())
    told = figures_of(browser(ann))
    for part in ("sessions 2", "frames 4", "tokens saved by compression 0", "open calls 2"):
        assert part in told


def test_the_figures_tell_what_compression_has_saved(ann: User) -> None:
    session_id = make_session(user(), *(says("word " * 100) for _ in range(20)), owner=ann)
    compress(session_id, protect_rounds=1)
    state = engine.reads.session_state(session_id)
    page = Page.of(browser(ann).get("/"))
    saved = [a["title"] for a in page.all("b") if a.get("title") == f"{state.raw_tokens - state.context_tokens:,}"]
    assert len(saved) == 1


def test_the_figures_are_those_of_the_whole_whatever_the_list_is_narrowed_to(ann: User) -> None:
    make_session(user(), owner=ann)
    client = browser(ann)
    assert figures_of(client, "?q=nothing") == figures_of(client)


def test_a_search_as_one_types_does_not_ask_for_the_figures(ann: User) -> None:
    make_session(user(), owner=ann)
    client = browser(ann)
    assert "figures" not in Page.of(htmx(client, "/?q=a", "sessions")).ids
    assert statements(client, "/?q=a", part=True) == ["django_session", "access_user", "sessions_app_session"]


# --- A list that no longer holds --------------------------------------------------------------


def poll_of(response: Any) -> str:
    """Where the page asks whether it still holds."""
    return Page.of(response).all("div", id="refresh")[0]["hx-get"] or ""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    times = [datetime.now(UTC).replace(second=10)]
    monkeypatch.setattr("inspector.views.sessions.timezone.now", lambda: times[-1])
    return times


@pytest.mark.parametrize("query", ["", "?state=awaiting_model", "?label=x"])
def test_a_list_that_still_holds_is_answered_with_nothing(ann: User, clock: list[datetime], query: str) -> None:
    make_session(user(), owner=ann, labels=["x"])
    client = browser(ann)
    response = htmx(client, poll_of(client.get(f"/{query}")), "sessions")
    assert (response.status_code, response.content) == (204, b"")


def test_the_question_costs_one_statement_beside_the_login(ann: User, clock: list[datetime]) -> None:
    for _ in range(60):
        make_session(user(), owner=ann)
    client = browser(ann)
    poll = poll_of(client.get("/"))
    assert statements(client, poll, part=True) == ["django_session", "access_user", "sessions_app_session"]


@pytest.mark.usefixtures("clock")
def test_a_page_of_older_sessions_asks_for_itself(ann: User) -> None:
    for n in range(60):
        make_session(owner=ann, session_id=f"s{n:02}", now=at(n))
    client = browser(ann)
    older = client.get(Page.of(client.get("/")).all("a", rel="next")[0]["href"] or "")
    make_session(owner=ann)
    assert htmx(client, poll_of(older), "sessions").status_code == 204
    engine.append(session_id="s03", messages=[user()])
    assert "s03" not in shown(htmx(client, poll_of(older), "sessions"))


def test_a_list_that_has_changed_comes_with_its_figures(ann: User, clock: list[datetime]) -> None:
    make_session(user(), owner=ann, session_id="one")
    client = browser(ann)
    poll = poll_of(client.get("/"))
    make_session(user(), owner=ann, session_id="two")
    response = htmx(client, poll, "sessions")
    page = Page.of(response)
    assert shown(response) == ["two", "one"]
    assert "sessions 2" in page.text("figures")
    assert page.all("dl", id="figures")[0]["hx-swap-oob"] == "true"
    assert poll_of(response) != poll


@pytest.mark.parametrize("change", ["append", "rename", "delete"])
def test_whatever_a_row_shows_is_a_change(ann: User, clock: list[datetime], change: str) -> None:
    session_id = make_session(user(), owner=ann, title="A")
    client = browser(ann)
    poll = poll_of(client.get("/"))
    head = engine.reads.session_state(session_id).head
    match change:
        case "append":
            engine.append(session_id=session_id, messages=[says()])
        case "rename":
            engine.change(session_id=session_id, title="B")
        case "delete":
            engine.delete(session_id=session_id, expected=head)
    assert htmx(client, poll, "sessions").status_code == 200


def test_its_times_hold_for_a_minute(ann: User, clock: list[datetime]) -> None:
    make_session(user(), owner=ann)
    client = browser(ann)
    poll = poll_of(client.get("/"))
    clock.append(clock[0] + timedelta(seconds=40))
    assert htmx(client, poll, "sessions").status_code == 204
    clock.append(clock[0] + timedelta(seconds=60))
    assert htmx(client, poll, "sessions").status_code == 200


def test_a_search_is_not_asked_again_by_itself(ann: User) -> None:
    make_session(user(), owner=ann)
    assert "refresh" not in Page.of(browser(ann).get("/?q=f")).ids


def test_without_htmx_the_question_is_answered_with_the_page(ann: User) -> None:
    make_session(user(), owner=ann)
    client = browser(ann)
    assert "figures" in Page.of(client.get(poll_of(client.get("/")))).ids


# --- What it costs ----------------------------------------------------------------------------


def test_what_htmx_asks_for_is_what_stands_in_the_whole_page(ann: User) -> None:
    make_session(user(), owner=ann, title="A", now=at(0))
    client = browser(ann)
    fragment = text_of(htmx(client, "/?q=a", "sessions")).strip()
    assert fragment.startswith("<section")
    assert fragment in text_of(client.get("/?q=a"))


LOGIN = ["django_session", "access_user"]
ROWS, FIGURES, OWNERS = ["sessions_app_session"], ["sessions_app_session"] * 2, ["access_user"]


def test_the_list_takes_one_statement_and_the_figures_two(ann: User) -> None:
    for _ in range(60):
        make_session(user(), calls("a"), owner=ann)
    assert statements(browser(ann), "/") == [*LOGIN, *ROWS, *FIGURES]


def test_the_names_of_owners_take_one_more(ann: User) -> None:
    for owner in (ann, make_user("bob"), make_user("carla")):
        make_session(user(), owner=owner)
    assert statements(browser(role=Role.STAFF), "/") == [*LOGIN, *ROWS, *OWNERS, *FIGURES]


def test_the_page_reads_no_message(ann: User) -> None:
    make_session(user(), owner=ann)
    client = browser(ann)
    with CaptureQueriesContext(connection) as captured:
        client.get("/")
    assert not [query for query in captured.captured_queries if "rawframe" in query["sql"].lower()]
