"""A session's page: frames on the left, a window on the right, and how the two point at each other."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.models import ContextMessage
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.pages import Page, browser, compress, htmx, page_of, text_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def digested(ann: User) -> str:
    """1 system, 2 user, 3 to 14 rounds: 3 to 8 became one summary."""
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id, "digest")
    return session_id


def grown(ann: User, frames: int) -> str:
    session_id = make_session(system(), owner=ann)
    messages = [m for n in range(frames // 2) for m in (user(f"Question {n}"), says(f"Answer {n}"))]
    for i in range(0, len(messages), 500):
        engine.append(session_id=session_id, messages=messages[i : i + 500])
    return session_id


def test_a_page_shows_where_the_session_stands(ann: User) -> None:
    session_id = make_session(system(), user(), calls("a", "b"), owner=ann, title="Fix the upload")
    page = text_of(browser(ann).get(page_of(session_id)))
    assert "Fix the upload" in page
    assert "awaiting tools · 2 open" in page
    assert "<b>4</b> · <b>v1</b>" in page


def test_each_frame_says_what_became_of_it_and_links_to_the_message(ann: User, digested: str) -> None:
    page = Page.of(browser(ann).get(page_of(digested)))
    assert "→ C1" in page.text("f-1")
    assert "⊂ C3" in page.text("f-4")
    assert "→ C4" in page.text("f-9")
    assert {f"/sessions/{digested}/?pin=f{n}#f-{n}" for n in (1, 4, 9)} <= set(page.links)


def test_each_message_names_its_frames_and_links_to_them(ann: User, digested: str) -> None:
    page = Page.of(browser(ann).get(page_of(digested)))
    assert "= #1" in page.text("c-1")
    assert "⊂ #3–#8" in page.text("c-3")
    assert "6 frames" in page.text("c-3")
    assert {"#f-3", "#f-8", f"/sessions/{digested}/?pin=c1#c-1"} <= set(page.links)


def test_a_dropped_frame_says_so_in_words(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id)
    page = Page.of(browser(ann).get(page_of(session_id)))
    assert "dropped" in page.text("f-3")


def test_an_edited_frame_links_to_what_it_became(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6, size=2000), owner=ann)
    compress(session_id, "clear_tool_results")
    page = Page.of(browser(ann).get(page_of(session_id)))
    assert "≈ C4" in page.text("f-4")
    assert "≈ #4" in page.text("c-4")


def test_a_link_to_a_frame_of_another_page_opens_that_page(ann: User) -> None:
    session_id = grown(ann, 400)
    client = browser(ann)
    page = Page.of(client.get(page_of(session_id, "?after_seq=300&after_position=0")))
    assert "f-1" not in page.ids
    href = next(link for link in page.links if link.endswith("?pin=c1#c-1"))
    assert "f-1" in Page.of(client.get(href)).ids


def test_a_link_to_a_message_of_another_page_opens_that_page(ann: User) -> None:
    session_id = grown(ann, 600)
    client = browser(ann)
    page = Page.of(client.get(page_of(session_id, "?frame=500&after_position=0")))
    href = next(link for link in page.links if "pin=f500#" in link)
    assert "c-500" in Page.of(client.get(href)).ids


def test_the_window_opens_where_the_frames_of_the_page_went(ann: User) -> None:
    session_id = grown(ann, 600)
    page = Page.of(browser(ann).get(page_of(session_id)))
    assert "f-601" in page.ids
    assert "c-601" in page.ids
    assert "c-1" not in page.ids


def test_an_older_version_can_be_looked_at(ann: User, digested: str) -> None:
    page = Page.of(browser(ann).get(page_of(digested, "?version=1")))
    assert "= #4" in page.text("c-4")
    assert "→ C4" in page.text("f-4")
    assert "v1 is not the window that is sent now" in page.text("context")
    assert "Restore v1" in page.text("context")


def test_a_frame_written_later_than_the_shown_version_is_not_called_dropped(ann: User, digested: str) -> None:
    engine.append(session_id=digested, messages=[user("More.")])
    page = Page.of(browser(ann).get(page_of(digested, "?version=1")))
    assert "later" in page.text("f-15")
    assert "dropped" not in page.text("f-15")


def test_an_earlier_version_of_a_long_session_opens_where_it_ended(ann: User) -> None:
    session_id = grown(ann, 300)
    compress(session_id)
    engine.append(session_id=session_id, messages=[user(f"More {n}") for n in range(150)])
    page = Page.of(browser(ann).get(page_of(session_id, "?version=1")))
    frames = [i for i in page.ids if re.fullmatch(r"f-\d+", i)]
    assert (frames[0], frames[-1]) == ("f-202", "f-301")
    assert "c-301" in page.ids


def test_the_frame_that_was_asked_for_is_marked(ann: User) -> None:
    page = Page.of(browser(ann).get(page_of(grown(ann, 250), "?frame=120")))
    (row,) = [a for t, a in page.elements if t == "li" and "row-now" in (a.get("class") or "")]
    assert row["id"] == "f-120"


def test_a_frame_that_is_not_there_is_said_to_be_none(ann: User) -> None:
    page = Page.of(browser(ann).get(page_of(grown(ann, 10), "?frame=999")))
    assert "There is no frame 999: the newest is 11." in page.text("frames")


def test_what_the_model_saw_leaves_out_what_came_later(ann: User, digested: str) -> None:
    page = Page.of(browser(ann).get(page_of(digested, "?at_seq=5")))
    assert [i for i in page.ids if re.fullmatch(r"c-\d+", i)] == ["c-1", "c-2", "c-3", "c-4"]
    assert "What the model saw when frame 5 was written" in page.text("context")
    assert "later" in page.text("f-6")
    assert "→ C4" in page.text("f-4")


def test_what_came_later_leads_to_no_message_of_the_window(ann: User, digested: str) -> None:
    page = Page.of(browser(ann).get(page_of(digested, "?at_seq=5")))
    leads_to = {
        a["id"]: a.get("data-at") for t, a in page.elements if t == "li" and (a.get("id") or "").startswith("f-")
    }
    assert leads_to["f-4"] == "4"
    assert {leads_to[f"f-{n}"] for n in range(5, 15)} == {None}


def test_every_assistant_frame_links_to_what_the_model_saw(ann: User, digested: str) -> None:
    links = [link for link in Page.of(browser(ann).get(page_of(digested))).links if "at_seq=" in link]
    assert {re.sub(r".*at_seq=(\d+).*", r"\1", link) for link in links} == {"3", "5", "7", "9", "11", "13"}


def test_a_window_that_is_no_longer_kept_is_said_to_be_so(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann, keep_context_history=False)
    compress(session_id)
    page = Page.of(browser(ann).get(page_of(session_id, "?version=1")))
    assert "no longer kept" in page.text("context")
    assert "C1" not in page.text("f-1")


def test_a_call_and_its_replies_point_at_each_other(ann: User) -> None:
    session_id = make_session(user(), calls("a", "b"), reply("b"), reply("a"), owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id)))
    assert "↪ #3" in page.text("f-2")
    assert "↪ #4" in page.text("f-2")
    assert "↩ #2" in page.text("f-3")


def test_open_calls_recoveries_and_late_replies_are_marked(ann: User) -> None:
    session_id = make_session(user(), calls("a", name="deploy"), owner=ann)
    client = browser(ann)
    assert "open: deploy" in Page.of(client.get(page_of(session_id))).text("f-2")
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "done")])
    page = Page.of(client.get(page_of(session_id)))
    assert "recovery" in page.text("f-3")
    assert "late reply" in page.text("f-4")
    assert "open" not in page.text("f-2")


def test_frames_come_in_pages_of_a_hundred_that_link_to_each_other(ann: User) -> None:
    session_id = grown(ann, 250)
    client = browser(ann)
    page = Page.of(client.get(page_of(session_id)))
    assert [i for i in page.ids if i.startswith("f-")][:1] == ["f-152"]
    assert page.text("frames").startswith("Raw frames #152–#251 of 251")
    older = next(a["href"] for a in page.all("a", rel="prev") if a["href"] and "before_seq" in a["href"])
    assert older is not None
    page = Page.of(client.get(older))
    assert page.text("frames").startswith("Raw frames #52–#151 of 251")
    newer = next(a["href"] for a in page.all("a", rel="next") if a["href"] and "after_seq" in a["href"])
    assert newer is not None
    assert Page.of(client.get(newer)).text("frames").startswith("Raw frames #152–#251 of 251")


@pytest.mark.parametrize(("frame", "first"), [(1, 1), (50, 1), (120, 70), (251, 152)])
def test_a_frame_can_be_asked_for_by_its_number(ann: User, frame: int, first: int) -> None:
    page = Page.of(browser(ann).get(page_of(grown(ann, 250), f"?frame={frame}")))
    assert f"f-{frame}" in page.ids
    shown = [i for i in page.ids if re.fullmatch(r"f-\d+", i)]
    assert shown[0] == f"f-{first}"
    assert len(shown) == 100


def test_a_row_carries_no_more_than_the_beginning_of_a_long_message(ann: User) -> None:
    session_id = make_session(
        user("Read."), calls("a"), reply("a", "x" * 100_000), calls("b"), reply("b", "y" * 100_000), owner=ann
    )
    page = text_of(browser(ann).get(page_of(session_id)))
    assert "x" * 280 in page
    assert "x" * 281 not in page


def test_the_arguments_of_a_long_call_are_shown_from_their_beginning(ann: User) -> None:
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "write_file", "arguments": '{"path": "é\\"' + "z" * 9000},
    }
    session_id = make_session(user(), {"role": "assistant", "content": None, "tool_calls": [call]}, owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id)))
    assert 'write_file({"path": "é\\"zzz' in page.text("f-2")


def test_a_page_takes_as_many_statements_at_a_thousand_frames_as_at_ten(ann: User) -> None:
    client = browser(ann)
    counts = []
    for frames in (10, 1000):
        session_id = grown(ann, frames)
        with CaptureQueriesContext(connection) as captured:
            client.get(page_of(session_id))
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 15


def test_a_page_of_calls_and_summaries_takes_fifteen_statements(ann: User, digested: str) -> None:
    client = browser(ann)
    with CaptureQueriesContext(connection) as captured:
        client.get(page_of(digested))
    # Login and user; session; ledger; rows; fates, twice; replies; window; the strip, five; tools.
    assert len(captured) <= 15
    assert all(q["sql"].lstrip().startswith(("SELECT", "WITH")) for q in captured.captured_queries)


@pytest.mark.parametrize("part", ["session", "bands", "panel", "pinned", "frames", "context"])
def test_what_htmx_asks_for_is_what_stands_in_the_whole_page(ann: User, digested: str, part: str) -> None:
    client, url = browser(ann), page_of(digested, "?do=rename")
    fragment = _without_tokens(text_of(htmx(client, url, part)).strip())
    assert re.match(rf'<(div|section)[^>]* id="{part}"', fragment)
    assert fragment in _without_tokens(text_of(client.get(url)))


def _without_tokens(page: str) -> str:
    page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)
    return re.sub(r">\s*(just now|\d+ s ago)\s*<", "><", page)


def test_going_back_in_the_browser_gets_a_whole_page(ann: User, digested: str) -> None:
    headers = {"HX-Request": "true", "HX-Target": "bands", "HX-History-Restore-Request": "true"}
    assert "<!doctype html>" in text_of(browser(ann).get(page_of(digested), headers=headers))


def test_a_session_without_frames_says_what_to_do(ann: User) -> None:
    page = Page.of(browser(ann).get(page_of(make_session(owner=ann))))
    assert "Append the first message" in page.text("frames")
    assert "The window is empty" in page.text("context")


@pytest.mark.parametrize(
    "query",
    ["?version=x", "?frame=-1", "?after_seq=1e3", "?at_seq=" + "9" * 30, "?role=nobody", "?version=٣", "?frame=0x1"],
)
def test_a_query_that_is_none_is_a_bad_request_in_our_design(ann: User, query: str) -> None:
    response = browser(ann).get(page_of(make_session(user(), owner=ann), query))
    assert response.status_code == 400
    assert "This address cannot be read" in text_of(response)


@pytest.mark.parametrize("query", ["?version=2", "?version=0", "?at_seq=2"])
def test_a_version_or_frame_that_never_was_is_not_found(ann: User, query: str) -> None:
    assert browser(ann).get(page_of(make_session(user(), owner=ann), query)).status_code == 404


def test_a_session_of_another_is_not_found_and_staff_sees_it(digested: str) -> None:
    assert browser().get(page_of(digested)).status_code == 404
    assert browser(role=Role.STAFF).get(page_of(digested)).status_code == 200


def test_who_is_not_signed_in_is_led_to_it_and_back(digested: str) -> None:
    response = Client().get(page_of(digested, "?version=1"))
    assert response.status_code == 302
    assert response["Location"] == f"/login/?next=/sessions/{digested}/%3Fversion%3D1"
    fragment = htmx(Client(), page_of(digested), "bands")
    assert fragment["HX-Redirect"].startswith("/login/?next=")


def test_no_cache_keeps_a_page_and_no_policy_is_loosened(ann: User, digested: str) -> None:
    response = browser(ann).get(page_of(digested))
    assert "no-store" in response["Cache-Control"]
    assert {"HX-Request", "HX-Target"} <= {v.strip() for v in response["Vary"].split(",")}
    assert "unsafe" not in response["Content-Security-Policy"]
    assert "script-src 'self'" in response["Content-Security-Policy"]


def test_a_page_has_neither_script_nor_style_inline(ann: User, digested: str) -> None:
    client = browser(ann)
    for query in ("", "?do=compress&strategy=digest", "?do=append", "?version=1"):
        page = Page.of(client.get(page_of(digested, query)))
        assert not [a for _, a in page.elements if "style" in a]
        assert not page.all("style")
        assert all(a.get("src") for a in page.all("script"))
        assert not [name for _, a in page.elements for name in a if name.startswith("on")]


def test_the_ids_of_a_page_are_each_there_once(ann: User, digested: str) -> None:
    ids = Page.of(browser(ann).get(page_of(digested, "?do=compress&strategy=digest"))).ids
    assert len(ids) == len(set(ids))


def test_a_page_is_read_once_more_where_the_session_moved_meanwhile(
    ann: User, digested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame_rows = engine.reads.frame_rows
    moved: list[engine.Written] = []

    def moving(*arguments: Any, **named: Any) -> Any:
        if not moved:
            moved.append(engine.append(session_id=digested, messages=[user("Meanwhile.")]))
        return frame_rows(*arguments, **named)

    monkeypatch.setattr(engine.reads, "frame_rows", moving)
    page = Page.of(browser(ann).get(page_of(digested)))
    assert "Meanwhile." in page.text("f-15")
    assert "head 16 · v2" in page.text("head")


def test_a_window_that_goes_while_the_page_is_read_is_said_to_be_gone(
    ann: User, digested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame_rows = engine.reads.frame_rows

    def deleting(*arguments: Any, **named: Any) -> Any:
        ContextMessage.objects.filter(session_id=digested, version=1).remove()
        return frame_rows(*arguments, **named)

    monkeypatch.setattr(engine.reads, "frame_rows", deleting)
    page = Page.of(browser(ann).get(page_of(digested, "?version=1")))
    assert "no longer kept" in page.text("context")


def test_a_message_of_very_many_ranges_names_the_first_and_how_many_are_left(ann: User, digested: str) -> None:
    rows = ContextMessage.objects.filter(session_id=digested, version=2, position=3)
    rows.update(original_seqs="3,5,7-8,20,22,24,26,28", first_seq=3, last_seq=28)
    client = browser(ann)
    assert "⊂ #3, #5, #7–#8, #20, #22, #24 and 2 more ranges" in Page.of(client.get(page_of(digested))).text("c-3")
    assert "#26, #28" in Page.of(client.get(page_of(digested, "context/2/3/"))).text("main")
