"""The replay page: which strategy would have served a recorded session best."""

import csv
import json
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inspector.presenters.shown import short_number
from inspector.slots import USUAL
from sessions_app.access.models import User
from sessions_app.compression.choices import parse_choices
from sessions_app.compression.policy import parse_policy
from sessions_app.compression.replay import Replay, Terms, replay_session, replaying
from tests.builders import make_session, make_user, react_rounds, system, user
from tests.inspector.pages import Page, browser, page_of, text_of

pytestmark = pytest.mark.django_db

TWO = "s1=sliding_window&s2=digest&s2.protect_rounds=2"
SMALL = f"?{TWO}&limit=900"
CHOICES = parse_choices([{"strategy": "sliding_window"}, {"strategy": "digest", "params": {"protect_rounds": 2}}])


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


@pytest.fixture
def talk(ann: User) -> str:
    history = [system(), user("Fix src/upload.py."), *react_rounds(24)]
    return make_session(*history, owner=ann, session_id="s", title="Fix <the> test")


def replayed(client: Client, query: str = "", session_id: str = "s") -> Any:
    return client.get(page_of(session_id, f"replay/{query}"))


def expected(ann: User) -> Replay:
    """What SMALL asks for."""
    terms = Terms(limit_tokens=900)
    return replay_session(session_id="s", user_id=ann.pk, choices=CHOICES, terms=terms)[1]


def rows(page: Page) -> list[str | None]:
    """The rows of the table, by the numbers of their lines."""
    return [a["data-line"] for a in page.all("tr") if "data-line" in a]


def value(page: Page, name: str) -> str | None:
    (field,) = page.all("input", name=name)
    return field["value"]


# What is shown


def test_the_first_visit_shows_the_usual_strategies_replayed(client: Client, talk: str) -> None:
    page = Page.of(replayed(client))
    assert [page.field(f"s{n}") for n in range(1, 6)] == [*USUAL, "cascade"]
    assert len(rows(page)) == 6


def test_a_line_and_a_row_stand_for_each_strategy_and_for_none(client: Client, talk: str) -> None:
    page = Page.of(replayed(client, SMALL))
    drawn = [a["data-line"] for a in page.all("g", role="img") if "series" in (a["class"] or "")]
    assert drawn == ["0", "1", "2"] * 3  # for wide windows, narrow ones and those between
    assert rows(page) == ["1", "2", "0"]


def test_each_compression_leads_to_the_frame_where_it_happened(client: Client, talk: str, ann: User) -> None:
    body = unescape(text_of(replayed(client, SMALL)))
    for run in expected(ann).runs:
        assert run.compressions
        for event in run.compressions:
            assert f'<a href="/sessions/s/?frame={event.seq}#f-{event.seq}">#{event.seq}</a>' in body


def test_a_mark_of_the_chart_leads_there_too(client: Client, talk: str, ann: User) -> None:
    marks = [a for a in Page.of(replayed(client, SMALL)).all("a") if "mark-link" in (a.get("class") or "")]
    first = expected(ann).runs[0].compressions[0]
    assert marks[0]["href"] == f"/sessions/s/?frame={first.seq}#f-{first.seq}"
    assert f"1 sliding_window at frame {first.seq}" in (marks[0]["aria-label"] or "")


def test_the_script_is_given_the_figures_of_each_call(client: Client, talk: str, ann: User) -> None:
    page = Page.of(replayed(client, SMALL))
    replay = expected(ann)
    (charts,) = page.all("div", id="charts")
    assert charts["data-calls"] == " ".join(str(n) for n in range(1, 25))
    assert charts["data-frames"] == " ".join(str(seq) for seq, _ in replay.baseline.series)
    told = {a["data-line"]: a["data-samples"] for a in page.all("li") if "data-samples" in a}
    assert told["1"] == " ".join(str(tokens) for _, tokens in replay.runs[0].series)


