"""A format may be named for a file that it does not recognise: it is read by that one, and nothing raises."""

import json
from typing import Any, Final

import pytest

from sessions_app.access.models import User
from sessions_app.interchange import Importer, Report, Source, UnknownFormat, import_file
from sessions_app.interchange.copy_spool import CopySpool
from sessions_app.interchange.registry import FORMATS
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.spool import Spool
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Format
from tests import builders as b
from tests.interchange.samples import document, lines, of

GEMINI: Final[dict[str, Any]] = {
    "messages": [
        {"id": "u1", "type": "user", "content": "Go on.", "timestamp": "2026-01-01T12:00:00Z"},
        {"id": "g1", "type": "gemini", "content": "Done.", "timestamp": "2026-01-01T12:00:01Z"},
    ],
    "startTime": "2026-01-01T12:00:00Z",
    "sessionId": "s1",
    "projectHash": "p1",
}
_EVENT = {"id": 0, "source": "user", "action": "message", "args": {"content": "Go on."}}
_KIND_EVENT = {"id": "e1", "kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": "Go"}}
_SPAN = {"name": "chat", "attributes": {"gen_ai.operation.name": "chat", "gen_ai.prompt": "Go on."}}
_RUN = {"role": "assistant", "content": None, "tool_calls": [b.call("c1")]}
SAMPLES: dict[str, Source] = {
    "bundle": lines({"type": "session", "format": "bundle"}, {"type": "frame", "message": b.user()}),
    "inspect": document({"version": 2, "eval": {"task": "t"}, "samples": [{"id": 1, "messages": [b.user()]}]}),
    "swe-agent": document({"trajectory": [{"action": "ls", "observation": "a"}], "history": [b.user()], "info": {}}),
    "mini-swe-agent": document({"trajectory_format": "mini-swe-agent-1.1", "messages": [b.user()], "info": {}}),
    "gemini-cli": document(GEMINI),
    "gemini-cli in lines": lines({"sessionId": "s1", "projectHash": "p1"}, *GEMINI["messages"], {"$set": {}}),
    "claude-code": lines({"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "message": b.user()}, {}),
    "codex": lines({"type": "session_meta", "payload": {"id": "s"}}, {"type": "response_item", "payload": b.user()}),
    "openhands": document([_EVENT, {**_EVENT, "id": 1, "source": "agent"}]),
    "openhands v1": lines(_KIND_EVENT, {**_KIND_EVENT, "id": "e2"}),
    "langfuse": document({"trace": {"id": "t"}, "observations": [{"id": "o", "type": "GENERATION", "input": "[]"}]}),
    "otel": document({"resourceSpans": [{"scopeSpans": [{"spans": [_SPAN]}]}]}),
    "adk": document(
        {"id": "s", "events": [{"author": "user", "content": {"role": "user", "parts": [{"text": "Go"}]}}]}
    ),
    "anthropic": document({"system": "Be brief.", "messages": [{"role": "user", "content": [{"type": "text"}]}]}),
    "responses": document({"model": "m", "input": "hello there", "instructions": "Be brief."}),
    "exchanges": document([{"request": {"body": {"input": "Go"}}, "response": {"body": {"output": []}}}]),
    "sharegpt": lines({"conversations": [{"from": "human", "value": "Go on."}]}, {"conversations": None}),
    "fine-tuning": lines({"messages": [b.user(), _RUN]}, {"messages": [_RUN, _RUN]}),
    "chat": document([b.user(), _RUN, b.reply("c1"), None, "text"]),
    "conversations": document([{"messages": [_RUN]}, [b.user()], [[_RUN]]]),
    "nothing": document({}),
    "an empty list": document([]),
    "other JSON": document({"a": [1, {"b": None}], "c": "text"}),
    "other lines": lines(1, "[2]", '"text"', {"a": [1]}, "{torn"),
}


@pytest.mark.parametrize("format", FORMATS, ids=lambda f: f.name)
@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_reads_the_files_of_every_other_without_an_exception(format: Format, name: str) -> None:
    whole = SAMPLES[name].read_at(0, 100_000)
    for content in (whole, whole[: len(whole) // 2], whole[: len(whole) * 4 // 5]):
        source, tally = of(content), Tally()
        for found in format.read(source, sniff(source), tally):
            if isinstance(found, CopySpool):
                found.close()
            else:
                Spool(found, tally).close()
        assert tally.unaccounted == set() or format.name == "bundle"
        assert all(s.first_line is None or s.first_line > 0 for s in tally.skipped)


def take(owner: User, source: Source, named: str | None) -> Report:
    return import_file(source, Importer(owner_id=owner.pk, created_by=owner.username), named=named)


@pytest.fixture
def owner() -> User:
    return b.make_user("ann")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("named", "content", "frames"),
    [
        ("gemini-cli-chat", json.dumps(GEMINI)[:-40], 2),
        ("openai-responses", json.dumps({"model": "m", "input": "hello there", "instructions": "Be brief."}), 2),
    ],
)
def test_a_format_that_is_named_is_read_though_it_does_not_recognise_the_file(
    owner: User, named: str, content: str, frames: int
) -> None:
    (session,) = take(owner, of(content), named).sessions
    assert session.frames == frames


@pytest.mark.django_db
def test_a_list_whose_first_message_is_longer_than_any_look_is_read_by_its_name(owner: User) -> None:
    content = json.dumps([b.user("x " * 9_000_000), b.says()])
    with pytest.raises(UnknownFormat):
        take(owner, of(content), None)
    (session,) = take(owner, of(content), "openai-chat").sessions
    assert session.frames == 2


@pytest.mark.django_db
@pytest.mark.parametrize("content", [b"\x89PNG", "plain text", b"PK\x03\x04rest", json.dumps({"a": [1]}), "[]"])
def test_a_format_that_finds_no_session_is_not_that_of_the_file(owner: User, content: Any) -> None:
    with pytest.raises(UnknownFormat, match="not of the format openai-chat"):
        take(owner, of(content), "openai-chat")
