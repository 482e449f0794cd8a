"""POST imports/: a trajectory file becomes sessions (contract, section 4)."""

import json
import tracemalloc
from io import BytesIO
from typing import Any

import pytest
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from config.chunked import with_length
from sessions_app import engine
from sessions_app.access.roles import Role
from sessions_app.api.views import imports
from sessions_app.models import Session
from tests.api.client import ROOT, Answer, Api, operator
from tests.api.refusals import refused
from tests.builders import calls, make_user, raw, reply, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

LIMIT = 32 * 1024 * 1024
TALK = [system(), user(), calls("a"), reply("a"), says()]


def chat(*messages: Any, **members: Any) -> str:
    """A file of the format openai-chat; with a `session_id` it may grow."""
    return json.dumps({"messages": list(messages), **members})


def part(name: str, content: bytes, *, filename: str | None = None) -> bytes:
    """A part of a form whose boundary is `x`, spelled out."""
    named = b"" if filename is None else b'; filename="' + filename.encode("utf-8", "surrogatepass") + b'"'
    return (
        b'--x\r\nContent-Disposition: form-data; name="'
        + name.encode()
        + b'"'
        + named
        + b"\r\n\r\n"
        + content
        + b"\r\n"
    )


def send(api: Api, *parts: bytes, end: bytes = b"--x--\r\n") -> Answer:
    return api.call("POST", "imports/", raw=b"".join(parts) + end, content_type="multipart/form-data; boundary=x")


# --- What it does -----------------------------------------------------------------------------


def test_a_file_becomes_a_session_that_is_what_the_answer_says() -> None:
    api = operator()
    answer = api.upload(chat(*TALK))
    assert answer.status == 201
    assert (answer.json["format"], answer.json["skipped"], answer.json["dry_run"]) == ("openai-chat", [], False)
    assert answer.json["records"] == {"read": 5, "used": 5, "skipped": 0}
    (told,) = answer.json["sessions"]
    session = api.get(f"sessions/{told['session_id']}/").json
    assert told["status"] == "created"
    assert told["title"] == session["title"] == "Fix the upload test."
    assert told["frames"] == session["frame_count"] == 5
    assert told["versions"] == session["context_compression_version"] == 1
    assert raw(told["session_id"]) == TALK
    assert answer.headers["Link"] == f'<http://127.0.0.1:8000/sessions/{told["session_id"]}/>; rel="inspector"'


def test_the_importer_owns_the_session_and_stands_in_the_ledger() -> None:
    api = operator()
    (told,) = api.upload(chat(*TALK)).json["sessions"]
    assert Session.objects.get().owner_id == api.user.pk  # type: ignore[union-attr]
    (version,) = api.get(f"sessions/{told['session_id']}/versions/").json["items"]
    assert version["created_by"] == f"{api.user.username} · tests"  # type: ignore[union-attr]


def test_the_same_file_again_exists_and_nothing_at_all_is_written() -> None:
    api = operator()
    first = api.upload(chat(*TALK))
    before = all_tables()
    with CaptureQueriesContext(connection) as captured:
        again = api.upload(chat(*TALK), name="called otherwise.txt")
    assert again.status == 200
    assert again.json["sessions"] == [{**first.json["sessions"][0], "status": "exists"}]
    statements = [q["sql"] for q in captured.captured_queries]
    # On PostgreSQL the frames are read through a cursor, which is declared.
    assert {s.split()[0] for s in statements} <= {"SELECT", "DECLARE"}
    assert len(statements) <= 5, statements
    assert all_tables() == before


def test_a_file_that_has_grown_extends_its_session() -> None:
    api = operator()
    api.upload(chat(*TALK, session_id="s"))
    grown = api.upload(chat(*TALK, user("More."), says("Done again."), session_id="s"))
    assert grown.status == 201
    (told,) = grown.json["sessions"]
    assert (told["status"], told["frames"]) == ("extended", 7)
    assert api.get(f"sessions/{told['session_id']}/").json["frame_count"] == 7
    assert api.upload(chat(*TALK, session_id="s")).json["sessions"] == [{**told, "status": "exists"}]


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    api = operator()
    before = all_tables()
    dry = api.upload(chat(*TALK), dry_run="true")
    assert all_tables() == before
    assert (dry.status, dry.json["dry_run"], "Link" in dry.headers) == (200, True, False)
    done = api.upload(chat(*TALK), dry_run="false")
    assert done.status == 201
    assert done.json == {**dry.json, "dry_run": False}


