"""The forms of a session's page: what they do, and what happens when the session moved or the engine refuses."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from inspector.heads import tag_of
from inspector.panels import RIGHTS
from inspector.problem_pages import PROBLEM_PAGES
from inspector.refusals import TABLE
from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.compression import parse_policy
from sessions_app.models import Session
from tests.builders import calls, head, make_session, make_user, raw, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables
from tests.inspector.pages import Page, browser, compress, htmx, page_of, send, text_of

pytestmark = pytest.mark.django_db(transaction=True)

FILLED: dict[str, dict[str, str]] = {
    "compress": {"strategy": "sliding_window", "p.protect_rounds": "2", "act": "apply"},
    "restore": {"version": "1"},
    "recover": {},
    "append": {"messages": '{"role": "tool", "tool_call_id": "z", "content": "ok"}'},
    "rename": {"title": "New title", "labels": "a\r\nb"},
    "history": {"keep": "off"},
    "policy": {"limit_tokens": "9000", "strategy": "digest", "drawn_strategy": "digest", "p.protect_rounds": "2"},
    "delete": {},
}


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def session_id(ann: User) -> str:
    """Six rounds, compressed once, and a call that nothing answers."""
    made = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(made)
    engine.append(session_id=made, messages=[*react_rounds(4, start=7), calls("z", name="deploy")])
    return made


def filled(control: str, session_id: str) -> dict[str, str]:
    return {**FILLED[control], **({"confirm": session_id} if control == "delete" else {})}


def panel_text(response: Any) -> str:
    return Page.of(response).text("panel")


def test_compressing_publishes_the_next_version_and_says_so(ann: User, session_id: str) -> None:
    client = browser(ann)
    response = send(client, session_id, "compress", **FILLED["compress"])
    assert response.status_code == 303
    page = client.get(response["Location"])
    assert "Version 3 is the window now" in text_of(page)
    assert head(session_id).context_compression_version == 3
    assert engine.reads.ledger_entry(session_id, 3).created_by == "ann"  # type: ignore[union-attr]


def test_a_preview_writes_nothing_and_keeps_the_form(ann: User, session_id: str) -> None:
    before = all_tables()
    response = send(browser(ann), session_id, "compress", **{**FILLED["compress"], "act": "preview"})
    assert response.status_code == 200
    said = panel_text(response)
    assert "What v3 would be" in said
    assert "dropped" in said
    assert Page.of(response).field("p.protect_rounds") == "2"
    assert all_tables() == before


def test_a_parameter_that_does_not_fit_is_named_beside_its_field(ann: User, session_id: str) -> None:
    response = send(browser(ann), session_id, "compress", strategy="sliding_window", **{"p.protect_rounds": "none"})
    assert response.status_code == 400
    page = Page.of(response)
    assert page.field("p.protect_rounds") == "none"
    assert [a for a in page.all("input", name="p.protect_rounds") if a.get("aria-invalid") == "true"]


def test_a_strategy_that_does_not_exist_is_refused(ann: User, session_id: str) -> None:
    response = send(browser(ann), session_id, "compress", strategy="nonesuch")
    assert response.status_code == 400
    assert "nonesuch" in panel_text(response)


def test_nothing_to_compress_is_said_in_the_panel(ann: User) -> None:
    session_id = make_session(system(), user(), says(), owner=ann)
    response = send(browser(ann), session_id, "compress", **FILLED["compress"])
    assert response.status_code == 409
    assert "There is nothing to compress" in panel_text(response)


def test_the_panel_of_a_recovery_shows_the_calls_and_what_will_be_written(ann: User, session_id: str) -> None:
    before = all_tables()
    said = panel_text(browser(ann).get(page_of(session_id, "?do=recover")))
    assert "deploy" in said
    assert "The result of deploy is unknown" in said
    assert all_tables() == before


def test_what_the_panel_showed_is_what_a_recovery_writes(ann: User, session_id: str) -> None:
    client = browser(ann)
    shown = panel_text(client.get(page_of(session_id, "?do=recover")))
    response = send(client, session_id, "recover")
    assert response.status_code == 303
    assert "1 call was recovered" in text_of(client.get(response["Location"]))
    assert raw(session_id)[-1]["content"] in shown


def test_a_reason_that_is_given_stands_in_the_message(ann: User, session_id: str) -> None:
    send(browser(ann), session_id, "recover", reason="crash")
    assert "by a crash" in raw(session_id)[-1]["content"]


def test_a_second_recovery_of_the_same_page_changes_nothing(ann: User, session_id: str) -> None:
    client, tag = browser(ann), tag_of(head(session_id))
    send(client, session_id, "recover", head=tag)
    before = all_tables()
    assert send(client, session_id, "recover", head=tag).status_code == 412
    assert all_tables()["RawFrame"] == before["RawFrame"]


def test_an_older_version_can_be_restored(ann: User, session_id: str) -> None:
    response = send(browser(ann), session_id, "restore", version="1")
    assert response.status_code == 303
    assert len(engine.reads.current_window(session_id).window) == len(raw(session_id))


@pytest.mark.parametrize(("version", "status"), [("2", 409), ("7", 404), ("x", 404), ("", 404)])
def test_a_version_that_cannot_be_restored_is_refused(ann: User, session_id: str, version: str, status: int) -> None:
    assert send(browser(ann), session_id, "restore", version=version).status_code == status


def test_messages_can_be_appended_by_hand(ann: User, session_id: str) -> None:
    send(browser(ann), session_id, "append", messages=json.dumps([reply("z", "done"), says("Good.")]))
    assert [m["content"] for m in raw(session_id)[-2:]] == ["done", "Good."]


def test_an_append_may_recover_what_is_open(ann: User, session_id: str) -> None:
    send(browser(ann), session_id, "append", messages=json.dumps(user("Go on.")), recover="on")
    assert [m["role"] for m in raw(session_id)[-2:]] == ["tool", "user"]


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ('[{"role": "user"', 400, "is no JSON"),
        ('{"role": "user", "content": NaN}', 400, "is no JSON"),
        ('{"role": "user", "role": "user", "content": "a"}', 400, "stands twice"),
        ("3", 400, "must be a list of messages"),
        ("[]", 400, "1 to 1,000"),
        ('{"role": "robot", "content": "a"}', 400, "/messages/0/role"),
        ('{"role": "user", "content": "a"}', 409, "Tool calls await their replies"),
        ('{"role": "tool", "tool_call_id": "q", "content": "a"}', 409, "The reply matches no tool call"),
    ],
)
def test_messages_that_are_refused_stay_in_the_form(
    ann: User, session_id: str, given: str, status: int, said: str
) -> None:
    before = all_tables()
    response = send(browser(ann), session_id, "append", messages=given)
    assert response.status_code == status
    assert said in panel_text(response)
    assert Page.of(response).texts["messages"] == given
    assert all_tables() == before


def test_title_and_labels_can_be_changed(ann: User, session_id: str) -> None:
    send(browser(ann), session_id, "rename", title=" New ", labels="a\r\n\r\n b \r\n")
    record = engine.reads.session_record(session_id)
    assert (record.title, record.labels) == ("New", ("a", "b"))


def test_a_label_that_is_too_long_is_refused_and_stays_in_the_form(ann: User, session_id: str) -> None:
    response = send(browser(ann), session_id, "rename", title="T", labels="x" * 51)
    assert response.status_code == 400
    assert Page.of(response).texts["labels"] == "x" * 51


def test_switching_history_off_says_first_what_it_will_delete(ann: User, session_id: str) -> None:
    client = browser(ann)
    assert "That deletes the windows of v1" in panel_text(client.get(page_of(session_id, "?do=history")))
    send(client, session_id, "history", keep="off")
    assert not engine.reads.session_state(session_id).keep_context_history
    send(client, session_id, "history", keep="on")
    assert engine.reads.session_state(session_id).keep_context_history


def test_deleting_needs_the_id_typed(ann: User, session_id: str) -> None:
    client = browser(ann)
    response = send(client, session_id, "delete", confirm="no")
    assert response.status_code == 400
    assert "is not the id of this session" in panel_text(response)
    response = send(client, session_id, "delete", confirm=session_id)
    assert response["Location"] == "/"
    assert not Session.objects.filter(session_id=session_id).exists()
    assert f"The session {session_id} was deleted" in text_of(client.get("/"))


def test_deleting_by_htmx_leaves_the_page(ann: User, session_id: str) -> None:
    form = {"head": tag_of(head(session_id)), "confirm": session_id}
    url = page_of(session_id, "delete/")
    response = browser(ann).post(url, form, headers={"HX-Request": "true", "HX-Target": "session"})
    assert response["HX-Redirect"] == "/"


@pytest.mark.parametrize("control", list(RIGHTS))
def test_a_form_from_before_others_wrote_does_nothing_and_says_what_moved(
    ann: User, session_id: str, control: str
) -> None:
    client, tag = browser(ann), tag_of(head(session_id))
    engine.append(session_id=session_id, messages=[reply("z"), user("Three"), calls("z", name="deploy")])
    compress(session_id)
    before = all_tables()
    response = send(client, session_id, control, **{**filled(control, session_id), "head": tag})
    assert response.status_code == 412
    said = panel_text(response)
    assert "frames 24–26" in said
    assert "version 3" in said
    assert all_tables() == before


@pytest.mark.parametrize("control", ["compress", "recover", "append", "rename", "restore"])
def test_the_form_that_came_back_stale_can_be_sent_again_as_it_is(ann: User, session_id: str, control: str) -> None:
    client, tag = browser(ann), tag_of(head(session_id))
    engine.append(session_id=session_id, messages=[reply("z"), calls("z", name="deploy")])
    response = send(client, session_id, control, **{**filled(control, session_id), "head": tag})
    page = Page.of(response)
    assert "frames 24–25" in page.text("panel")
    assert "f-25" in page.ids  # the page beside it is the one of now
    assert page.field("head") == tag_of(head(session_id))
    again = {**filled(control, session_id), "head": page.field("head")}
    assert send(client, session_id, control, **again).status_code == 303


def test_a_session_that_was_made_again_under_the_same_id_is_said_to_be_another(ann: User) -> None:
    session_id = make_session(user(), owner=ann, session_id="same")
    tag = tag_of(head(session_id))
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    make_session(user(), owner=ann, session_id="same")
    response = send(browser(ann), session_id, "append", messages=json.dumps(user()), head=tag)
    assert response.status_code == 412
    assert "another was made under the same id" in panel_text(response)


@pytest.mark.parametrize("tag", [None, "", "1.1", "1.1.zz", "1.1.ab ", '"1.1.ab"', "*", "9" * 40 + ".1.ab"])
def test_a_form_without_a_head_does_nothing(ann: User, session_id: str, tag: str | None) -> None:
    before = all_tables()
    response = send(browser(ann), session_id, "recover", head=tag)
    assert response.status_code == 400
    assert all_tables() == before


def test_a_session_that_requires_a_head_takes_what_the_page_sends(ann: User) -> None:
    session_id = make_session(user(), calls("a"), owner=ann, require_head=True)
    assert browser(ann).get(page_of(session_id, "?do=recover")).status_code == 200
    assert send(browser(ann), session_id, "recover").status_code == 303


@pytest.mark.parametrize("control", list(RIGHTS))
def test_a_viewer_sees_each_control_disabled_with_the_reason_and_may_not_use_it(control: str) -> None:
    vera = make_user("vera", role=Role.VIEWER)
    session_id = make_session(system(), user(), *react_rounds(6), calls("z"), owner=vera)
    compress(session_id)
    client = browser(vera)
    page = text_of(client.get(page_of(session_id, f"?do={control}&strategy=digest")))
    assert "<fieldset disabled>" in page
    assert "Your role, viewer, does not include the right to" in page
    before = all_tables()
    response = send(client, session_id, control, **filled(control, session_id))
    assert response.status_code == 403
    assert "You may not do this" in text_of(response)
    assert all_tables() == before


def test_a_viewer_finds_no_control_that_can_be_clicked() -> None:
    vera = make_user("vera", role=Role.VIEWER)
    page = Page.of(browser(vera).get(page_of(make_session(user(), calls("z"), owner=vera))))
    assert not [link for link in page.links if "do=" in link]
    assert len(page.all("button", aria_disabled="true")) == 7
    # Reached by keyboard, so that the reason can be read.
    assert not [a for a in page.all("button") if "disabled" in a]
    assert "does not include the right to compress" in page.text("control-compress")


@pytest.mark.parametrize("control", list(RIGHTS))
def test_a_session_of_another_cannot_be_reached_by_a_form(session_id: str, control: str) -> None:
    before = all_tables()
    assert send(browser(), session_id, control, **filled(control, session_id)).status_code == 404
    assert all_tables() == before


@pytest.mark.parametrize("control", list(RIGHTS))
def test_who_is_not_signed_in_is_led_to_it_by_a_form(session_id: str, control: str) -> None:
    response = send(Client(), session_id, control, **filled(control, session_id))
    assert response["Location"].startswith("/login/")


@pytest.mark.parametrize("control", list(RIGHTS))
def test_reloading_the_answer_to_a_form_opens_its_panel(ann: User, session_id: str, control: str) -> None:
    client = browser(ann)
    response = client.get(page_of(session_id, f"{control}/?version=1"))
    assert response["Location"] == page_of(session_id, f"?version=1&do={control}")
    assert client.get(response["Location"]).status_code == 200


def test_a_form_needs_its_csrf_token(ann: User, session_id: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    before = all_tables()
    assert send(client, session_id, "recover").status_code == 403
    assert all_tables() == before


def test_a_refusal_by_htmx_is_the_part_of_the_page_and_moves_no_address(ann: User, session_id: str) -> None:
    url = page_of(session_id, "append/?role=tool")
    form = {"head": tag_of(head(session_id)), "messages": "{"}
    response = browser(ann).post(url, form, headers={"HX-Request": "true", "HX-Target": "session"})
    assert response.status_code == 400
    assert text_of(response).strip().startswith('<div id="session">')
    assert response["HX-Push-Url"] == "false"


@pytest.mark.parametrize("debug", [False, True])
def test_htmx_puts_every_refusal_on_the_page(ann: User, session_id: str, settings: Any, debug: bool) -> None:
    settings.DEBUG = debug
    page = Page.of(browser(ann).get(page_of(session_id)))
    config = json.loads(next(m["content"] or "" for m in page.all("meta", name="htmx-config")))
    for slug in {slug for _kind, slug, _advice in TABLE}:
        status = str(PROBLEM_PAGES[slug].status)
        # As htmx chooses: the first that matches.
        rule = next(r for r in config["responseHandling"] if re.search(r["code"], status))
        assert rule["swap"], status
    # django-htmx's own script for DEBUG would show a refusal in the place of the whole page.
    assert not any("django-htmx" in (script["src"] or "") for script in page.all("script"))


def test_filters_survive_a_form(ann: User, session_id: str) -> None:
    client = browser(ann)
    form = {"head": tag_of(head(session_id)), "title": "T"}
    response = client.post(page_of(session_id, "rename/?role=tool&do=rename"), form)
    assert response["Location"] == page_of(session_id, "?role=tool")


def test_what_is_not_expected_is_not_dressed_up(ann: User, session_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_arguments: Any) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(engine, "recover", fails)
    client = browser(ann)
    client.raise_request_exception = False
    response = send(client, session_id, "recover")
    assert response.status_code == 500
    assert "Something went wrong" in text_of(response)
    assert "a defect" not in text_of(response)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (engine.DatabaseBusy("locked"), 503, "Too much is going on"),
        (engine.DatabaseUnavailable("away"), 503, "The database cannot be reached"),
        (engine.DamagedMessage(), 500, "A stored message is damaged"),
        (engine.RuleBroken([], strategy="mine"), 422, "breaks a rule"),
    ],
)
def test_each_refusal_has_its_status_and_its_words(
    ann: User, session_id: str, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, said: str
) -> None:
    def refuses(**_arguments: Any) -> None:
        raise error

    monkeypatch.setattr(engine, "compress", refuses)
    response = send(browser(ann), session_id, "compress", **FILLED["compress"])
    assert response.status_code == status
    assert said in panel_text(response)


def test_a_part_of_the_page_leaves_the_notice_for_the_page(ann: User, session_id: str) -> None:
    client = browser(ann)
    send(client, session_id, "rename", title="T")
    htmx(client, page_of(session_id, "?do=append"), "panel")
    assert "Title and labels were changed." in text_of(client.get(page_of(session_id)))


def test_a_recovery_without_an_open_call_writes_nothing_and_says_so(ann: User) -> None:
    session_id = make_session(user(), says(), owner=ann)
    before = all_tables()
    client = browser(ann)
    response = send(client, session_id, "recover")
    assert "No call is open; nothing was written." in text_of(client.get(response["Location"]))
    assert all_tables() == before


def test_where_history_is_not_kept_the_panel_names_the_windows_that_go() -> None:
    ann = make_user("ann")
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id)
    engine.change(session_id=session_id, expected=engine.ANY_HEAD, keep_context_history=False)
    client = browser(ann)
    for panel in ("compress", "restore"):
        page = Page.of(client.get(page_of(session_id, f"?do={panel}&version=1")))
        assert "this deletes the windows of v1, v2." in page.text("panel")
    # The button beside an old window leads there first.
    page = Page.of(client.get(page_of(session_id, "?version=1")))
    assert not page.all("button", id="restore")
    assert any("do=restore" in link for link in page.links)


def test_what_was_previewed_is_what_is_applied(session_id: str) -> None:
    client = browser(User.objects.get(username="ann"))
    preview = send(
        client, session_id, "compress", strategy="sliding_window", act="preview", **{"p.protect_rounds": "2"}
    )
    page = Page.of(preview)
    assert len(page.all("button", value="apply")) == 1
    fields = {a["name"]: a["value"] for a in page.all("input", type="hidden") if (a.get("name") or "").startswith("p.")}
    assert fields == {"p.protect_rounds": "2"}


def drawn(client: Client, session_id: str, panel: str) -> dict[str, str]:
    """The hidden fields of a panel's form, as they were drawn."""
    page = Page.of(client.get(page_of(session_id, f"?do={panel}&strategy=sliding_window&version=1")))
    hidden = [a for a in page.all("input", type="hidden") if a.get("name") in ("head", "drawn")]
    return {a["name"] or "": a["value"] or "" for a in hidden}


