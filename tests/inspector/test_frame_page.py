"""The pages of one frame and of one context message, and stored messages that are damaged."""

import pytest

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.models import RawFrame
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.pages import Page, browser, compress, page_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def main_of(client: object, url: str) -> str:
    return Page.of(client.get(url)).text("main")  # type: ignore[attr-defined]


def test_a_frame_is_shown_whole_with_its_metadata(ann: User) -> None:
    session_id = make_session(
        {"role": "user", "content": "word " * 500 + "end", "x-unknown": [1, None]}, owner=ann, metadata={"run": 7}
    )
    page = main_of(browser(ann), page_of(session_id, "frames/1/"))
    assert "word end" in page
    assert '"x-unknown": [ 1, null ]' in page
    assert '"run": 7' in page


def test_a_frame_says_what_became_of_it_in_every_version(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id, "digest")
    client = browser(ann)
    page = main_of(client, page_of(session_id, "frames/4/"))
    assert "v1 → C4 kept" in page
    assert "v2 ⊂ C3 summarised" in page
    links = Page.of(client.get(page_of(session_id, "frames/4/"))).links
    assert page_of(session_id, "?version=1&pin=f4#f-4") in links


def test_a_version_that_is_not_kept_is_said_to_be_so(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann, keep_context_history=False)
    compress(session_id)
    assert "v1 window not kept v2 → C1 kept" in main_of(browser(ann), page_of(session_id, "frames/1/"))


def test_a_call_and_its_replies_link_to_each_other(ann: User) -> None:
    session_id = make_session(user(), calls("a", "b"), reply("b"), owner=ann)
    client = browser(ann)
    assert page_of(session_id, "frames/3/") in Page.of(client.get(page_of(session_id, "frames/2/"))).links
    assert page_of(session_id, "frames/2/") in Page.of(client.get(page_of(session_id, "frames/3/"))).links
    assert "run a open" in main_of(client, page_of(session_id, "frames/2/"))


def test_a_late_reply_names_the_recovery_before_it(ann: User) -> None:
    session_id = make_session(user(), calls("a"), owner=ann)
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "late")])
    assert "after the recovery #3" in main_of(browser(ann), page_of(session_id, "frames/4/"))


@pytest.mark.case(19)
def test_arguments_that_were_cut_show_as_they_are(ann: User) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"q": "ab'}}
    session_id = make_session(user(), {"role": "assistant", "content": None, "tool_calls": [call]}, owner=ann)
    client = browser(ann)
    assert 'f({"q": "ab)' in Page.of(client.get(page_of(session_id))).text("f-2")
    assert '{"q": "ab' in main_of(client, page_of(session_id, "frames/2/"))


def test_a_context_message_is_shown_whole_with_all_its_frames(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id, "digest")
    item = engine.reads.current_window(session_id).window[2]
    page = main_of(browser(ann), page_of(session_id, "context/2/3/"))
    assert "⊂ #3–#8" in page
    assert " ".join(item.message.body.split()) in page


def test_a_context_message_is_shown_as_the_model_saw_it(ann: User) -> None:
    session_id = make_session(user(), calls("a"), owner=ann)
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "late")])
    client = browser(ann)
    assert "late" in main_of(client, page_of(session_id, "context/1/3/"))
    assert "The result of run is unknown" in main_of(client, page_of(session_id, "context/1/3/?at_seq=4"))


def test_each_call_links_to_its_own_reply(ann: User) -> None:
    session_id = make_session(user(), calls("a", "b\0"), reply("b\0"), owner=ann)
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "late")])
    page = main_of(browser(ann), page_of(session_id, "frames/2/"))
    assert "run a ↪ #4↪ #5 {}" in page
    assert "run b\ufffd ↪ #3 {}" in page


def test_an_open_call_leads_to_the_recovery(ann: User) -> None:
    client = browser(ann)
    waiting = make_session(user(), calls("a"), owner=ann)
    answered = make_session(user(), calls("a"), reply("a"), owner=ann)
    assert page_of(waiting, "?do=recover") in Page.of(client.get(page_of(waiting, "frames/2/"))).links
    assert page_of(answered, "?do=recover") not in Page.of(client.get(page_of(answered, "frames/2/"))).links