def test_what_was_left_out_is_named_with_its_first_record() -> None:
    messages = [user(), {"role": "robot"}, says(), {"role": "user", "content": 5}, "text"]
    answer = operator().upload(chat(*messages))
    assert answer.json["sessions"][0]["frames"] == 2
    assert answer.json["records"] == {"read": 5, "used": 2, "skipped": 3}
    assert [(s["what"], s["count"], s["first_line"]) for s in answer.json["skipped"]] == [
        ("message", 2, 2),
        ("message", 1, 4),
    ]


def test_a_known_format_with_nothing_in_it_makes_no_session() -> None:
    answer = operator().upload(chat({"role": "user", "content": 5}))
    assert (answer.status, answer.json["sessions"], len(answer.json["skipped"])) == (200, [], 1)
    assert "Link" not in answer.headers


@pytest.mark.parametrize("fields", [{}, {"format": ""}, {"format": "openai-chat"}, {"dry_run": "0"}])
def test_what_may_be_left_out_may_be_given(fields: dict[str, str]) -> None:
    assert operator().upload(chat(*TALK), **fields).status == 201


def test_the_same_file_of_two_users_makes_two_sessions() -> None:
    told = [operator().upload(chat(*TALK)).json["sessions"][0] for _ in range(2)]
    assert [t["status"] for t in told] == ["created", "created"]
    assert Session.objects.count() == 2


def test_several_sessions_of_a_file_lead_to_the_list() -> None:
    api = operator()
    rows = "\n".join(json.dumps({"messages": [user(str(n)), says()]}) for n in range(3))
    answer = api.upload(rows, name="rows.jsonl")
    assert (answer.status, len(answer.json["sessions"])) == (201, 3)
    assert answer.headers["Link"] == '<http://127.0.0.1:8000/>; rel="inspector"'


def test_a_viewer_is_not_told_what_is_wrong_with_the_form() -> None:
    viewer = Api.of(make_user(role=Role.VIEWER))
    before = all_tables()
    for answer in (viewer.upload(), viewer.post("imports/", {}), viewer.upload(chat(*TALK))):
        assert (answer.status, answer.slug) == (403, "forbidden")
    assert all_tables() == before


# --- What it refuses --------------------------------------------------------------------------


def test_a_form_needs_one_file() -> None:
    api = operator()
    before = all_tables()
    assert refused(api.upload(), before) == ["/file"]
    assert refused(api.upload(chat(*TALK), chat(*TALK)), before) == ["/file"]
    assert refused(api.upload(file=chat(*TALK)), before) == ["/file"]
    assert refused(api.upload(""), before) == ["/file"]
    assert refused(send(api, end=b"--x--\r\n"), before) == ["/file"]


@pytest.mark.parametrize(
    ("fields", "pointers"),
    [
        ({"dry_run": "yes"}, ["/dry_run"]),
        ({"dry_run": ""}, ["/dry_run"]),
        ({"dry_run": ["true", "true"]}, ["/dry_run"]),
        ({"format": "nonsense"}, ["/format"]),
        ({"format": "OpenAI-Chat"}, ["/format"]),
        ({"format": "a\0b"}, ["/format"]),
        ({"format": ["openai-chat", "openai-chat"]}, ["/format"]),
        ({"title": "mine"}, ["/title"]),
        ({"dry_run": "maybe", "a/b": "1"}, ["/dry_run", "/a~1b"]),
    ],
)
def test_a_field_that_is_not_known_or_not_one_of_its_values_is_refused(
    fields: dict[str, Any], pointers: list[str]
) -> None:
    before = all_tables()
    assert refused(operator().upload(chat(*TALK), **fields), before) == pointers


def test_a_query_is_refused() -> None:
    before = all_tables()
    assert refused(operator().call("POST", "imports/?dry_run=true", raw=b""), before) == ["/dry_run"]


def test_too_many_parts_are_refused() -> None:
    api = operator()
    before = all_tables()
    for many in ([part("file", b"{}", filename="a")] * 200, [part(f"f{n}", b"1") for n in range(2000)]):
        assert refused(send(api, *many), before) == [""]


LONG = f"multipart/form-data; boundary={'x' * 300}"


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/mixed; boundary=x",
        "x",
        "",
        LONG,
    ],
)
@pytest.mark.parametrize("sent", [b"", b'{"messages": []}'])
def test_what_is_no_form_is_not_taken(media_type: str, sent: bytes) -> None:
    answer = operator().call("POST", "imports/", raw=sent, content_type=media_type)
    assert (answer.status, answer.slug) == (415, "unsupported-media-type")
    assert answer.json["supported"] == ["multipart/form-data"]