@pytest.mark.parametrize("panel", ["rename", "history", "policy"])
def test_of_two_who_change_what_moves_no_head_the_later_is_told(session_id: str, panel: str) -> None:
    client = browser(User.objects.get(username="ann"))
    form = drawn(client, session_id, panel)
    if panel == "rename":
        engine.change(session_id=session_id, title="Another name", labels=["kept"])
    elif panel == "policy":
        engine.change(session_id=session_id, compression_policy=parse_policy({"limit_tokens": 5}, ""))
    else:
        engine.change(session_id=session_id, keep_context_history=False)
    before = all_tables()
    response = send(client, session_id, panel, **FILLED[panel], **form)
    assert response.status_code == 412
    assert "changed by another meanwhile" in Page.of(response).text("panel")
    assert all_tables() == before
    again = {**FILLED[panel], "drawn": Page.of(response).field("drawn") or ""}
    assert send(client, session_id, panel, **again).status_code == 303


@pytest.mark.parametrize("panel", ["compress", "restore"])
def test_a_form_drawn_while_windows_were_kept_deletes_none(session_id: str, panel: str) -> None:
    client = browser(User.objects.get(username="ann"))
    form = drawn(client, session_id, panel)
    engine.change(session_id=session_id, keep_context_history=False)
    response = send(client, session_id, panel, **FILLED[panel], **form)
    assert response.status_code == 412
    page = Page.of(response)
    assert "changed by another meanwhile" in page.text("panel")
    assert "this deletes the windows of v1, v2" in page.text("panel")
    assert [v.kept for v in engine.reads.versions(session_id, current=2)] == [True, True]


