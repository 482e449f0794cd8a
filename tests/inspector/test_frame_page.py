"""The pages of one frame and of one context message, and stored messages that are damaged."""

import pytest

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.models import RawFrame
from tests.builders import calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector.pages import Page, browser, compress, page_of, text_of

pytestmark = pytest.mark.django_db(transaction=True)


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
    assert "v1 → C4" in page
    assert "v2 summarised → C3" in page
    links = Page.of(client.get(page_of(session_id, "frames/4/"))).links
    assert page_of(session_id, "?version=1&message=4#c-4") in links


def test_a_version_that_is_not_kept_is_said_to_be_so(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann, keep_context_history=False)
    compress(session_id)
    assert "v1 window not kept v2 → C1" in main_of(browser(ann), page_of(session_id, "frames/1/"))


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
