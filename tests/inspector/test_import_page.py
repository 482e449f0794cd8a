"""The page that imports a file: a look first, then the import, and every refusal in its panel."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from inspector.presenters.imports import SESSIONS, SKIPPED, file_report
from sessions_app import engine, interchange
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.interchange import Records, Report, SessionReport, Skipped
from sessions_app.models import Session
from tests.builders import calls, make_session, make_user, reply, says, system, user
from tests.engine.snapshots import all_tables
from tests.inspector.pages import Page, browser, htmx, text_of

pytestmark = pytest.mark.django_db

MARKUP = "</td><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 }}'\"&amp;"
TALK = [system(), user("Fix the upload."), calls("a"), reply("a"), says()]


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def file_of(content: Any, name: str = "talk.json") -> SimpleUploadedFile:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return SimpleUploadedFile(name, data)


def send(client: Client, content: Any = TALK, *, act: str = "", name: str = "talk.json", **more: str) -> Any:
    """Send the form as a browser does: by htmx where `part` is given, else by itself."""
    headers = {"HX-Request": "true", "HX-Target": "report"} if more.pop("part", "") else {}
    return client.post("/import/", {"file": file_of(content, name), "act": act, **more}, headers=headers)


def report_of(response: Any) -> str:
    return Page.of(response).text("report")


def session_links(response: Any) -> list[str]:
    return [link for link in Page.of(response).links if link.startswith("/sessions/")]


def test_the_page_names_every_format_that_is_known(ann: User) -> None:
    page = Page.of(browser(ann).get("/import/"))
    for known in interchange.FORMATS:
        assert page.text(f"format-{known.name}") == f"{known.title} {known.name}"
        assert page.all("option", value=known.name)


def test_the_page_says_where_tools_keep_their_files(ann: User) -> None:
    page = Page.of(browser(ann).get("/import/")).text("main")
    for place in ("Claude Code ~/.claude/projects", "Codex ~/.codex/sessions", "Gemini CLI ~/.gemini/tmp"):
        assert place in page


@pytest.mark.parametrize("act", ["look", "", "anything"])
def test_a_look_says_what_it_would_make_and_writes_nothing(ann: User, act: str) -> None:
    client = browser(ann)
    before = all_tables()
    response = send(client, act=act)
    said = report_of(response)
    for part in (
        "This file would make 1 session",
        "talk.json",
        "OpenAI chat openai-chat",
        "records 5",
        "used 5",
        "new",
    ):
        assert part in said
    assert "Fix the upload." in said
    assert session_links(response) == []
    assert all_tables() == before


def test_an_import_makes_the_sessions_and_links_them_and_the_list(ann: User) -> None:
    client = browser(ann)
    response = send(client, act="import")
    assert (response.status_code, "1 session was imported" in report_of(response)) == (200, True)
    session = Session.objects.get()
    assert (session.owner_id, session.title) == (ann.pk, "Fix the upload.")
    assert set(session_links(response)) == {f"/sessions/{session.session_id}/"}
    assert "All sessions" in report_of(response)
    entry = engine.reads.ledger_entry(session.session_id, 1)
    assert entry is not None and entry.created_by == "ann"


def test_importing_a_file_again_makes_nothing_twice_and_links_what_is_there(ann: User) -> None:
    client = browser(ann)
    send(client, act="import")
    before = all_tables()
    for act in ("look", "import"):
        response = send(client, act=act, part="yes")
        assert "All of it is here already" in report_of(response)
        assert "already here" in report_of(response)
        assert len(set(session_links(response))) == 1
        assert not Page.of(response).all("button")
    assert all_tables() == before


def test_a_file_that_has_grown_is_said_to_continue_its_session(ann: User) -> None:
    client = browser(ann)
    send(client, {"session_id": "s", "messages": TALK[:2]}, act="import")
    longer = {"session_id": "s", "messages": TALK}
    looked = send(client, longer, act="look")
    assert "would be continued" in report_of(looked)
    assert len(session_links(looked)) == 1
    assert "Open the session" not in report_of(looked)
    assert "continued" in report_of(send(client, longer, act="import"))
    assert Session.objects.get().next_msg_seq == 6


@pytest.mark.parametrize("again", [False, True])
def test_the_one_session_that_an_import_made_or_found_is_one_press_away(ann: User, again: bool) -> None:
    client = browser(ann)
    if again:
        send(client, act="import")
    response = send(client, act="import", part="yes")
    session_id = Session.objects.get().session_id
    (opens,) = Page.of(response).all("a", **{"class": "button button-primary"})
    assert opens["href"] == f"/sessions/{session_id}/"
    assert "Open the session All sessions" in report_of(response)


def said_of(sessions: tuple[SessionReport, ...], *, dry_run: bool = False) -> Any:
    return file_report(Report("claude-code", sessions, skipped=(), records=Records(1, 1, 0), dry_run=dry_run), file="f")


def test_of_several_sessions_none_is_opened_before_the_others() -> None:
    made = [SessionReport(f"s{n}", "Start", ("claude-code",), 1, 1, "created") for n in range(2)]
    assert said_of((*made,)).only == ""
    assert said_of((made[0],)).only == "/sessions/s0/"
    assert said_of((made[0],), dry_run=True).only == ""
    assert said_of(()).only == ""


def test_sessions_of_one_title_are_told_apart_by_their_labels_in_the_order_of_the_file(
    ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = (), ("sidechain",), ("branch", MARKUP)
    sessions = tuple(
        SessionReport(f"s{n}", "Start", ("claude-code", *of), 1, 1, "created") for n, of in enumerate(labels)
    )
    report = Report("claude-code", sessions, skipped=(), records=Records(1, 1, 0), dry_run=True)
    assert [line.labels for line in file_report(report, file="f").sessions] == list(labels)
    monkeypatch.setattr(interchange, "import_file", lambda *_a, **_n: report)
    response = send(browser(ann))
    said = report_of(response)
    assert "This file would make 3 sessions" in said
    for part in ("Start s0", "Start sidechain s1", f"Start branch {MARKUP} s2"):
        assert part in said
    assert not Page.of(response).all("img")


def test_what_is_left_out_is_named_with_its_reason_count_and_first_record(ann: User) -> None:
    said = report_of(send(browser(ann), [*TALK, {"role": "robot"}, "text", reply("nobody")]))
    assert "message has no role of this API 2 6" in said
    assert "orphan_reply answers no call; kept as a raw frame, in no window 1 8" in said
    assert "records 8 used 6 left out 2" in said


def test_a_file_without_a_session_says_so(ann: User) -> None:
    said = report_of(send(browser(ann), [{"role": "user"}], part="yes"))
    assert "No session is in this file" in said
    assert "message is not valid" in said


def test_the_button_that_imports_comes_with_a_look_while_the_form_still_holds_the_file(ann: User) -> None:
    client = browser(ann)
    part = send(client, act="look", part="yes")
    assert text_of(part).strip().startswith('<div id="report">')
    assert "Import 1 session" in report_of(part)
    assert Page.of(part).all("button", form="import", name="act", value="import")
    # Without the script the page comes anew, and a browser does not fill in a file.
    whole = send(client, act="look")
    assert "Import 1 session" not in report_of(whole)
    assert "Choose the file once more" in report_of(whole)


def test_the_address_is_a_whole_page(ann: User) -> None:
    response = htmx(browser(ann), "/import/", "main")
    assert "<!doctype html>" in text_of(response)
    assert {"import", "report", "formats-title"} <= set(Page.of(response).ids)


def test_the_form_is_one_that_works_without_a_script(ann: User) -> None:
    page = Page.of(browser(ann).get("/import/"))
    (form,) = page.all("form", id="import")
    assert (form["method"], form["action"], form["enctype"]) == ("post", "/import/", "multipart/form-data")
    assert [b["value"] for b in page.all("button", name="act")] == ["look", "import"]


@pytest.mark.parametrize("address", ["/", "/import/", "/?q=nothing"])
def test_the_page_is_one_link_away(ann: User, address: str) -> None:
    make_session(user(), owner=ann)
    assert "/import/" in Page.of(browser(ann).get(address)).links


def test_an_empty_list_offers_an_import(ann: User) -> None:
    assert "Import the file" in Page.of(browser(ann).get("/")).text("sessions")


# --- Refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["", "yes"])
@pytest.mark.parametrize("content", [b"# A heading\n", b"\x00\x01", b'{"a": 1}', b"PK\x03\x04"])
def test_a_file_of_no_known_format_is_refused_and_the_known_ones_are_named(
    ann: User, content: bytes, part: str
) -> None:
    response = send(browser(ann), content, part=part)
    assert response.status_code == 422
    said = report_of(response)
    assert "The file has no known format" in said
    assert all(known.name in said for known in interchange.FORMATS)


def test_a_format_may_be_named_and_must_fit(ann: User) -> None:
    client = browser(ann)
    assert "This file would make 1 session" in report_of(send(client, format="openai-chat"))
    response = send(client, b'{"a": 1}', format="openai-chat")
    assert response.status_code == 422
    said = report_of(response)
    assert "The file is not of the format that was chosen" in said
    assert "The file is not of the format openai-chat." in said
    assert "no known format" not in said
    assert "selected" in Page.of(response).all("option", value="openai-chat")[0]
    assert send(client, format="nonesuch").status_code == 400


def test_a_file_of_another_format_than_the_chosen_one_says_which_it_looks_like(ann: User) -> None:
    response = send(browser(ann), format="claude-code")
    assert response.status_code == 422
    said = report_of(response)
    assert "The file is not of the format that was chosen" in said
    assert "It looks like OpenAI chat (openai-chat)." in said


@pytest.mark.parametrize("act", ["look", "import"])
def test_several_files_are_refused_and_the_command_that_takes_them_is_named(ann: User, act: str) -> None:
    form = {"act": act, "file": [file_of(TALK, "a.json"), file_of([*TALK, user()], "b.json")]}
    response = browser(ann).post("/import/", form)
    assert response.status_code == 400
    said = report_of(response)
    assert "More than one file, or a folder This page takes one file at a time." in said
    assert "manage.py import_trajectory PATH" in said
    assert not Session.objects.exists()


@pytest.mark.parametrize(("content", "said"), [(None, "/file is missing"), (b"", "/file is empty")])
def test_no_file_and_an_empty_one_are_refused(ann: User, content: bytes | None, said: str) -> None:
    form = {"act": "import"} if content is None else {"act": "import", "file": file_of(content)}
    response = browser(ann).post("/import/", form)
    assert response.status_code == 400
    assert said in report_of(response)


@pytest.mark.parametrize("act", ["look", "import"])
def test_a_file_that_is_too_large_is_read_away_and_refused(ann: User, settings: Any, act: str) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024
    client = browser(ann)
    before = all_tables()
    response = send(client, [user("x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE)], act=act)
    assert response.status_code == 413
    assert "The file is too large A file may have up to 3 MiB." in report_of(response)
    assert all_tables() == before


def test_a_viewer_sees_the_page_with_the_form_disabled_and_may_not_send_it() -> None:
    client = browser(role=Role.VIEWER)
    page = text_of(client.get("/import/"))
    assert "<fieldset disabled>" in page
    assert "Your role, viewer, does not include the right to import" in page
    before = all_tables()
    for act in ("look", "import"):
        response = send(client, act=act)
        assert response.status_code == 403
        assert "You may not do this" in text_of(response)
    assert all_tables() == before


def test_who_is_not_signed_in_is_led_to_it() -> None:
    assert Client().get("/import/")["Location"] == "/login/?next=/import/"
    assert send(Client(), act="import")["Location"].startswith("/login/")
    assert not Session.objects.exists()


def test_the_form_needs_its_csrf_token(ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    assert send(client, act="import").status_code == 403
    token = Page.of(client.get("/import/")).field("csrfmiddlewaretoken") or ""
    assert send(client, act="import", csrfmiddlewaretoken=token).status_code == 200
    assert Session.objects.count() == 1


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (engine.DatabaseBusy("locked; nothing was written"), 503, "Too much is going on"),
        (engine.DatabaseUnavailable("away"), 503, "The database cannot be reached"),
        (engine.Conflict, 409, "Others were writing at the same time"),
        (engine.SessionExists("s"), 409, "A session with this id exists"),
        (engine.DamagedMessage(), 500, "A stored message is damaged"),
    ],
)
def test_each_refusal_has_its_status_and_its_words(
    ann: User, monkeypatch: pytest.MonkeyPatch, error: Any, status: int, said: str
) -> None:
    if error is engine.Conflict:
        session_id = make_session(user(), owner=ann)
        error = engine.Conflict("Others kept writing.", actual=engine.reads.session_state(session_id))

    def refuses(*_arguments: Any, **_named: Any) -> None:
        raise error

    monkeypatch.setattr(interchange, "import_file", refuses)
    response = send(browser(ann), act="import", part="yes")
    assert response.status_code == status
    assert said in report_of(response)
    # Other sessions of the file may have been stored before.
    assert "nothing was written" not in report_of(response)


def test_what_is_not_expected_is_not_dressed_up(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: Any, **_named: Any) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(interchange, "import_file", fails)
    client = browser(ann)
    client.raise_request_exception = False
    response = send(client)
    assert (response.status_code, "a defect" in text_of(response)) == (500, False)


# --- What a report shows ---------------------------------------------------------------------


@pytest.mark.case(87)
@pytest.mark.parametrize("act", ["look", "import"])
@pytest.mark.parametrize("part", ["", "yes"])
def test_titles_and_file_names_are_text(ann: User, act: str, part: str) -> None:
    hostile = [user(MARKUP), {"role": MARKUP}, {"role": "tool", "tool_call_id": MARKUP, "content": "\ud800\0"}]
    response = send(browser(ann), hostile, act=act, part=part, name=f"{MARKUP.replace('/', '')}.json")
    assert response.status_code == 200
    page = Page.of(response)
    assert not page.all("img")
    assert all(a.get("src") for a in page.all("script"))
    assert "<img src=x onerror=alert(2)>" in page.text("report")


@pytest.mark.case(87)
def test_reasons_ids_and_kinds_are_text(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report(
        format="openai-chat",
        sessions=(SessionReport("s", MARKUP, ("openai-chat", MARKUP), 1, 1, "exists"),),
        skipped=(Skipped(MARKUP, MARKUP + "\ud800", 1, None),),
        records=Records(1, 1, 0),
    )
    monkeypatch.setattr(interchange, "import_file", lambda *_a, **_n: report)
    page = Page.of(send(browser(ann)))
    assert not page.all("img")
    assert all(a.get("src") for a in page.all("script"))


def test_a_refusal_that_names_hostile_text_is_text(ann: User) -> None:
    response = send(browser(ann), format=MARKUP)
    assert response.status_code == 400
    assert not Page.of(response).all("img")


def test_a_report_of_thousands_shows_the_first_and_counts_the_rest() -> None:
    report = Report(
        format="openai-chat",
        sessions=tuple(SessionReport(f"s{n}", "", ("openai-chat",), 1, 1, "created") for n in range(SESSIONS + 1200)),
        skipped=tuple(Skipped(f"k{n}", "why", 1, n) for n in range(SKIPPED + 1)),
        records=Records(5000, 4000, 1000),
        dry_run=True,
    )
    shown = file_report(report, file="f")
    assert (len(shown.sessions), shown.more) == (SESSIONS, "and 1,200 more")
    assert (len(shown.skipped), shown.more_skipped) == (SKIPPED, "and 1 more")
    assert shown.news == SESSIONS + 1200


def test_the_menu_of_a_session_offers_both_exports(ann: User) -> None:
    session_id = make_session(user(), owner=ann)
    links = Page.of(browser(ann).get(f"/sessions/{session_id}/")).links
    for kind in ("messages", "bundle"):
        assert f"/api/v1/sessions/{session_id}/export/?kind={kind}" in links