@pytest.mark.parametrize("query", ["?version=2", "?at_seq=9", "?version=2&compare=1"])
def test_a_form_of_a_session_made_again_comes_back_filled_in_whatever_it_showed(session_id: str, query: str) -> None:
    ann = User.objects.get(username="ann")
    client, old = browser(ann), tag_of(head(session_id))
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    make_session(user(), owner=ann, session_id=session_id)
    form = {"head": old, "messages": json.dumps(says("Typed with care."))}
    response = client.post(page_of(session_id, f"append/{query}"), form)
    assert response.status_code == 412
    assert "Typed with care." in text_of(response)
    assert "another was made under the same id" in Page.of(response).text("panel")


def test_the_preview_of_a_recovery_says_the_reason_that_was_chosen(session_id: str) -> None:
    client = browser(User.objects.get(username="ann"))
    plain = Page.of(client.get(page_of(session_id, "?do=recover"))).text("panel")
    told = Page.of(client.get(page_of(session_id, "?do=recover&reason=crash"))).text("panel")
    assert "interrupted by a crash" not in plain
    assert "interrupted by a crash" in told
    send(client, session_id, "recover", reason="crash")
    assert "interrupted by a crash" in raw(session_id)[-1]["content"]


def test_the_button_beside_an_old_window_that_was_drawn_while_windows_were_kept_deletes_none(session_id: str) -> None:
    client = browser(User.objects.get(username="ann"))
    page = Page.of(client.get(page_of(session_id, "?version=1")))
    form = {name: page.field(name) for name in ("head", "drawn", "version")}
    engine.change(session_id=session_id, keep_context_history=False)
    assert send(client, session_id, "restore", **form).status_code == 412
    assert [v.kept for v in engine.reads.versions(session_id, current=2)] == [True, True]


def test_a_compression_does_not_mind_that_the_session_was_renamed(session_id: str) -> None:
    client = browser(User.objects.get(username="ann"))
    form = drawn(client, session_id, "compress")
    engine.change(session_id=session_id, title="Another name")
    assert send(client, session_id, "compress", **FILLED["compress"], **form).status_code == 303
