"""A session as a file: its messages, or a bundle that makes it again (contract, section 4)."""

import json
from typing import Any

import pytest

from sessions_app import engine
from sessions_app.access.roles import Role
from sessions_app.models import RawFrame
from tests.api.client import ROOT, Answer, Api, operator
from tests.api.promises import LINES, ensure_promised, schema
from tests.api.sessions import compress_twice
from tests.api.test_fidelity import STRANGE, text_of
from tests.builders import calls, make_session, make_user, reply, says, system, user
from tests.engine.copies import everything
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return operator()


def lines(answer: Answer) -> list[Any]:
    assert answer.status == 200, answer.content
    assert answer.content.endswith(b"\n") or not answer.content
    return [json.loads(line) for line in answer.content.splitlines()]


def test_messages_come_one_a_line_in_their_order_just_as_they_were_sent(api: Api) -> None:
    messages = [m for name in ("NUL", "lone surrogates", "great integers", "parts of all kinds") for m in STRANGE[name]]
    session_id = api.create(*messages)
    sent = text_of(messages)
    assert text_of(lines(api.get(f"sessions/{session_id}/export/?kind=messages"))) == sent
    assert text_of(lines(api.get(f"sessions/{session_id}/export/"))) == sent


def test_those_that_stand_for_an_interruption_are_among_them(api: Api) -> None:
    session_id = api.create(user(), calls("a"))
    recovered = api.post(f"sessions/{session_id}/recovery/").json["recovered"][0]["message"]
    api.append(session_id, says(), reply("a", "late"))
    exported = lines(api.get(f"sessions/{session_id}/export/"))
    assert exported == [user(), calls("a"), recovered, says(), reply("a", "late")]


def test_compressions_do_not_show_in_them(api: Api) -> None:
    session_id = compress_twice(api)
    frames = api.get(f"sessions/{session_id}/frames/").json["items"]
    assert lines(api.get(f"sessions/{session_id}/export/")) == [f["message"] for f in frames]


@pytest.mark.parametrize("kind", ["messages", "bundle"])
def test_it_is_a_download_with_a_name(api: Api, kind: str) -> None:
    session_id = api.create(user(), session_id="s:1@x~")
    answer = api.get(f"sessions/{session_id}/export/?kind={kind}")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="session-s_1_x_.{kind}.jsonl"'
    assert answer.headers["Content-Type"] == "application/jsonl"
    assert answer.headers["Content-Length"] == str(len(answer.content))
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.etag == api.get(f"sessions/{session_id}/").etag


def test_the_messages_of_an_empty_session_are_an_empty_file(api: Api) -> None:
    answer = api.get(f"sessions/{api.create()}/export/")
    assert (answer.status, answer.content) == (200, b"")


def test_a_bundle_says_what_it_is_and_neither_whose_nor_which_incarnation(api: Api) -> None:
    policy = {"limit_tokens": 9000, "trigger": 0.7}
    settings = {"title": "修复", "labels": ["ci"], "require_head": True, "keep_context_history": False}
    session_id = api.create(user(), **settings, compression_policy=policy)
    session = api.get(f"sessions/{session_id}/").json
    header, frame, version, context = lines(api.get(f"sessions/{session_id}/export/?kind=bundle"))
    same = ("session_id", *settings, "compression_policy", "next_msg_seq", "context_compression_version")
    about = {"type": "session", "format": "session-engine-bundle", "bundle_version": 1}
    assert header == {**about, **{name: session[name] for name in same}}
    read = api.get(f"sessions/{session_id}/frames/1/").json
    names = ["seq", "source", "created_at", "context_version", "metadata", "message"]
    assert frame == {"type": "frame", **{name: read[name] for name in names}}
    entry = api.get(f"sessions/{session_id}/versions/").json["items"][0]
    names = ["version", "strategy", "params", "before", "after", "fates", "from", "created_by", "created_at"]
    assert {name: version[name] for name in names} == {name: entry[name] for name in names}
    assert context == {"type": "context", "version": 1, "position": 1, "kind": "original", "original_seqs": [[1, 1]]}