def test_the_page_says_what_a_replay_cannot_show(client: Client, talk: str) -> None:
    assert "does not react to what it no longer sees" in text_of(replayed(client))


def test_a_session_without_a_model_call_says_so(client: Client, ann: User) -> None:
    make_session(system(), user(), owner=ann, session_id="quiet")
    answer = replayed(client, session_id="quiet")
    assert answer.status_code == 200
    assert "There is no model call to replay" in text_of(answer)
    assert not Page.of(answer).all("table")


def test_where_nothing_was_compressed_a_limit_is_offered_at_which_something_is(client: Client, talk: str) -> None:
    answer = replayed(client, f"?{TWO}&limit=128000")
    page = Page.of(answer)
    (offered,) = [link for link in page.links if "limit=" in link and "replay" in link and "limit=128000" not in link]
    assert {a["data-line"] for a in page.all("g", role="img")} == {"0"}
    assert rows(page) == []
    assert "cost-heading" not in text_of(answer)
    assert "mark-link" in text_of(client.get(offered))


def test_where_nobody_said_a_limit_one_is_taken_that_is_reached(client: Client, talk: str, ann: User) -> None:
    answer = replayed(client, f"?{TWO}")
    page = Page.of(answer)
    peak = expected(ann).baseline.totals.peak
    limit = int(value(page, "limit") or 0)
    assert abs(limit - peak / 2) <= peak * 0.03
    told = f"The recording never reaches the trigger of 102k; shown with a limit of {short_number(limit)}."
    assert told in text_of(answer)
    assert "mark-link" in text_of(answer)
    assert all(f"limit={limit}" in link for link in page.links if "format=" in link)


def test_the_limit_of_a_policy_is_not_lowered(client: Client, ann: User) -> None:
    policy = parse_policy({"limit_tokens": 50_000, "strategy": "digest"}, "")
    make_session(user(), *react_rounds(24), owner=ann, session_id="s", compression_policy=policy)
    page = Page.of(replayed(client))
    assert value(page, "limit") == "50000"
    assert rows(page) == []


def test_a_trigger_above_the_limit_is_warned_of(client: Client, talk: str) -> None:
    assert "The trigger lies above the limit" in text_of(replayed(client, f"{SMALL}&trigger=1000"))
    assert "The trigger lies above the limit" not in text_of(replayed(client, SMALL))


def test_a_limit_of_a_few_tokens_is_wondered_at(client: Client, talk: str) -> None:
    assert "under 100 there is hardly room" in text_of(replayed(client, f"?{TWO}&limit=99"))
    assert "under 100 there is hardly room" not in text_of(replayed(client, f"?{TWO}&limit=100"))


def test_what_the_address_says_and_nothing_understands_is_told(client: Client, talk: str) -> None:
    body = text_of(replayed(client, f"{SMALL}&limt=9&s2.protect_round=3&s3.max_tokens=9&format=xml&go=1&edit="))
    assert "passed over: limt, s2.protect_round, s3.max_tokens, format=xml" in body
    assert "passed over" not in text_of(replayed(client, SMALL))


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_single_call_is_no_chart(client: Client, ann: User, rounds: int) -> None:
    make_session(user(), *react_rounds(rounds)[:-1], owner=ann, session_id="s")
    answer = replayed(client, f"?{TWO}&limit=2")
    assert bool(Page.of(answer).all("g", role="img")) == (rounds > 1)
    assert ("1 call in 2 frames." in text_of(answer)) == (rounds == 1)


def test_a_stand_in_is_marked(client: Client, talk: str) -> None:
    assert "a digest stands in" in text_of(replayed(client, "?s1=summarize&limit=900"))


def test_hostile_words_of_the_address_stay_text(client: Client, talk: str) -> None:
    body = text_of(replayed(client, "?s1=%3Cscript%3Ealert(1)%3C/script%3E&limit=%22%3E%3Cscript%3E"))
    assert "<script>" not in body


# What the address says


