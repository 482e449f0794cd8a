"""The panel of a session's compression policy, and what a page says of a session that compresses itself."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from sessions_app import compression, engine
from sessions_app.access.models import User
from sessions_app.compression import load_policy, parse_policy
from tests.builders import head, make_session, make_user, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables
from tests.inspector.pages import Page, browser, page_of, send, text_of

pytestmark = pytest.mark.django_db(transaction=True)

FILLED = {
    "limit_tokens": "9000",
    "trigger": "0.7",
    "target": "3000",
    "strategy": "sliding_window",
    "drawn_strategy": "sliding_window",
    "p.protect_rounds": "2",
    "auto": "on",
    "act": "save",
}
SET = {
    "limit_tokens": 9000,
    "trigger": 0.7,
    "target": 3000,
    "strategy": "sliding_window",
    "params": {"protect_rounds": 2},
    "auto": True,
}


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


@pytest.fixture
def session_id(ann: User) -> str:
    return make_session(system(), user(), *react_rounds(6), owner=ann)


def stored(session_id: str) -> dict[str, Any] | None:
    policy = load_policy(engine.reads.session_state(session_id).compression_policy)
    return None if policy is None else policy.model_dump()


def panel(client: Client, session_id: str) -> Page:
    return Page.of(client.get(page_of(session_id, "?do=policy")))


def chosen(page: Page) -> list[str | None]:
    return [a["value"] for a in page.all("option") if "selected" in a]


def stopped(ann: User) -> str:
    policy = {"trigger": 10, "target": 10, "strategy": "sliding_window", "params": {"protect_rounds": 1}, "auto": True}
    session_id = make_session(user(), owner=ann, compression_policy=parse_policy(policy, ""))
    for n in range(3):
        compression.append(session_id=session_id, messages=react_rounds(3, start=10 * n))
    return session_id


def test_without_a_policy_it_shows_the_defaults_and_offers_nothing_to_take_away(
    client: Client, session_id: str
) -> None:
    page = panel(client, session_id)
    assert [page.field(name) for name in ("limit_tokens", "trigger", "target")] == ["128000", "0.8", "0.6"]
    assert chosen(page) == ["cascade"]
    assert "No policy" not in page.text("panel")


def test_setting_it_stores_what_was_filled_in_and_moves_no_head(client: Client, session_id: str) -> None:
    before = head(session_id)
    response = send(client, session_id, "policy", **FILLED)
    assert response.status_code == 303
    assert "The policy was set." in text_of(client.get(response["Location"]))
    assert stored(session_id) == SET
    assert head(session_id) == before


def test_it_shows_the_policy_that_is_set(client: Client, session_id: str) -> None:
    send(client, session_id, "policy", **FILLED)
    page = panel(client, session_id)
    names = ("limit_tokens", "trigger", "target", "p.protect_rounds")
    assert [page.field(name) for name in names] == ["9000", "0.7", "3000", "2"]
    assert chosen(page) == ["sliding_window"]
    (auto,) = page.all("input", name="auto")
    assert "checked" in auto


def test_what_is_left_empty_is_the_default(client: Client, session_id: str) -> None:
    send(client, session_id, "policy", **FILLED)
    send(client, session_id, "policy", **{**FILLED, "trigger": "", "target": "", "auto": None})
    assert stored(session_id) == {**SET, "trigger": 0.8, "target": 0.6, "auto": False}


def test_no_policy_takes_it_away(client: Client, session_id: str) -> None:
    send(client, session_id, "policy", **FILLED)
    assert "No policy" in panel(client, session_id).text("panel")
    response = send(client, session_id, "policy", **{**FILLED, "limit_tokens": "x", "act": "none"})
    assert response.status_code == 303
    assert stored(session_id) is None


def test_another_strategys_parameters_are_shown_and_nothing_is_written(client: Client, session_id: str) -> None:
    before = all_tables()
    response = send(client, session_id, "policy", **{**FILLED, "strategy": "digest", "act": "choose"})
    assert response.status_code == 200
    page = Page.of(response)
    assert page.field("drawn_strategy") == "digest"
    assert page.field("p.max_tokens") == "2000"
    assert page.field("p.protect_rounds") == "3", "another strategy's value is none of this one's"
    assert page.field("limit_tokens") == "9000"
    assert chosen(page) == ["digest"]
    assert all_tables() == before


def test_a_strategy_whose_parameters_were_not_shown_gets_its_defaults(client: Client, session_id: str) -> None:
    send(client, session_id, "policy", **{**FILLED, "strategy": "clear_tool_results"})
    policy = stored(session_id)
    assert policy is not None
    assert (policy["strategy"], policy["params"]) == ("clear_tool_results", {})


def test_a_trigger_and_a_target_that_the_policy_says_are_not_asked_for_twice(client: Client, session_id: str) -> None:
    assert panel(client, session_id).all("input", name="p.target") == []
    twice = parse_policy({"strategy": "cascade", "params": {"target": 0.5}}, "")
    engine.change(session_id=session_id, compression_policy=twice)
    page = panel(client, session_id)
    assert page.field("p.target") == "0.5"
    assert page.all("input", name="p.trigger") == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("limit_tokens", "many", "should be a valid integer"),
        ("limit_tokens", "0", "should be greater than or equal to 1"),
        ("target", "8000", "must not be above the trigger"),
        ("p.protect_rounds", "none", "should be a valid integer"),
    ],
)
def test_a_value_that_does_not_fit_is_named_beside_its_field(
    client: Client, session_id: str, name: str, value: str, said: str
) -> None:
    before = all_tables()
    response = send(client, session_id, "policy", **{**FILLED, name: value})
    assert response.status_code == 400
    page = Page.of(response)
    assert page.field(name) == value
    assert [a["name"] for a in page.all("input", aria_invalid="true")] == [name]
    assert said in page.text(f"id-{name}-error")
    assert all_tables() == before


def test_a_strategy_that_asks_a_model_is_refused_beside_the_box(client: Client, session_id: str) -> None:
    fields = {**FILLED, "strategy": "summarize", "drawn_strategy": "summarize", "p.fallback": "none"}
    response = send(client, session_id, "policy", **fields, **{"p.max_tokens": "2000"})
    assert response.status_code == 400
    assert "asks a model" in Page.of(response).text("id-auto-error")


def test_a_strategy_that_does_not_exist_is_refused(client: Client, session_id: str) -> None:
    response = send(client, session_id, "policy", **{**FILLED, "strategy": "nonesuch"})
    assert response.status_code == 400
    assert "must be one of" in Page.of(response).text("panel")


def test_a_policy_whose_strategy_has_gone_is_shown_as_it_is(client: Client, session_id: str, settings: Any) -> None:
    settings.STRATEGY_MODULES = ["tests.compression.failing_strategies"]
    engine.change(session_id=session_id, compression_policy=parse_policy({"strategy": "declines"}, ""))
    settings.STRATEGY_MODULES = []
    page = panel(client, session_id)
    assert chosen(page) == ["declines"]
    assert "There is no strategy of this name here." in page.text("panel")


def test_an_append_that_makes_it_due_says_which_version_was_made(client: Client, session_id: str) -> None:
    send(client, session_id, "policy", **{**FILLED, "trigger": "500", "target": "400"})
    response = send(client, session_id, "append", messages=json.dumps([says("Well. " * 200)]))
    said = text_of(client.get(response["Location"]))
    assert "1 frame was written. Version 2 is the window now" in said
    assert engine.reads.newest_automatic(session_id, 1)[0].created_by == "ann"


def test_the_rail_says_which_versions_were_made_automatically(ann: User, client: Client) -> None:
    page = Page.of(client.get(page_of(stopped(ann))))
    assert "automatic" not in page.text("stop-1")
    assert "automatic" in page.text("stop-2")
    (stop,) = page.all("a", id="stop-2")
    assert "by the policy" in (stop["title"] or "")


def test_a_session_that_stopped_says_so_and_leads_to_the_panel(ann: User, client: Client) -> None:
    session_id = stopped(ann)
    page = Page.of(client.get(page_of(session_id)))
    assert "Versions 2, 3 and 4 were made automatically" in page.text("head")
    (link,) = page.all("a", id="change-policy")
    opened = Page.of(client.get(str(link["href"]).partition("#")[0]))
    assert opened.field("p.protect_rounds") == "1"


def test_setting_the_policy_starts_it_again(ann: User, client: Client) -> None:
    session_id = stopped(ann)
    send(client, session_id, "policy", **FILLED)
    assert "has stopped" not in Page.of(client.get(page_of(session_id))).text("head")
    assert stored(session_id) == SET


def test_the_append_that_stops_it_says_so(ann: User, client: Client) -> None:
    policy = {"trigger": 10, "target": 10, "strategy": "sliding_window", "params": {"protect_rounds": 1}, "auto": True}
    session_id = make_session(user(), owner=ann, compression_policy=parse_policy(policy, ""))
    for n in range(3):
        response = send(client, session_id, "append", messages=json.dumps(react_rounds(3, start=10 * n)))
    *_earlier, notice = re.findall(
        '<p class="notice" role="status">(.*?)</p>', text_of(client.get(response["Location"]))
    )
    assert "6 frames were written. Version 4 is the window now" in notice
    assert "automatic compression has stopped" in notice


def test_a_refused_append_leaves_the_policy_alone(client: Client, session_id: str) -> None:
    send(client, session_id, "policy", **{**FILLED, "trigger": "500", "target": "400"})
    before = all_tables()
    assert send(client, session_id, "append", messages=json.dumps(reply("nonesuch"))).status_code == 409
    assert all_tables() == before