def test_what_a_bundle_makes_reads_as_the_session_does(api: Api) -> None:
    session_id = compress_twice(api)
    other = operator()
    imported = other.upload(api.get(f"sessions/{session_id}/export/?kind=bundle").content)
    assert (imported.status, imported.json["format"], imported.json["skipped"]) == (201, "bundle", [])
    (made,) = imported.json["sessions"]
    assert (made["frames"], made["versions"], made["status"]) == (14, 3, "created")
    assert everything(made["session_id"]) == everything(session_id)
    for path in ("frames/", "frames/7/", "context/", "context/?version=1", "context/?at_seq=11", "context/messages/"):
        mine = other.get(f"sessions/{made['session_id']}/{path}").json
        theirs = api.get(f"sessions/{session_id}/{path}").json
        for one in (mine, theirs):
            one.pop("session_id", None), one.pop("incarnation", None)
        assert mine == theirs
    again = other.upload(other.get(f"sessions/{made['session_id']}/export/?kind=bundle").content)
    assert (again.status, again.json["sessions"][0]["status"]) == (200, "exists")


def test_a_damaged_bundle_is_told_and_nothing_of_it_is_stored(api: Api) -> None:
    content = api.get(f"sessions/{compress_twice(api)}/export/?kind=bundle").content
    before = all_tables()
    answer = operator().upload(content[: len(content) // 2])
    assert all_tables() == before
    assert (answer.status, answer.json["sessions"]) == (200, [])
    assert answer.json["skipped"][0]["what"] == "bundle"
    assert "is cut off" in answer.json["skipped"][0]["why"]


def test_a_viewer_exports_what_is_its_own_and_staff_everyones() -> None:
    viewer, staff, other = make_user(role=Role.VIEWER), make_user(role=Role.STAFF), make_user()
    make_session(system(), user(), owner=viewer, session_id="s")
    for kind in ("messages", "bundle"):
        path = f"sessions/s/export/?kind={kind}"
        content = Api.of(viewer).get(path).content
        assert content and Api.of(staff).get(path).content == content
        assert Api.of(other).get(path).slug == "not-found"
        assert Api().get(path).slug == "unauthenticated"


def test_the_head_of_an_export_is_asked_for_without_its_body(api: Api) -> None:
    api.create(user(), session_id="s")
    got = api.get("sessions/s/export/?kind=bundle")
    head = api.call("HEAD", "sessions/s/export/?kind=bundle")
    assert (head.status, head.content) == (200, b"")
    for name in ("ETag", "Content-Type", "Content-Disposition", "Cache-Control"):
        assert head.headers[name] == got.headers[name]


@pytest.mark.parametrize("kind", ["messages", "bundle"])
def test_an_export_of_a_damaged_session_is_a_problem_and_no_half_file(api: Api, kind: str) -> None:
    session_id = api.create(user(), says())
    RawFrame.objects.filter(session_id=session_id, seq=2).update(message="{")
    answer = api.get(f"sessions/{session_id}/export/?kind={kind}")
    assert (answer.status, answer.slug) == (500, "damaged-frame")


def test_the_examples_of_the_schema_are_a_bundle_that_can_be_imported(api: Api) -> None:
    operation = schema()["paths"]["/api/v1/sessions/{session_id}/export/"]["get"]
    examples = [e["value"] for e in operation["responses"]["200"]["content"][LINES]["examples"].values()]
    assert examples[0] == user("Why does the upload test fail?")
    bundle = "".join(json.dumps(line) + "\n" for line in examples[1:])
    ensure_promised(
        "GET", f"{ROOT}sessions/s/export/", sent=b"", answer=Answer(200, {"Content-Type": LINES}, bundle.encode())
    )
    imported = api.upload(bundle)
    assert (imported.status, imported.json["skipped"]) == (201, [])
    exported = lines(api.get("sessions/upload-flake/export/?kind=bundle"))
    assert exported == examples[1:]
    assert engine.reads.session_record("upload-flake").title == "Fix the upload test"