def test_limit_and_trigger_come_from_the_policy_of_the_session(client: Client, ann: User) -> None:
    policy = parse_policy({"limit_tokens": 5_000, "trigger": 0.7, "strategy": "digest"}, "")
    make_session(user(), owner=ann, session_id="s", compression_policy=policy)
    page = Page.of(replayed(client))
    assert (value(page, "limit"), value(page, "trigger"), page.field("s1")) == ("5000", "0.7", "digest")


def test_prices_and_the_cache_can_be_set(client: Client, talk: str) -> None:
    page = Page.of(replayed(client, f"{SMALL}&read=0.5&write=2&output=7&cache_life=60&cache_min=9"))
    names = ("read", "write", "output", "cache_life", "cache_min")
    assert [value(page, name) for name in names] == ["0.5", "2", "7", "60", "9"]


def test_a_preset_is_a_link_that_changes_the_prices_alone(client: Client, talk: str) -> None:
    page = Page.of(replayed(client, SMALL))
    (link,) = [link for link in page.links if "read=1&write=1&output=5" in link]
    changed = Page.of(client.get(link))
    assert [value(changed, name) for name in ("read", "write", "output", "limit")] == ["1", "1", "5", "900"]
    assert rows(changed) == rows(page)


def test_a_strategy_that_is_added_stands_in_the_address(client: Client, talk: str) -> None:
    answer = replayed(client, f"{SMALL}&add=clear_tool_results")
    assert answer.status_code == 302
    page = Page.of(client.get(answer["Location"]))
    assert (page.field("s3"), value(page, "limit")) == ("clear_tool_results", "900")
    assert "add=" not in answer["Location"]


def test_a_number_that_cannot_be_is_told_at_its_field(client: Client, talk: str) -> None:
    answer = replayed(client, f"?{TWO}&limit=0&trigger=x&read=-1")
    page = Page.of(answer)
    assert answer.status_code == 400
    assert page.text("id-limit-error") == "should be greater than or equal to 1"
    assert page.text("id-trigger-error") == '"x" is not a number'
    assert page.text("id-read-error") == "should be greater than or equal to 0"
    assert not page.all("table")


def test_a_number_that_is_refused_stays_filled_in(client: Client, talk: str) -> None:
    page = Page.of(replayed(client, f"?{TWO}&limit=many&cache_min=1.5&read=nan"))
    assert [value(page, name) for name in ("limit", "cache_min", "read")] == ["many", "1.5", "nan"]
    (field,) = page.all("input", name="limit")
    assert field["type"] == "text"  # a browser empties a field for numbers that holds none
    assert page.text("id-limit-error") == '"many" is not a number'
    assert page.text("id-cache_min-error") == '"1.5" is not a whole number'
    assert page.text("id-read-error") == '"nan" is not a number'


def test_a_parameter_that_cannot_be_is_told_at_its_field(client: Client, talk: str) -> None:
    answer = replayed(client, "?s1=digest&s1.protect_rounds=0")
    assert answer.status_code == 400
    assert Page.of(answer).text("id-s1.protect_rounds-error")


def test_without_a_strategy_nothing_is_replayed(client: Client, talk: str) -> None:
    body = text_of(replayed(client, "?s1=digest&remove=1"))
    assert "data-samples" not in body


# Long sessions, and those that are too long