@pytest.mark.parametrize(
    "parameters", ["", "; boundary=", "; boundary=é", f"; boundary={'x' * 210}", "; boundary=y", "; charset=bz2"]
)
def test_a_form_without_a_boundary_that_fits_is_malformed(parameters: str) -> None:
    sent = part("file", chat(*TALK).encode(), filename="a.json") + b"--x--\r\n"
    before = all_tables()
    answer = operator().call("POST", "imports/", raw=sent, content_type=f"multipart/form-data{parameters}")
    refused(answer, before)


def test_a_form_that_breaks_off_is_refused_wherever_it_does() -> None:
    api = operator()
    whole = part("file", chat(*TALK).encode(), filename="a.json") + part("dry_run", b"true") + b"--x--\r\n"
    before = all_tables()
    for length in [*range(1, len(whole) - 4, 7), len(whole) - 4]:
        refused(send(api, whole[:length], end=b""), before)
    assert send(api, whole, end=b"").json["dry_run"] is True


@pytest.mark.parametrize("content", [b"hello", b"\0\0", b"PK\x03\x04broken", b'{"a": 1}', b"[1, 2]", b"\xff\xfe", b" "])
def test_a_file_of_no_known_format_is_told_which_are_known(content: bytes) -> None:
    api = operator()
    before = all_tables()
    answer = api.upload(content)
    assert (answer.status, answer.slug) == (422, "unknown-format")
    assert "openai-chat" in answer.json["known"]
    assert all_tables() == before


def test_a_file_that_is_not_of_the_format_that_was_named_is_refused() -> None:
    answer = operator().upload('{"a": 1}', format="openai-chat")
    assert (answer.status, answer.slug) == (422, "unknown-format")
    assert "not of the format openai-chat" in answer.json["detail"]


def test_a_session_of_other_frames_under_the_same_id_is_left_alone() -> None:
    api = operator()
    (told,) = api.upload(chat(*TALK)).json["sessions"]
    assert api.delete(f"sessions/{told['session_id']}/", if_match="*").status == 204
    api.create(user("Mine."), session_id=told["session_id"])
    answer = api.upload(chat(*TALK))
    assert answer.status == 201
    (made,) = answer.json["sessions"]
    assert made["session_id"] != told["session_id"] and "diverged" in made["labels"]
    assert len(api.get(f"sessions/{told['session_id']}/frames/").json["items"]) == 1


@pytest.mark.parametrize(
    ("failure", "status", "slug"),
    [
        (engine.DatabaseBusy("locked"), 503, "busy"),
        (engine.DatabaseUnavailable("away"), 503, "database-unavailable"),
        (engine.HistoryDiverged("s", steps=1), 409, "session-exists"),
        (engine.DamagedMessage(), 500, "damaged-frame"),
    ],
)
def test_what_the_engine_refuses_has_its_problem(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int, slug: str
) -> None:
    def fail(*_arguments: Any, **_named: Any) -> None:
        raise failure

    monkeypatch.setattr(imports, "import_file", fail)
    answer = operator().upload(chat(*TALK))
    assert (answer.status, answer.slug) == (status, slug)
    assert ("Retry-After" in answer.headers) == (status == 503)


HOSTILE_NAMES = ["../../etc/passwd", "C:\\Windows\\x", "/", "a\0b", "a\tb", "<script>alert(1)</script>", "x" * 5000]
HOSTILE_NAMES += ["&#46;&#46;/x", "键é", "\ud800", "a; name=dry_run", "%00", "CON", "-rf", "$(id)", '\\"', "~"]


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_a_file_may_be_called_anything(name: str) -> None:
    answer = send(operator(), part("file", chat(*TALK).encode(), filename=name))
    assert answer.status in (201, 400)
    if answer.status == 201:
        assert answer.json["sessions"][0]["title"] == "Fix the upload test."
        assert len(raw(answer.json["sessions"][0]["session_id"])) == 5


@pytest.mark.parametrize("name", ["", ".", "..", "a/..", "/"])
def test_a_part_whose_file_name_names_nothing_is_no_file(name: str) -> None:
    before = all_tables()
    assert refused(send(operator(), part("file", b"{}", filename=name)), before) == ["/file"]


# --- How large ---------------------------------------------------------------------------------


