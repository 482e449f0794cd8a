"""What an imported session shows: where it came from, what is in no window, metadata, reasoning, images."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from inspector.presenters.json_text import LONG, LONGEST, cut_json
from inspector.presenters.metadata import metadata_of
from inspector.presenters.parts import other_parts, reasoning_blocks
from inspector.presenters.shown import size_text
from sessions_app import engine
from sessions_app.engine import ImportedCompaction, ImportedMessage, ImportStep, Message
from sessions_app.models import RawFrame
from tests.builders import calls, make_session, make_user, reply, says, system, user
from tests.inspector.pages import Page, browser, page_of, text_of

pytestmark = pytest.mark.django_db

AT = datetime(2025, 5, 1, 12, tzinfo=UTC)
DATA = "iVBORw0KGgo" * 1000
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
REMOTE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
DOCUMENT = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": DATA}}


def say(message: dict[str, Any], **metadata: Any) -> ImportedMessage:
    return ImportedMessage(Message.of(message), metadata, AT)


def imported(*steps: ImportStep, session_id: str = "s") -> Client:
    """A session with this history; a browser of its owner."""
    ann = make_user("ann")
    engine.import_session(
        owner_id=ann.pk, session_id=session_id, history=lambda: iter(steps), strategy="import:claude-code"
    )
    return browser(ann)


def row(client: Client, element_id: str, query: str = "") -> str:
    return Page.of(client.get(page_of("s", query))).text(element_id)


def frame(client: Client, seq: int) -> str:
    return Page.of(client.get(page_of("s", f"frames/{seq}/"))).text("main")


def test_a_frame_says_quietly_that_it_was_imported() -> None:
    client = imported(say(user()))
    assert "import" in row(client, "f-1")
    assert '<span class="tag tag-import">import</span>' in text_of(client.get(page_of("s", "frames/1/")))


def test_a_reply_to_no_call_is_told_to_be_in_no_window() -> None:
    client = imported(say(user()), say(reply("nobody", "lost")), say(says()))
    assert "answers no call" in row(client, "f-2")
    assert "in no window" in row(client, "f-2")
    said = frame(client, 2)
    assert "It is in no window as a message of its own: it answers no call." in said
    assert "v1 in no window" in said
    assert "dropped" not in said


def test_a_reply_to_no_call_shows_the_tool_that_it_names() -> None:
    client = imported(say(user()), say(reply("nobody", "lost", name="read_file")), say(says()))
    assert "read_file answers no call" in row(client, "f-2")
    assert "tool read_file" in frame(client, 2)
    assert "read_file" in row(client, "f-2", "?tool=read_file")


@pytest.mark.parametrize("name", [None, ""])
def test_a_reply_to_no_call_may_name_no_tool(name: str | None) -> None:
    client = imported(say(user()), say(reply("nobody", "lost", name=name)))
    assert row(client, "f-2").startswith("2 tool import answers no call")
    assert engine.reads.frame("s", 2).tool_names == ()


def test_a_reply_in_the_window_shows_the_tool_that_was_called() -> None:
    client = imported(say(user()), say(calls("a", name="read_file")), say(reply("a", name="read_file")))
    assert "tool read_file = #3" in row(client, "c-3")
    assert "tool read_file" in Page.of(client.get(page_of("s", "context/1/3/"))).text("main")


def test_a_reply_to_no_call_that_a_summary_stands_for_is_told_with_it() -> None:
    summary = Message.of(user("What happened."))
    steps = [say(system()), say(user()), say(reply("nobody")), say(says()), say(user("next"))]
    client = imported(*steps, ImportedCompaction(frozenset({4}), summary, at=AT))
    assert "answers no call" in row(client, "f-3")
    assert "⊂ C2" in row(client, "f-3")
    assert "v1 in no window v2 ⊂ C2 summarised" in frame(client, 3)


def test_a_compaction_of_the_file_is_a_version_of_the_rail() -> None:
    steps = [say(system()), say(user()), say(says()), say(user("next"))]
    client = imported(*steps, ImportedCompaction(frozenset({3}), Message.of(user("So far.")), at=AT))
    stop = Page.of(client.get(page_of("s"))).text("stop-2")
    assert "v2 · import:claude-code" in stop
    assert "2025-05-01" in stop


def test_the_metadata_that_importers_write_is_read_out() -> None:
    metadata = {
        "record": [4, 5, 6, 9],
        "model": "claude-opus",
        "usage": {"input_tokens": 12345, "output_tokens": 678, "cache_read_input_tokens": 11000},
        "stop_reason": "end_turn",
        "cost": 0.0123456,
        "duration_ms": 3456,
        "time": AT.isoformat(),
        "extra": {"cwd": "/srv"},
    }
    said = frame(imported(say(says(), **metadata)), 1)
    for part in (
        "record of the file 4–6, 9",
        "model claude-opus",
        "tokens in 12.3k · out 678 · from the cache 11k",
        "stopped by end_turn",
        "cost 0.01235",
        "took 3.46 s",
        "said at 2025-05-01 12:00:00+00:00",
        '"extra": { "cwd": "/srv" }',
    ):
        assert part in said
    assert said.index("claude-opus") < said.index("Exactly as sent")
    assert '"model"' not in said


@pytest.mark.parametrize(
    "odd", [None, True, -1, 10**30, 1.5e300, "", "x" * 400, [], [0], ["a"], {}, {"a": 1}, {"b": []}]
)
def test_metadata_of_a_known_name_and_another_kind_stays_as_it_is(odd: Any) -> None:
    names = ("record", "model", "usage", "cost", "duration_ms", "time", "stop_reason", "agent", "request_id")
    told = metadata_of(dict.fromkeys(names, odd))
    assert not [fact for fact in told.facts if len(fact.value) > 300]
    kept = "" if told.rest is None else told.rest.text
    assert all(f'"{name}"' in kept for name in names[:1] + names[2:3])
    assert len(told.facts) + sum(f'"{name}":' in kept for name in names) == len(names)


def test_reasoning_that_can_be_read_is_folded_and_its_blocks_are_told_by_their_size() -> None:
    blocks = [
        {"type": "thinking", "thinking": "Hm.", "signature": "s" * 1400},
        {"type": "redacted_thinking", "data": "d" * 500},
        {"type": "reasoning", "summary": [], "encrypted_content": "e" * 3000},
    ]
    client = imported(say({**says(), "reasoning_content": "Let me think.", "reasoning_details": blocks}))
    page = text_of(client.get(page_of("s", "frames/1/")))
    assert '<details class="fold">' in page
    said = frame(client, 1)
    for part in (
        "Let me think.",
        "thinking signed, 1.4k characters",
        "redacted_thinking sealed, 500 characters",
        "reasoning encrypted, 3k characters",
    ):
        assert part in said


@pytest.mark.parametrize("part", [IMAGE, REMOTE, DOCUMENT])
def test_an_image_is_told_and_never_loaded(part: dict[str, Any]) -> None:
    client = imported(say({"role": "user", "content": [part]}))
    for url in ("", "frames/1/", "context/1/1/"):
        page = Page.of(client.get(page_of("s", url)))
        assert not page.all("img")
        assert not [link for link in page.links if "example.org" in link or link.startswith("data:")]
        assert DATA not in page.text("main")


def test_an_image_that_the_message_holds_is_told_by_its_kind_and_size() -> None:
    client = imported(say({"role": "user", "content": [IMAGE, REMOTE, DOCUMENT]}))
    said = frame(client, 1)
    for part in (
        "image_url 1: image/png, 8.2 kB",
        "image_url at an address https://example.org/a.png",
        "document application/pdf, 8.2 kB, held in the message",
        "As sent, cut short",
        "(11,000 characters)",
        "2 long encodings are cut short.",
    ):
        assert part in said
    exact = Page.of(client.get(page_of("s", "frames/1/"))).links
    assert "/api/v1/sessions/s/frames/1/" in exact
    assert DATA in text_of(client.get("/api/v1/sessions/s/frames/1/"))


def test_the_whole_of_a_context_message_is_one_link_away() -> None:
    client = imported(say(user()), say({"role": "user", "content": [IMAGE]}))
    links = Page.of(client.get(page_of("s", "context/1/2/"))).links
    (exact,) = [link for link in links if link.startswith("/api/v1/sessions/s/context/")]
    assert client.get(exact).json()["items"][0]["message"]["content"] == [IMAGE]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "user", "content": [IMAGE]}, "an image"),
        ({"role": "user", "content": [DOCUMENT]}, "document"),
        ({"role": "user", "content": []}, "no text"),
        ({"role": "assistant", "content": None, "reasoning_content": "Hm."}, "reasoning only"),
        ({"role": "assistant", "content": ""}, "no text"),
    ],
)
def test_a_row_without_text_says_what_there_is(message: dict[str, Any], said: str) -> None:
    client = imported(say(user()), say(message))
    assert said in row(client, "f-2")
    assert said in row(client, "c-2")


@pytest.mark.case(87)
def test_whatever_a_file_says_of_itself_is_text() -> None:
    markup = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    message = {
        "role": "assistant",
        "content": [{"type": markup, "x": 1}, {"type": "image_url", "image_url": {"url": f"javascript:{markup}"}}],
        "reasoning_content": markup,
        "reasoning_details": [markup, {"type": markup, "signature": markup}, None, 7, [markup]],
    }
    metadata = {"model": markup, "agent": "\u202e", "stop_reason": "\ud800", "extra": {markup: markup}}
    client = imported(say(message, **metadata))
    for url in ("", "frames/1/", "context/1/1/"):
        response = client.get(page_of("s", url))
        assert response.status_code == 200
        page = Page.of(response)
        assert not page.all("img")
        assert all(a.get("src") for a in page.all("script"))
        assert not [link for link in page.links if "script:" in link]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url"},
        {"type": "image_url", "image_url": 3},
        {"type": "image_url", "image_url": "data:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64"}},
        {"type": "document", "source": {"data": "x", "media_type": 5}},
        {"type": "audio", "data": ["x"]},
    ],
)
def test_a_part_of_any_form_is_told(part: dict[str, Any]) -> None:
    (told,) = other_parts(Message.of({"role": "user", "content": [part]}))
    assert told.kind == part["type"]
    assert told.note


def test_details_that_are_no_list_are_left_to_the_json() -> None:
    assert reasoning_blocks(Message.of({**says(), "reasoning_details": {"type": "x"}})) == ()


def test_only_long_encodings_are_cut_and_text_never_is() -> None:
    prose, short = "word " * LONG, "A" * LONG
    told = cut_json({"a": [prose, short, short + "A", {"b": f"data:text/plain;base64,{short}=="}]})
    assert told.encodings == 2
    assert prose in told.text
    assert f'"{short}"' in told.text


def test_json_without_end_is_cut_and_said_to_be() -> None:
    told = cut_json("x " * LONGEST)
    assert (len(told.text), told.is_cut) == (LONGEST, True)


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (12_345, "12.3 kB"), (7_000_000, "7 MB")]
)
def test_a_size_is_short(count: int, shown: str) -> None:
    assert size_text(count) == shown


def test_a_damaged_frame_of_an_import_breaks_no_page() -> None:
    client = imported(say(user()), say(calls("a")), say(reply("nobody")))
    RawFrame.objects.filter(session_id="s", seq=3).update(message="garbage")
    assert client.get(page_of("s")).status_code == 200
    assert "As it is stored" in frame(client, 3)


def test_a_frame_without_metadata_has_no_such_heading() -> None:
    ann = make_user("ann")
    session_id = make_session(user(), owner=ann)
    assert "metadata-title" not in Page.of(browser(ann).get(page_of(session_id, "frames/1/"))).ids