def test_a_long_session_is_replayed_only_when_it_is_asked_for(
    client: Client, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.views.replay.AT_ONCE", 10)
    page = Page.of(replayed(client))
    assert rows(page) == []
    assert page.field("go") == "1"  # so Enter in the form asks for it too
    (button,) = [a["href"] for a in page.all("a") if "button-primary" in (a.get("class") or "")]
    assert rows(Page.of(client.get(button or "")))


def test_a_session_of_too_many_frames_is_refused(client: Client, talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "MOST_FRAMES", 20)
    answer = replayed(client, SMALL)
    assert answer.status_code == 413
    assert "The session has 50 frames; at most 20 can be measured in one request." in text_of(answer)
    assert "manage.py replay has no such limit" in text_of(answer)


def test_what_is_too_long_is_refused_before_anybody_presses_a_button(
    client: Client, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.views.replay.AT_ONCE", 10)
    for module in ("inspector.views.replay", "sessions_app.compression.replay.replaying"):
        monkeypatch.setattr(f"{module}.MOST_FRAMES", 20)
    answer = replayed(client)
    assert answer.status_code == 413
    assert "This session is long" not in text_of(answer)


def test_while_another_replay_of_theirs_runs_a_person_is_asked_to_wait(client: Client, talk: str, ann: User) -> None:
    with replaying._ONE_REPLAY.of(ann.pk):
        answer = replayed(client, SMALL)
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert "A replay of yours is running already" in text_of(answer)
    assert value(Page.of(answer), "limit") == "900"


# Files


def test_the_figures_can_be_taken_along_as_csv(client: Client, talk: str, ann: User) -> None:
    (link,) = [link for link in Page.of(replayed(client, SMALL)).links if "format=csv" in link]
    answer = client.get(link)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="session-s-replay.csv"'
    lines = list(csv.DictReader(StringIO(text_of(answer))))
    told = {line["strategy"]: int(line["input_tokens"]) for line in lines}
    replay = expected(ann)
    assert told == {run.name: run.totals.input_tokens for run in (replay.baseline, *replay.runs)}


def test_the_replay_can_be_taken_along_as_json(client: Client, talk: str, ann: User) -> None:
    (link,) = [link for link in Page.of(replayed(client, SMALL)).links if "format=json" in link]
    answer = client.get(link)
    assert answer["Content-Disposition"] == 'attachment; filename="session-s-replay.json"'
    made = json.loads(text_of(answer))
    assert made["terms"]["limit_tokens"] == 900
    assert made["runs"][1]["params"] == CHOICES[1].params_json
    assert [c["seq"] for c in made["runs"][1]["compressions"]] == [e.seq for e in expected(ann).runs[1].compressions]


def test_a_file_of_what_cannot_be_replayed_is_the_page_that_says_why(client: Client, talk: str) -> None:
    answer = replayed(client, f"?{TWO}&limit=0&format=csv")
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")


# Its neighbours


def test_the_page_of_the_session_leads_here(client: Client, talk: str) -> None:
    assert "/sessions/s/replay/" in Page.of(client.get(page_of("s"))).links


def test_the_strategies_go_along_to_the_compare_page_and_back(client: Client, talk: str) -> None:
    (there,) = [link for link in Page.of(replayed(client, SMALL)).links if "/compare/" in link]
    assert there == f"/sessions/s/compare/?{TWO}"
    (back,) = [link for link in Page.of(client.get(there)).links if "/replay/" in link]
    assert rows(Page.of(client.get(back))) == ["1", "2", "0"]


# Its cost


def test_a_replay_reads_as_often_for_six_strategies_as_for_one(client: Client, talk: str) -> None:
    six = "&".join(f"s{n}=digest" for n in range(1, 7))
    counts = []
    for query in ("?s1=digest&limit=900", f"?{six}&limit=900"):
        with CaptureQueriesContext(connection) as captured:
            replayed(client, query)
        counts.append(len(captured))
        assert not any(q["sql"].startswith(("INSERT", "UPDATE", "DELETE")) for q in captured)
    assert counts[0] == counts[1] <= 5  # the login, the user, the session twice, its frames


def test_a_page_of_many_calls_stays_small(client: Client, ann: User) -> None:
    make_session(user(), *react_rounds(450, size=40), owner=ann, session_id="s")
    assert len(text_of(replayed(client, f"?{TWO}&limit=2000"))) < 300_000


def test_all_that_the_lab_has_for_the_browser_stays_under_24_kb() -> None:
    sizes = {path.name: path.stat().st_size for path in (settings.BASE_DIR / "static" / "lab").iterdir()}
    assert sum(sizes.values()) < 24 * 1024, sizes