def padded(length: int) -> bytes:
    """A form of just this length."""
    content = chat(*TALK).encode()
    rest = len(part("file", content, filename="a.json") + b"--x--\r\n")
    return part("file", content + b" " * (length - rest), filename="a.json") + b"--x--\r\n"


def test_a_form_of_32_mib_is_read() -> None:
    assert send(operator(), padded(LIMIT), end=b"").status == 201


def test_a_form_over_32_mib_is_too_large_and_read_to_its_end_all_the_same() -> None:
    api = operator()
    before = all_tables()
    answer = send(api, padded(LIMIT + 1), end=b"")
    assert (answer.status, answer.slug, answer.json["limit_bytes"]) == (413, "too-large", LIMIT)
    assert all_tables() == before
    api.http.defaults["HTTP_AUTHORIZATION"] = f"Token {api.token}"
    response = api.http.generic("POST", f"{ROOT}imports/", padded(LIMIT + 1), content_type="multipart/form-data")
    assert response.status_code == 413
    assert response.wsgi_request.META["wsgi.input"].read() == b""


@pytest.mark.parametrize("media_type", ["text/plain", "multipart/form-data"])
def test_what_is_refused_unread_is_read_away(media_type: str) -> None:
    api = operator()
    api.http.defaults["HTTP_AUTHORIZATION"] = f"Token {api.token}"
    response = api.http.generic("POST", f"{ROOT}imports/", padded(1024**2), content_type=media_type)
    assert response.status_code in (400, 415)
    assert response.wsgi_request.META["wsgi.input"].read() == b""


def chunked(api: Api, sent: bytes, **members: Any) -> tuple[int, Any]:
    """Status and body of a form that comes in chunks, as the server hands it over."""
    request = RequestFactory().generic("POST", f"{ROOT}imports/", headers={"Authorization": f"Token {api.token}"})
    environ = {**request.environ, "wsgi.input": BytesIO(sent), "HTTP_TRANSFER_ENCODING": "chunked", **members}
    environ["CONTENT_TYPE"] = "multipart/form-data; boundary=x"
    answers: list[Any] = []

    def application(environ: Any, _start_response: Any) -> list[bytes]:
        answers.append(api.http.handler(environ))
        return []

    with_length(application, limit=LIMIT)(environ, None)
    return answers[0].status_code, json.loads(answers[0].content)


def test_a_form_in_chunks_is_read_and_has_the_same_limit() -> None:
    api = operator()
    status, body = chunked(api, padded(LIMIT + 1), **{"wsgi.input_terminated": True})
    assert (status, body["type"]) == (413, "/problems/too-large")
    status, body = chunked(api, padded(5000), **{"wsgi.input_terminated": True})
    assert (status, body["sessions"][0]["status"]) == (201, "created")


def test_a_form_in_chunks_whose_end_is_not_known_is_refused() -> None:
    status, body = chunked(operator(), padded(5000), **{"wsgi.input_terminated": False})
    assert (status, body["errors"][0]["pointer"]) == (400, "Content-Length")


def test_an_upload_is_not_held_in_memory() -> None:
    api = operator()
    sent = part("file", b"no trajectory at all\n" * 1_400_000, filename="a.txt") + b"--x--\r\n"
    api.upload("{}")  # what is loaded once is loaded now
    tracemalloc.start()
    try:
        answer = api.http.generic(
            "POST",
            f"{ROOT}imports/",
            sent,
            content_type="multipart/form-data; boundary=x",
            headers={"Authorization": f"Token {api.token}"},
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.status_code == 422
    # The test client itself holds one copy of what it sends.
    assert peak - len(sent) < 12 * 1024 * 1024


# --- Whatever is sent -------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=60)
def test_whatever_is_sent_is_no_5xx(data: st.DataObject) -> None:
    api = operator()
    pieces = [b"--x", b"--", b"\r\n", b"\r\n\r\n", b'Content-Disposition: form-data; name="file"', b'; filename="a"']
    pieces += [b"Content-Transfer-Encoding: base64\r\n", b"Content-Length: x\r\n", b"{}", chat(*TALK).encode(), b"\0"]
    pieces += [part("file", chat(*TALK).encode(), filename="a"), part("dry_run", b"true"), b"--x--\r\n", b"=?", b"*0="]
    sent = b"".join(data.draw(st.lists(st.sampled_from(pieces) | st.binary(max_size=8), max_size=12)))
    assert send(api, sent, end=b"").status < 500


@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
@settings(max_examples=60)
def test_whatever_the_file_holds_is_no_5xx(content: bytes) -> None:
    assert operator().upload(content).status < 500
