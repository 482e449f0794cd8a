"""What the rows of the compare page say, what is said where there is nothing to say, and where its form leads."""

import re

import pytest
from django.test import Client

from sessions_app import engine
from sessions_app.access.models import User
from tests.builders import calls, make_session, make_user, react_rounds, says, system, user
from tests.inspector.pages import browser, compress, page_of, text_of
from tests.inspector.test_compare_page import TWO, compared

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def client(ann: User) -> Client:
    return browser(ann)


@pytest.fixture
def talk(ann: User) -> str:
    """1 system, 2 user, 3 to 42 rounds, 43 an answer and a round too: old are 3 to 38."""
    asked = user("Fix the upload in src/upload.py. Do not change the schema.")
    return make_session(system(), asked, *react_rounds(20), says(), owner=ann, title="Fix the upload")


def test_the_parameters_of_a_row_stand_in_one_line_as_words(client: Client, talk: str) -> None:
    row = compared(client, talk, "s1=pipeline&s2=clear_tool_results&s3=cascade&s3.trigger=20000").text
    assert "steps dedupe_reads, clear_tool_results, drop_reasoning, digest · target 0.6" in row("candidate-1")
    assert "min_saving 0 · clear_inputs no" in row("candidate-2")
    assert "trigger 20000 · target 0.6" in row("candidate-3")


def test_where_nothing_was_touched_a_row_says_all_and_where_nothing_is_there_a_dash(client: Client, ann: User) -> None:
    asked = user("Fix the upload in src/upload.py. " * 40)
    session_id = make_session(system(), asked, *react_rounds(9), user("Go on."), owner=ann)
    page = compared(client, session_id, "s1=clear_tool_results")
    titles = {str(a["title"]) for a in page.all("span") if "figure-of" in str(a.get("class"))}
    assert {"All still stands word for word.", "There is nothing of the kind to look at."} <= titles
    assert re.search(r"messages all – ", page.text("candidate-1"))


def test_the_full_table_tells_beside_what_was_touched_the_share_of_all_that_is_named(client: Client, talk: str) -> None:
    measures = compared(client, talk).text("measures")
    assert re.search(r"paths kept.*? of all, still named ?100 % of all \d+ ?100 % of all \d+", measures), measures


def test_lost_probes_come_first_and_after_two_the_others_are_counted(client: Client, talk: str) -> None:
    probes = "&".join(f"probe=nonesuch{n}" for n in range(5))
    row = compared(client, talk, f"s1=digest&probe=upload.py&{probes}").text("candidate-1")
    assert "5 of 7 probes lost" in row
    assert "nonesuch1" in row and "nonesuch2" not in row and "4 more below" in row


def test_what_was_dropped_before_is_told_apart_from_what_a_candidate_drops(client: Client, talk: str) -> None:
    compress(talk, "sliding_window")
    engine.append(session_id=talk, messages=react_rounds(9))
    page = compared(client, talk, "s1=sliding_window")
    (lane,) = [a for a in page.all("svg") if "lane" in str(a.get("class")).split()]
    assert str(lane["data-fates"])[4:76] == "20" * 36
    assert "dropped before 36" in page.text("fates")
    assert "#3–#38: dropped before" in page.text("candidate-1")


def test_recovery_frames_have_their_own_colour_in_a_strip(client: Client, ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(9), calls("x"), owner=ann)
    engine.recover(session_id=session_id)
    page = compared(client, session_id, "s1=sliding_window")
    (lane,) = [a for a in page.all("svg") if "lane" in str(a.get("class")).split()]
    assert str(lane["data-fates"]).endswith("0110")
    assert "recovery 1" in page.text("fates")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("s1=sliding_window&s1.protect_rounds=99", "Protect fewer rounds"),
        ("s1=trim_to_target", "Limit 128,000: no policy is set."),
        ("s1=cascade&s1.target=1", "give trigger and target in tokens"),
    ],
)
def test_where_no_strategy_finds_anything_the_page_says_what_to_do(
    client: Client, talk: str, query: str, said: str
) -> None:
    response = client.get(page_of(talk, f"compare/?{query}"))
    assert "None of these strategies finds anything to compress." in text_of(response)
    assert said in text_of(response)


def test_what_the_address_says_in_vain_is_told(client: Client, talk: str) -> None:
    answer = text_of(client.get(page_of(talk, "compare/?s1=digest&s1.max_token=9&s9=digest&s4.target=1&open=9")))
    for said in (
        "s1.max_token is no parameter of digest.",
        "s9 is passed over: the strategies are s1 to s6.",
        "s4.target is passed over: there is no s4.",
        "open=9 is passed over: there is no such candidate.",
    ):
        assert said in answer


def test_the_numbers_of_a_reason_are_short_and_exact_in_its_title(client: Client, ann: User) -> None:
    session_id = make_session(system(), user("word " * 3_000), says(), owner=ann)
    page = compared(client, session_id, "s1=trim_to_target")
    assert "meets the target of 76.8k." in page.text("candidate-1")
    assert [a for a in page.all("span") if "76800" in str(a.get("title"))]


def test_a_strategy_that_is_none_can_be_removed_where_it_stands_alone(client: Client, talk: str) -> None:
    assert compared(client, talk, "s1=nonesuch", status=400).all("button", name="remove", value="1")
    assert not compared(client, talk, "s1=digest").all("button", name="remove")


def test_one_lands_at_the_strategy_that_was_added(client: Client, talk: str) -> None:
    response = client.get(page_of(talk, "compare/?s1=digest&probes=&add=sliding_window"))
    assert response.headers["Location"].endswith("#slot-2")
    assert "slot-2" in compared(client, talk).ids


def test_an_opened_candidate_says_so_and_leads_to_its_window(client: Client, talk: str) -> None:
    page = compared(client, talk, f"{TWO}&open=1")
    assert "Opened 1 digest" in page.text("candidate-1")
    assert "#candidate" in page.links
    assert "Open 2 sliding_window" in page.text("candidate-2")