def test_frames_and_messages_lead_to_their_neighbours(ann: User) -> None:
    session_id = make_session(user(), says(), user(), says(), owner=ann)
    client = browser(ann)

    def neighbours(rest: str) -> list[str | None]:
        return [a["href"] for a in Page.of(client.get(page_of(session_id, rest))).all("a") if "rel" in a]

    assert neighbours("frames/1/") == [page_of(session_id, "frames/2/")]
    assert neighbours("frames/2/") == [page_of(session_id, f"frames/{n}/") for n in (1, 3)]
    assert neighbours("frames/4/") == [page_of(session_id, "frames/3/")]
    assert neighbours("context/1/4/") == [page_of(session_id, "context/1/3/")]
    assert neighbours("context/1/2/?at_seq=4") == [page_of(session_id, f"context/1/{n}/?at_seq=4") for n in (1, 3)]
    assert neighbours("context/1/3/?at_seq=4") == [page_of(session_id, "context/1/2/?at_seq=4")]


def test_the_pages_offer_copies(ann: User) -> None:
    session_id = make_session(user(), says(), owner=ann)
    client = browser(ann)
    for rest, query in (
        ("frames/2/", "frames=2"),
        ("context/1/1/", "version=1&positions=1"),
        ("context/1/1/?at_seq=2", "version=1&at_seq=2&positions=1"),
    ):
        links = [a["href"] for a in Page.of(client.get(page_of(session_id, rest))).all("a") if "data-copy-from" in a]
        assert links == [page_of(session_id, f"copy/?{query}&as={form}") for form in ("json", "markdown", "curl")]


def test_markdown_is_rendered_when_asked_for_only(ann: User) -> None:
    session_id = make_session(user("# Plan\n\n**bold** <b>raw</b>"), owner=ann)
    client = browser(ann)
    for place in ("frames/1/", "context/1/1/"):
        raw, rendered = (client.get(page_of(session_id, place + query)) for query in ("", "?as=markdown"))
        assert not Page.of(raw).all("strong")
        assert page_of(session_id, f"{place}?as=markdown#text-title") in Page.of(raw).links
        assert Page.of(rendered).all("strong")
        assert "&lt;b&gt;raw&lt;/b&gt;" in text_of(rendered)
        assert page_of(session_id, f"{place}#text-title") in Page.of(rendered).links


def test_the_manner_of_a_page_keeps_what_the_model_saw(ann: User) -> None:
    session_id = make_session(user("*a*"), says(), owner=ann)
    page = Page.of(browser(ann).get(page_of(session_id, "context/1/1/?at_seq=2")))
    assert page_of(session_id, "context/1/1/?at_seq=2&as=markdown#text-title") in page.links
    assert page_of(session_id, "context/1/1/text/?at_seq=2") in page.links


def test_a_text_that_is_too_long_for_markdown_stays_raw(ann: User) -> None:
    session_id = make_session(user("**a** " * 40_000), owner=ann)
    response = browser(ann).get(page_of(session_id, "frames/1/?as=markdown"))
    assert "too long to be shown as Markdown" in text_of(response)
    assert not Page.of(response).all("strong")


@pytest.mark.parametrize("rest", ["frames/3/", "context/1/3/", "context/2/1/", "frames/0/", "frames/" + "9" * 30 + "/"])
def test_what_is_not_there_is_not_found(ann: User, rest: str) -> None:
    assert browser(ann).get(page_of(make_session(user(), says(), owner=ann), rest)).status_code == 404


def test_a_frame_of_another_is_not_found(ann: User) -> None:
    session_id = make_session(user(), owner=ann)
    for rest in ("frames/1/", "context/1/1/"):
        assert browser().get(page_of(session_id, rest)).status_code == 404


@pytest.mark.case(68)
@pytest.mark.parametrize(
    "stored",
    [
        "garbage {",
        "[1, 2]",
        '{"content": "no role"}',
        '{"role": "assistant", "tool_calls": 5}',
        '{"role": "assistant", "tool_calls": [{"id": 1}]}',
        '{"role": "user", "content": [1]}',
        "y" * 5000,
    ],
)
def test_a_damaged_message_is_flagged_and_breaks_no_page(ann: User, stored: str) -> None:
    session_id = make_session(user(), says("Hello."), user("Fine."), owner=ann)
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message=stored)
    client = browser(ann)
    page = Page.of(client.get(page_of(session_id)))
    assert "damaged" in page.text("c-2")
    assert "Fine." in page.text("f-3")
    whole = client.get(page_of(session_id, "frames/2/"))
    assert whole.status_code == 200
    assert "As it is stored" in text_of(whole)
    assert client.get(page_of(session_id, "context/1/2/")).status_code == 200
    assert RawFrame.objects.get(session_id=session_id, seq=2).message == stored


@pytest.mark.case(68)
def test_a_damaged_row_is_flagged_on_the_left_too(ann: User) -> None:
    session_id = make_session(user(), says("Hello."), owner=ann)
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message="garbage")
    assert "damaged" in Page.of(browser(ann).get(page_of(session_id))).text("f-2")
