"""Copies as JSON, Markdown and curl: exactly what was sent, and commands that a shell runs as they stand."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.copying import MOST
from inspector.presenters.copy_links import copy_of_frames, copy_of_message, copy_of_window
from inspector.presenters.curl import append_command, ask_command
from inspector.presenters.transcript import markdown_of
from sessions_app import engine, jsontext
from sessions_app.access.models import User
from sessions_app.models import RawFrame
from tests.api.client import Api
from tests.builders import Msg, call, calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.engine.generated import CALLING, PLAIN
from tests.inspector.pages import browser, compress, page_of
from tests.inspector.test_hostile_text import MARKUP, STRANGE, awful
from tests.inspector.test_whole_text import assert_inert

pytestmark = pytest.mark.django_db

SHELL_TEXTS = [
    'it\'s "quoted" $HOME ${HOME} $(id) `id` \\ \\\\ \\n !! #x',
    "MESSAGES",
    "\nMESSAGES\n",
    "EOF\n'\n\"\n",
    "a\0b \ud800 \u2028 \x85 \x1b[31m \x7f\r\n\t",
    "%s %d %% \\c",
    "中文 \N{GRINNING FACE}",
]


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def copy(who: User, session_id: str, query: str) -> str:
    response: Any = browser(who).get(page_of(session_id, f"copy/?{query}"))
    assert_inert(response)
    return str(response.getvalue().decode())


def status(who: User, session_id: str, query: str) -> int:
    return browser(who).get(page_of(session_id, f"copy/?{query}")).status_code


# --- Which messages --------------------------------------------------------------------------------


def test_one_frame_is_an_object_and_several_are_a_list(ann: User) -> None:
    session_id = make_session(user("a"), says("b"), user("c"), owner=ann)
    assert json.loads(copy(ann, session_id, "frames=2")) == says("b")
    assert json.loads(copy(ann, session_id, "frames=2-2")) == says("b")
    assert json.loads(copy(ann, session_id, "frames=1-2")) == [user("a"), says("b")]


def test_many_frames_come_in_order(ann: User) -> None:
    session_id = make_session(*(user(str(n)) for n in range(1, 131)), owner=ann)
    assert json.loads(copy(ann, session_id, "frames=5-127")) == [user(str(n)) for n in range(5, 128)]


def test_a_window_is_the_list_that_is_sent_to_the_model(ann: User) -> None:
    session_id = make_session(user(" "), says(""), calls("a"), reply("a", ""), says("end"), owner=ann)
    sent = Api.of(ann).get(f"sessions/{session_id}/context/messages/").json["messages"]
    assert json.loads(copy(ann, session_id, "as=json")) == sent
    assert json.loads(copy(ann, session_id, "version=1")) == sent


def test_a_part_of_a_window_is_as_it_is_stored(ann: User) -> None:
    session_id = make_session(user(" "), says(""), user("end"), owner=ann)
    assert json.loads(copy(ann, session_id, "positions=1-2")) == [user(" "), says("")]
    assert json.loads(copy(ann, session_id, "version=1&positions=2")) == says("")


def test_an_earlier_version_can_be_copied(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id, "digest")
    before, after = json.loads(copy(ann, session_id, "version=1")), json.loads(copy(ann, session_id, "version=2"))
    assert before == [system(), user(), *react_rounds(6)]
    assert after == json.loads(copy(ann, session_id, "")) != before


def test_what_the_model_saw_can_be_copied(ann: User) -> None:
    session_id = make_session(user(), calls("a"), owner=ann)
    engine.recover(session_id=session_id)
    engine.append(session_id=session_id, messages=[reply("a", "late"), says()])
    assert "is unknown" in json.loads(copy(ann, session_id, "at_seq=4"))[2]["content"]
    assert json.loads(copy(ann, session_id, "at_seq=3")) == [user(), calls("a")]
    assert "is unknown" in copy(ann, session_id, "version=1&at_seq=4&positions=3")


@pytest.mark.parametrize(
    "query",
    [
        "as=xml",
        "as=",
        "frames=",
        "frames=0",
        "frames=3-1",
        "frames=1-",
        "frames=a",
        "frames=1,2",
        "frames=%D9%A1",
        "positions=2-1",
        "frames=1&version=1",
        "frames=1&positions=1",
        "frames=1&at_seq=1",
        "version=x",
        f"frames=1-{MOST + 1}",
        f"positions=1-{MOST + 1}",
    ],
)
def test_a_question_that_makes_no_sense_is_refused(ann: User, query: str) -> None:
    assert status(ann, make_session(user(), owner=ann), query) == 400


@pytest.mark.parametrize(
    "query",
    [
        "frames=2",
        "frames=1-2",
        f"frames=1-{MOST}",
        "positions=2",
        "positions=1-2",
        "version=2",
        "at_seq=2",
        "version=2&at_seq=1",
        "frames=" + "9" * 18,
    ],
)
def test_what_is_not_there_is_not_found(ann: User, query: str) -> None:
    assert status(ann, make_session(user(), owner=ann), query) == 404


def test_a_window_that_is_not_kept_is_not_found(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann, keep_context_history=False)
    compress(session_id)
    assert status(ann, session_id, "version=1") == 404
    assert status(ann, session_id, "at_seq=3") == 404


def test_a_session_of_another_is_not_found(ann: User) -> None:
    assert status(make_user(), make_session(user(), owner=ann), "frames=1") == 404


def test_a_window_of_any_length_can_be_copied(ann: User) -> None:
    messages = [user(str(n)) for n in range(MOST + 1)]
    assert json.loads(copy(ann, make_session(*messages, owner=ann), "version=1")) == messages


def test_the_links_lead_to_copies(ann: User) -> None:
    session_id = make_session(user("first"), says("second"), owner=ann, session_id="a~b@c:d.e")
    client = browser(ann)
    for links in (
        copy_of_frames(session_id, 1, 1),
        copy_of_frames(session_id, 1, 2),
        copy_of_window(session_id),
        copy_of_window(session_id, version=1),
        copy_of_window(session_id, at_seq=2),
        copy_of_message(session_id, 1, 1, None),
        copy_of_message(session_id, 1, 1, at_seq=2),
    ):
        for href in (links.json, links.markdown, links.curl):
            response: Any = client.get(href)
            assert_inert(response)
            assert b"first" in response.getvalue()


# --- Damage ----------------------------------------------------------------------------------------


@pytest.mark.case(68)
@pytest.mark.parametrize("query", ["frames=1-3&as=json", "frames=2&as=curl", "version=1&as=curl", "positions=2", ""])
def test_nothing_is_copied_in_the_place_of_a_damaged_message(ann: User, query: str) -> None:
    session_id = make_session(user(), says(), user(), owner=ann)
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message="garbage {")
    assert status(ann, session_id, query) == 404


@pytest.mark.case(68)
def test_a_part_that_the_engine_never_let_in_is_damage_too(ann: User) -> None:
    session_id = make_session(user(), says(), owner=ann)
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message='{"role": "user", "content": [1]}')
    assert status(ann, session_id, "version=1") == 404


@pytest.mark.case(68)
@pytest.mark.parametrize("query", ["frames=1-3", "version=1", "positions=1-3"])
def test_a_transcript_shows_what_is_stored(ann: User, query: str) -> None:
    session_id = make_session(user(), says(), user("Fine."), owner=ann)
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message="garbage {")
    written = copy(ann, session_id, f"{query}&as=markdown")
    assert "garbage {" in written and "damaged" in written and "Fine." in written


# --- Exactness -------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = st.dictionaries(st.text(max_size=4).map("x-".__add__), VALUES, max_size=3)
MESSAGES = st.builds(lambda message, more: {**more, **message, **more}, PLAIN, MEMBERS)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(MESSAGES, min_size=2, max_size=4))
def test_a_copy_is_byte_for_byte_what_the_api_gives(ann: User, messages: list[Msg]) -> None:
    session_id, client, last = make_session(*messages, owner=ann), browser(ann), len(messages)

    def lines(query: str) -> list[bytes]:
        response: Any = client.get(page_of(session_id, f"copy/?{query}"))
        copied = response.getvalue()
        assert copied.startswith(b"[\n") and copied.endswith(b"\n]")
        return list(copied[2:-2].split(b",\n"))

    copied = lines(f"frames=1-{last}")
    assert [json.loads(line) for line in copied] == messages
    assert lines(f"positions=1-{last}") == copied
    frames = client.get(f"/api/v1/sessions/{session_id}/frames/").content
    assert [frames.count(b'"message":' + line + b"}") >= 1 for line in copied] == [True] * last
    sent = client.get(f"/api/v1/sessions/{session_id}/context/messages/").content
    assert sent == b'{"messages":[' + b",".join(lines("version=1")) + b"]}"


def test_numbers_and_the_order_of_members_stay(ann: User) -> None:
    stored = '{"z":1.50,"role":"user","a":1E400,"content":"\\u00e9 \\/","n":123456789012345678901234567890}'
    session_id = make_session(user(), owner=ann)
    RawFrame.objects.filter(session_id=session_id).update(message=stored)
    for query in ("frames=1", "positions=1"):
        assert copy(ann, session_id, query) == stored
    for query in ("frames=1&as=curl", "version=1", "version=1&as=curl"):
        assert stored in copy(ann, session_id, query)


# --- Markdown --------------------------------------------------------------------------------------


def test_a_transcript_says_who_said_what(ann: User) -> None:
    asked = {
        **calls("a", text="Let me see."),
        "reasoning_content": "Why?",
        "tool_calls": [call("a", "read", '{"x":1}')],
    }
    session_id = make_session(user("Fix it."), asked, reply("a", "no", name="read", status="error"), owner=ann)
    assert copy(ann, session_id, "frames=1-3&as=markdown") == (
        "### #1 user\n\n```\nFix it.\n```\n\n"
        "### #2 assistant\n\nReasoning:\n\n```\nWhy?\n```\n\n```\nLet me see.\n```\n\n"
        'Calls `read` as `a`:\n\n```json\n{"x":1}\n```\n\n'
        "### #3 tool `read` replies to `a`, an error\n\n```\nno\n```\n\n"
    )


def test_a_transcript_of_a_window_says_what_each_message_stands_for(ann: User) -> None:
    session_id = make_session(system(), user(), *react_rounds(6), owner=ann)
    compress(session_id, "digest")
    written = copy(ann, session_id, "version=2&as=markdown")
    assert written.startswith("### C1 (= #1) system\n")
    assert "\n### C3 (⊂ #3–#8) " in written


def test_parts_that_are_no_text_are_named(ann: User) -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "https://e.example/`a`"}}]
    written = copy(ann, make_session({"role": "user", "content": parts}, owner=ann), "frames=1&as=markdown")
    assert written.endswith("```\nlook\n```\n\n`image_url` `at an address` `` https://e.example/`a` ``\n\n")


def fenced(written: str) -> list[str]:
    """The text of each block, as CommonMark has it."""
    blocks: list[str] = []
    fence = ""
    for line in written.split("\n"):
        if not fence and line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
            blocks.append("")
        elif fence and line == fence:
            fence = ""
        elif fence:
            blocks[-1] += line + "\n"
        else:
            assert not line or line.startswith(("### #1 user", "Reasoning", "Calls ")), line
    assert not fence
    return blocks


@given(st.lists(st.sampled_from(["`", "```", "\n", "### #9 user", "~~~", " ", "x"]), max_size=30).map("".join))
def test_no_text_ends_its_block(text: str) -> None:
    written = "".join(markdown_of("#1", engine.Message.of(user("x" + text))))
    assert fenced(written) == ["x" + text if text.endswith("\n") else f"x{text}\n"]


@pytest.mark.case(87)
@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_any_text_can_be_copied_in_every_form(ann: User, text: str) -> None:
    session_id = make_session(*awful(text), owner=ann)
    for form in ("json", "markdown", "curl"):
        for query in ("frames=1-5", "version=1", "at_seq=5", "positions=1-5"):
            copy(ann, session_id, f"{query}&as={form}")


# --- curl ------------------------------------------------------------------------------------------

FAKE_CURL = """#!/bin/sh
: > "$OUT/arguments"
for argument; do printf '%s\\n' "$argument" >> "$OUT/arguments"; done
cat > "$OUT/body"
"""
ENVIRONMENT = {"TOKEN": "t-1", "BASE_URL": "http://model.example/v1", "API_KEY": "k-1", "MODEL": "gpt-x"}


def run(command: str, folder: Path) -> tuple[list[str], Any]:
    """The arguments and the body that curl is given when `command` is run by the system's shell."""
    fake = folder / "curl"
    fake.write_text(FAKE_CURL)
    fake.chmod(0o755)
    environment = {**ENVIRONMENT, "PATH": f"{folder}:{os.environ['PATH']}", "OUT": str(folder)}
    done = subprocess.run(["sh"], input=command.encode(), env=environment, cwd=folder, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    return (folder / "arguments").read_text().splitlines(), json.loads((folder / "body").read_bytes())


def shell_messages() -> list[Msg]:
    return [user(text) for text in (*SHELL_TEXTS, MARKUP)]


def test_the_command_for_frames_appends_them(ann: User, tmp_path: Path) -> None:
    messages = shell_messages()
    session_id = make_session(*messages, owner=ann)
    arguments, body = run(copy(ann, session_id, f"frames=1-{len(messages)}&as=curl"), tmp_path)
    assert body == {"messages": messages}
    assert f"http://testserver/api/v1/sessions/{session_id}/frames/" in arguments
    assert "Authorization: Token t-1" in arguments
    (if_match,) = [a.removeprefix("If-Match: ") for a in arguments if a.startswith("If-Match: ")]
    sent = Api.of(ann).post(f"sessions/{session_id}/frames/", body, if_match=if_match)
    assert sent.status == 201
    assert engine.reads.frame(session_id, len(messages) + 1).message == engine.reads.frame(session_id, 1).message


def test_the_command_for_a_window_asks_a_model(ann: User, tmp_path: Path) -> None:
    messages = shell_messages()
    session_id = make_session(*messages, owner=ann)
    for query in ("version=1", "", f"positions=1-{len(messages)}"):
        arguments, body = run(copy(ann, session_id, f"{query}&as=curl"), tmp_path)
        assert body == {"model": "gpt-x", "messages": messages}
        assert "http://model.example/v1/chat/completions" in arguments
        assert "Authorization: Bearer k-1" in arguments
        assert "Content-Type: application/json" in arguments


def test_the_command_for_an_empty_window_is_whole(ann: User, tmp_path: Path) -> None:
    assert run(copy(ann, make_session(owner=ann), "as=curl"), tmp_path)[1] == {"model": "gpt-x", "messages": []}


def test_an_id_of_any_kind_stays_an_address(ann: User, tmp_path: Path) -> None:
    session_id = make_session(user(), owner=ann, session_id="~a@b:c.d_e-f")
    arguments, _ = run(copy(ann, session_id, "frames=1&as=curl"), tmp_path)
    assert "http://testserver/api/v1/sessions/~a@b:c.d_e-f/frames/" in arguments


def commands(messages: Sequence[Msg]) -> list[str]:
    texts = [jsontext.dumps(message) for message in messages]
    return ["".join(append_command("http://x/", "1.1.a", texts)), "".join(ask_command(texts))]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(PLAIN | CALLING | st.sampled_from(SHELL_TEXTS).map(user), max_size=4))
def test_a_shell_passes_every_text_on_unchanged(tmp_path: Path, messages: list[Msg]) -> None:
    for command in commands(messages):
        assert run(command, tmp_path)[1]["messages"] == messages


@pytest.mark.case(87)
def test_nothing_in_a_text_is_run(ann: User, tmp_path: Path) -> None:
    text = "$(touch run1) `touch run2` '; touch run3; ' \"; touch run4; \"\nMESSAGES\ntouch run5\n"
    for command in commands([user(text), {"role": "user", "content": "", text: text}]):
        run(command, tmp_path)
    assert not list(tmp_path.glob("run*"))
