"""A summary by a model, asked for on the session's page."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from inspector.wording_of_summaries import SUMMARIES
from sessions_app import engine
from sessions_app.access.models import User
from tests.builders import make_session, make_user, react_rounds, system, user, window
from tests.compression.model_server import KEY, MODEL, Summariser, answer_of, fails, host_of, says, summarising
from tests.engine.snapshots import all_tables
from tests.inspector.pages import Page, browser, page_of, send, text_of
from tests.inspector.texts import BASE, strings_in

pytestmark = pytest.mark.django_db

PANEL = "?do=compress&strategy=summarize"
HINT = "A model writes this summary. That may take up to three minutes, and this page can be left meanwhile."
NOT_SET_UP = "No model is set up: SUMMARISER_BASE_URL and SUMMARISER_MODEL must be set."
GOOD = says(answer_of(facts=["[4] The buffer is fixed."]))


@pytest.fixture
def summariser(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Summariser]:
    with summarising(settings, monkeypatch) as start:
        yield start


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def session_id(ann: User) -> str:
    return make_session(system(), user(), *react_rounds(8, size=900), owner=ann)


def buttons(page: Page) -> list[str | None]:
    return [button["value"] for button in page.all("button", name="act")]


def test_without_a_model_the_strategy_is_shown_with_the_reason_and_cannot_be_chosen(ann: User, session_id: str) -> None:
    for query in ("?do=compress", PANEL):
        page = Page.of(browser(ann).get(page_of(session_id, query)))
        assert NOT_SET_UP in page.text("panel")
        assert "strategy-summarize" not in page.ids
        assert buttons(page) == []


def test_without_a_model_a_form_that_comes_all_the_same_is_refused(ann: User, session_id: str) -> None:
    before = all_tables()
    response = send(browser(ann), session_id, "compress", strategy="summarize", act="apply")
    assert response.status_code == 400
    assert f"/strategy cannot be used here: {NOT_SET_UP}" in Page.of(response).text("panel")
    assert all_tables() == before


def test_with_a_model_there_is_no_preview_and_a_line_says_what_to_expect(
    summariser: Summariser, ann: User, session_id: str
) -> None:
    summariser(GOOD)
    page = Page.of(browser(ann).get(page_of(session_id, PANEL)))
    assert HINT in page.text("panel")
    assert buttons(page) == ["apply"]
    other = Page.of(browser(ann).get(page_of(session_id, "?do=compress&strategy=digest")))
    assert HINT not in other.text("panel")
    assert buttons(other) == ["preview", "apply"]


def test_applying_it_publishes_the_summary(summariser: Summariser, ann: User, session_id: str) -> None:
    summariser(GOOD)
    response = send(
        browser(ann), session_id, "compress", strategy="summarize", act="apply", **{"p.instructions": "Be brief."}
    )
    assert response.status_code == 303
    assert "[4] The buffer is fixed." in window(session_id)[2]["content"]
    entry = engine.reads.versions(session_id, current=2)[-1].entry
    assert entry.params["instructions"] == "Be brief."


def test_a_preview_that_is_asked_for_all_the_same_is_refused(
    summariser: Summariser, ann: User, session_id: str
) -> None:
    server = summariser(GOOD)
    response = send(browser(ann), session_id, "compress", strategy="summarize", act="preview")
    assert response.status_code == 400
    said = Page.of(response).text("panel")
    assert "a summary by a model is not previewed: apply it, and restore undoes it" in said
    assert server.calls == []


def test_a_model_that_fails_is_a_refusal_that_says_what_to_do(
    summariser: Summariser, ann: User, session_id: str
) -> None:
    server = summariser(fails(401))
    before = all_tables()
    response = send(browser(ann), session_id, "compress", strategy="summarize", act="apply", **{"p.fallback": "none"})
    assert response.status_code == 502
    said = Page.of(response).text("panel")
    assert "The model that summarises did not give a usable summary" in said
    assert f"The model's endpoint {host_of(server)} answered 401 Unauthorized for the model {MODEL}." in said
    assert "Check SUMMARISER_API_KEY." in said
    assert KEY not in said
    assert "Try later, let a digest stand in, or use digest" in said
    assert all_tables() == before
    assert 'value="none" selected' in text_of(response)


def test_a_digest_that_stands_in_for_a_failed_model_is_not_taken_for_its_summary(
    summariser: Summariser, ann: User, session_id: str
) -> None:
    summariser(fails(404))
    client = browser(ann)
    response = send(client, session_id, "compress", strategy="summarize", act="apply")
    why = "The model's endpoint answered 404 Not Found: no. A digest stands in for its summary."
    page = client.get(response["Location"])
    (notice,) = re.findall('<p class="notice" role="status">(.*?)</p>', text_of(page))
    assert unescape(notice).endswith(f"tokens. {why}")
    assert Page.of(page).text("version-told") == f"v2: {why}"


def test_what_a_model_read_and_wrote_stands_under_the_versions(
    summariser: Summariser, ann: User, session_id: str
) -> None:
    summariser(GOOD)
    client = browser(ann)
    send(client, session_id, "compress", strategy="summarize", act="apply")
    page = Page.of(client.get(page_of(session_id)))
    assert re.search(rf"v2: Model: {MODEL}, [\d,]+ tokens read, [\d,]+ written\.", page.text("version-told"))
    assert "version-told" not in Page.of(client.get(page_of(session_id, "?version=1"))).ids


def test_what_is_said_of_summaries_is_worded_here_as_it_is_where_it_is_said() -> None:
    made_of_names = {NOT_SET_UP}
    said = strings_in(BASE / "sessions_app/compression")
    fixed = [sentence for sentence in SUMMARIES if "%(" not in sentence]
    assert [sentence for sentence in fixed if sentence not in said | made_of_names] == []
