"""The compare page: strategies side by side, a candidate as a window, what is refused and how it is said."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inspector.slots import USUAL
from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.compression import comparison, parse_policy
from tests.builders import calls, head, make_session, make_user, react_rounds, says, system, user
from tests.inspector.pages import Page, browser, compress, htmx, page_of, text_of
from tests.inspector.test_hostile_text import STRANGE, assert_harmless, awful

pytestmark = pytest.mark.django_db

TWO = "s1=digest&s2=sliding_window"


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


@pytest.fixture
def failing(settings: Any) -> None:
    settings.STRATEGY_MODULES = ["tests.compression.failing_strategies"]


def compared(client: Client, session_id: str, query: str = TWO, *, status: int = 200) -> Page:
    response = client.get(page_of(session_id, f"compare/?{query}"))
    assert response.status_code == status
    return Page.of(response)


def query_of(address: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(address).query, keep_blank_values=True)


def test_a_row_tells_size_messages_and_rules_of_its_candidate(client: Client, talk: str) -> None:
    page = compared(client, talk)
    row = page.text("candidate-2")
    assert "sliding_window protect_rounds 3" in row
    assert "7 of 43 messages" in row
    assert "all rules held" in row
    after = compress(talk, "sliding_window").compression
    assert after is not None
    assert {"title": str(after.after.tokens)} in page.all("b")


def test_each_strip_has_the_same_frames_and_says_what_became_of_them(client: Client, talk: str) -> None:
    page = compared(client, talk)
    lanes = [a for a in page.all("svg") if "lane" in str(a.get("class")).split()]
    assert [lane["data-fates"] for lane in lanes] == ["01" * 2 + code * 36 + "01" * 5 for code in ("04", "08")]
    assert {lane["data-last"] for lane in lanes} == {"43"}
    assert "#3–#38: summarised" in text_of(client.get(page_of(talk, f"compare/?{TWO}")))


def test_frames_that_share_a_cell_of_a_long_strip_are_all_told(client: Client, ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(150), owner=ann)
    page = compared(client, session_id, "s1=clear_tool_results")
    (lane,) = [a for a in page.all("svg") if "lane" in str(a.get("class")).split()]
    assert lane["data-width"] == "2"
    assert str(lane["data-fates"]) == "01" + "03" * 147 + "01" * 3
    assert "2 frames a cell" in page.text("fates")


def test_the_first_visit_compares_the_usual_strategies_and_that_of_the_policy(client: Client, ann: User) -> None:
    policy = parse_policy({"strategy": "digest", "params": {"protect_rounds": 1}}, "")
    session_id = make_session(system(), user(), *react_rounds(9), owner=ann, compression_policy=policy)
    page = compared(client, session_id, "")
    assert page.text("candidate-1").startswith("1 digest protect_rounds 1")
    assert [page.field(f"s{n}") for n in (2, 3, 4)] == list(USUAL[:3])


def test_the_form_is_answered_by_the_shortest_address_that_says_the_same(client: Client, talk: str) -> None:
    form = "s1=digest&s1.protect_rounds=3&s1.max_tokens=900&add=&probes=src%2Fupload.py%0D%0A%0D%0Aschema%0D%0Aschema"
    response = client.get(page_of(talk, f"compare/?{form}"))
    assert response.status_code == 302
    assert query_of(response.headers["Location"]) == [
        ("s1", "digest"),
        ("s1.max_tokens", "900"),
        ("probe", "src/upload.py"),
        ("probe", "schema"),
    ]


@pytest.mark.parametrize(
    ("button", "left"), [("add=sliding_window", ["digest", "digest", "sliding_window"]), ("remove=1", ["digest"])]
)
def test_a_button_of_the_form_adds_or_removes_and_leaves_the_form_open(
    client: Client, talk: str, button: str, left: list[str]
) -> None:
    response = client.get(page_of(talk, f"compare/?s1=digest&s2=digest&s2.protect_rounds=1&probes=&{button}"))
    given = query_of(response.headers["Location"])
    assert [value for name, value in given if re.fullmatch(r"s\d", name)] == left
    assert ("edit", "1") in given


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("s1=digest&s1.protect_rounds=0", "should be greater than or equal to 1"),
        ("s1=digest&s1.protect_rounds=x", "should be a valid integer"),
        ("s1=nonesuch", "There is no strategy of this name."),
        ("&".join(f"probe={n}" for n in range(21)), "At most 20 texts can be looked for; these are 21."),
        (f"probe={'x' * 201}", "1 text is longer than 200 characters."),
    ],
)
def test_bad_input_is_said_in_the_form_which_stands_open(client: Client, talk: str, query: str, said: str) -> None:
    page = compared(client, talk, query, status=400)
    assert said in page.text("strategies")
    assert "open" in page.all("details", id="strategies")[0]


def test_the_strategies_that_are_right_are_compared_beside_one_that_is_wrong(client: Client, talk: str) -> None:
    page = compared(client, talk, "s1=digest&s1.protect_rounds=0&s2=sliding_window", status=400)
    assert [i for i in page.ids if i.startswith("candidate-")] == ["candidate-2"]


@pytest.mark.parametrize("query", ["open=x", "against=-1", "pin=z9", "frame=1e3", "after_position=0x1"])
def test_a_number_that_is_none_is_a_bad_request(client: Client, talk: str, query: str) -> None:
    assert client.get(page_of(talk, f"compare/?{TWO}&{query}")).status_code == 400


@pytest.mark.parametrize("query", ["open=9", "open=1&against=1", "open=2&against=9", "against=1", "open=1&pin=c999"])
def test_a_candidate_that_is_not_there_is_left_out(client: Client, talk: str, query: str) -> None:
    assert "difference" not in compared(client, talk, f"{TWO}&{query}").ids


def test_probes_are_marked_as_found_or_not_in_words(client: Client, talk: str) -> None:
    page = compared(client, talk, "s1=digest&s2=sliding_window&probe=UPLOAD.py&probe=nonesuch")
    for number in (1, 2):
        assert "found: UPLOAD.py" in page.text(f"candidate-{number}")
        assert "not found: nonesuch" in page.text(f"candidate-{number}")


def test_nothing_to_compress_is_said_with_its_reason_and_cannot_be_applied(client: Client, ann: User) -> None:
    page = compared(client, make_session(system(), user(), says(), owner=ann), "s1=sliding_window")
    assert "Nothing to compress: " in page.text("candidate-1")
    assert "Apply" not in page.text("candidate-1")
    assert not [a for a in page.all("form") if "/compress/" in str(a.get("action"))]


def test_a_broken_rule_is_named_with_where_it_is_broken(client: Client, talk: str, failing: None) -> None:
    page = compared(client, talk, "s1=breaks_a_rule")
    row = page.text("candidate-1")
    assert "A rule is broken" in row
    assert "rule 1: the system message must stand first, unchanged" in row
    assert not [a for a in page.all("form") if "/compress/" in str(a.get("action"))]


def test_a_strategy_with_a_defect_is_no_reason_to_keep_quiet_about_the_others(
    client: Client, talk: str, failing: None
) -> None:
    page = compared(client, talk, "s1=raises&s2=digest")
    assert "Unavailable: It has a defect: ZeroDivisionError" in page.text("candidate-1")
    assert "all rules held" in page.text("candidate-2")


def test_where_no_model_is_asked_the_row_says_what_stood_in_and_why_it_cannot_be_applied(
    client: Client, talk: str
) -> None:
    row = compared(client, talk, "s1=summarize").text("candidate-1")
    assert "a digest stands in" in row
    assert "Cannot be applied: No model is set up" in row


def test_where_a_model_is_set_up_the_row_says_that_it_will_be_asked(client: Client, talk: str, settings: Any) -> None:
    settings.SUMMARISER_BASE_URL, settings.SUMMARISER_MODEL = "http://127.0.0.1:9/v1", "m"
    page = compared(client, talk, "s1=summarize&s2=digest")
    assert "To apply it, a model is asked" in page.text("candidate-1")
    assert "To apply it, a model is asked" not in page.text("candidate-2")


def apply_form(page: Page) -> dict[str, str]:
    """The hidden fields of the first candidate that can be applied."""
    elements = iter(page.elements)
    next(a for t, a in elements if t == "form" and "/compress/" in str(a.get("action")))
    fields: dict[str, str] = {}
    for tag, attributes in elements:
        if tag != "input":
            return fields
        fields[str(attributes["name"])] = str(attributes["value"])
    return fields


def test_a_candidate_is_applied_with_its_parameters_and_the_head_of_the_page(client: Client, talk: str) -> None:
    fields = apply_form(compared(client, talk, "s1=digest&s1.protect_rounds=2"))
    response = client.post(page_of(talk, "compress/?do=compress"), fields)
    assert (response.status_code, response.headers["Location"]) == (303, page_of(talk))
    entry = engine.reads.ledger_entry(talk, 2)
    assert entry is not None
    assert (entry.strategy, entry.params["protect_rounds"]) == ("digest", 2)


def test_a_candidate_of_a_window_that_moved_meanwhile_is_not_applied(client: Client, talk: str) -> None:
    fields = apply_form(compared(client, talk, "s1=digest"))
    engine.append(session_id=talk, messages=[user("And more.")])
    assert client.post(page_of(talk, "compress/?do=compress"), fields).status_code == 412
    assert head(talk).context_compression_version == 1


def test_a_viewer_reads_everything_and_applies_nothing(talk: str) -> None:
    vera = make_user("vera", Role.VIEWER)
    session_id = make_session(system(), user(), *react_rounds(9), owner=vera)
    page = compared(browser(vera), session_id, f"{TWO}&open=1")
    assert "Your role, viewer, does not include the right to compress." in page.text("candidate-1")
    assert not [a for a in page.all("form") if "/compress/" in str(a.get("action"))]
    assert "context-rows" in page.ids


def test_a_session_of_too_many_frames_is_refused_with_what_to_do(
    client: Client, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "MOST_FRAMES", 42)
    response = client.get(page_of(talk, f"compare/?{TWO}"))
    assert response.status_code == 413
    assert "43 frames" in text_of(response)
    assert "A single strategy can be looked at: Compress on the session&#x27;s page." in text_of(response)


def test_an_opened_candidate_stands_beside_its_frames_and_both_name_each_other(client: Client, talk: str) -> None:
    page = compared(client, talk, f"{TWO}&open=1")
    assert page.all("li", id="c-3", data_seqs="3-38", data_fate="summarised")
    assert page.all("li", id="f-3", data_at="3")
    assert "⊂ #3–#38" in page.text("c-3")
    assert "⊂ C3" in page.text("f-20")
    assert "→ C7" in page.text("f-42")


def test_what_an_opened_candidate_drops_is_marked_in_its_frames(client: Client, talk: str) -> None:
    page = compared(client, talk, f"{TWO}&open=2")
    assert "dropped" in page.text("f-3")
    assert page.text("c-3").startswith("C3 assistant = #39")


def test_links_of_an_opened_candidate_stay_on_the_page_or_lead_to_what_is_stored(client: Client, talk: str) -> None:
    page = compared(client, talk, f"{TWO}&open=1")
    pins = [href for href in page.links if "pin=c3" in href]
    assert pins and all(urlsplit(href).path == page_of(talk, "compare/") for href in pins)
    assert not [href for href in page.links if "/context/" in href]
    own = sorted({href.partition("#")[0] for href in page.links if href.startswith(page_of(talk))})
    for href in own[::7]:
        assert client.get(href).status_code in (200, 302), href


def test_the_whole_text_of_a_summary_can_be_read_although_it_is_stored_nowhere(client: Client, talk: str) -> None:
    page = compared(client, talk, "s1=sliding_window&s2=digest&s2.protect_rounds=2&open=2")
    (href,) = {a["href"] for a in page.all("a") if "/compare/text/" in str(a.get("href")) and "message=3" in str(a)}
    response: Any = client.get(str(href))
    assert response.headers["Content-Type"].startswith("text/plain")
    assert response.headers["Content-Security-Policy"].startswith("sandbox")
    written = compress(talk, "digest", protect_rounds=2)
    assert written.context is not None
    assert b"".join(response.streaming_content).decode() == written.context[2].item.message.body


@pytest.mark.parametrize("query", ["", "s1=digest&open=1", "s1=digest&open=1&message=99", "s1=digest&open=2&message=1"])
def test_a_message_that_no_candidate_has_is_not_found(client: Client, talk: str, query: str) -> None:
    assert client.get(page_of(talk, f"compare/text/?{query}")).status_code == 404


def test_what_one_keeps_that_the_other_drops_is_told_as_runs_of_frames(client: Client, talk: str) -> None:
    more = compared(client, talk, f"{TWO}&open=1&against=2").text("difference")
    assert "What 1 digest keeps that 2 sliding_window does not" in more
    assert "36 frames summarised here, dropped there #3–#38" in more
    less = compared(client, talk, f"{TWO}&open=2&against=1").text("difference")
    assert "More in 2 sliding_window Nothing. More in 1 digest 36 frames dropped here, summarised there #3–#38" in less


@pytest.mark.parametrize("part", ["bands", "frames", "context", "pinned"])
def test_a_part_that_a_script_asks_for_is_what_stands_in_the_page(client: Client, talk: str, part: str) -> None:
    url = page_of(talk, f"compare/?{TWO}&open=1&pin=f4")
    fragment = re.sub(r"\s*(just now|\d+ s ago)\s*", "", text_of(htmx(client, url, part)).strip())
    assert re.match(rf'<(div|section)[^>]* id="{part}"', fragment)
    squeezed = re.sub(r"\s+", " ", fragment)
    whole = re.sub(r"\s+", " ", re.sub(r"\s*(just now|\d+ s ago)\s*", "", text_of(client.get(url))))
    assert squeezed in whole


def test_a_long_candidate_is_turned_in_pages(client: Client, ann: User) -> None:
    session_id = make_session(system(), *(m for n in range(150) for m in (user(f"Ask {n}"), says())), owner=ann)
    query = "s1=sliding_window&s1.protect_rounds=60&open=1"
    page = compared(client, session_id, query)
    rows = [i for i in page.ids if i.startswith("c-")]
    assert (rows[0], len(rows)) == ("c-1", 40)
    assert len([i for i in page.ids if re.fullmatch(r"f-\d+", i)]) == 100
    (later,) = {a["href"] for a in page.all("a", rel="next") if "after_position" in str(a["href"])}
    assert "c-41" in Page.of(client.get(str(later))).ids


def test_rows_of_an_opened_candidate_hold_the_beginning_of_their_text(client: Client, ann: User) -> None:
    long = "é" * 5_000
    session_id = make_session(system(), user(), *react_rounds(9), user(long), owner=ann)
    page = compared(client, session_id, "s1=sliding_window&open=1")
    assert "é" * 280 in page.text("c-9") and "é" * 281 not in page.text("c-9")


def test_recovery_frames_are_told_as_such(client: Client, ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(5), calls("x"), owner=ann)
    engine.recover(session_id=session_id)
    page = compared(client, session_id, "s1=sliding_window&s1.protect_rounds=1&open=1")
    assert page.all("li", id="c-4", data_fate="recovery")


def test_a_session_without_messages_has_nothing_to_compare(client: Client, ann: User) -> None:
    page = compared(client, make_session(owner=ann), "open=1")
    assert "Nothing to compress: " in page.text("candidate-1")
    assert "bands" not in page.ids


def test_a_title_is_set_and_the_page_leads_back_to_its_session(client: Client, talk: str) -> None:
    page = compared(client, talk)
    assert page_of(talk) in page.links
    assert page_of(talk, "compare/") in Page.of(client.get(page_of(talk))).links


@pytest.mark.case(59)
@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_text_of_any_kind_is_text_on_the_page(client: Client, ann: User, text: str) -> None:
    session_id = make_session(*awful(text), owner=ann)
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[says(text), user(text), *react_rounds(6)])
    probe = {"probe": text.encode("utf-8", "replace").decode()}
    for query in ("s1=digest&s1.protect_rounds=1&open=1", "s1=clear_tool_results&s2=digest&open=2&against=1&pin=c2"):
        address = page_of(session_id, f"compare/?{query}")
        assert_harmless(client.get(address, probe | dict(parse_qsl(query))), address)


def test_the_address_of_a_comparison_can_hold_anything(client: Client, talk: str) -> None:
    for name in ("s1", "s1.protect_rounds", "probe", "probes", "add", "remove", "edit", "band"):
        for text in STRANGE:
            given = {"s1": "digest", "s2": "sliding_window", name: text.encode("utf-8", "replace").decode()}
            assert client.get(page_of(talk, "compare/"), given).status_code in (200, 302, 400)


def test_a_comparison_writes_nothing_and_takes_as_many_statements_at_any_length(client: Client, ann: User) -> None:
    counts = []
    for rounds in (10, 200):
        session_id = make_session(system(), user(), *react_rounds(rounds), owner=ann)
        with CaptureQueriesContext(connection) as captured:
            compared(client, session_id, f"{TWO}&open=1&against=2")
        # PostgreSQL reads the frames by a cursor.
        assert all(q["sql"].lstrip().startswith(("SELECT", "WITH", "DECLARE")) for q in captured.captured_queries)
        counts.append(len(captured))
    # Login and user; session; window, frames and first request; frames, replies and rows of the opened one.
    assert counts[0] == counts[1] <= 12


def test_a_session_of_somebody_else_is_not_found(talk: str) -> None:
    stranger = browser(make_user("eve"))
    for path in (f"compare/?{TWO}", "compare/text/?s1=digest&open=1&message=1"):
        assert stranger.get(page_of(talk, path)).status_code == 404
