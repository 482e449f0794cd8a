"""Media types, methods, addresses and sizes that are not taken (contract, section 4)."""

import pytest

from tests.api.client import Api, operator
from tests.builders import calls, reply, says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

READS = ["sessions/", "sessions/s/", "sessions/s/frames/", "sessions/s/frames/1/", "sessions/s/context/"]
READS += ["sessions/s/context/messages/", "sessions/s/versions/", "sessions/s/export/", "strategies/"]


@pytest.fixture
def api() -> Api:
    api = operator()
    api.create(user(), calls("a"), reply("a"), says(), session_id="s")
    return api


MEDIA_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json"]
MEDIA_TYPES += ["application/merge-patch+json", "application/problem+json", "garbage"]


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "sessions/"), ("PATCH", "sessions/s/"), ("POST", "sessions/s/frames/"), ("POST", "compress/")],
)
def test_another_media_type_is_not_taken(api: Api, method: str, path: str, media_type: str) -> None:
    before = all_tables()
    answer = api.call(method, path, {"messages": [user()]}, content_type=media_type)
    assert (answer.status, answer.slug) == (415, "unsupported-media-type")
    assert answer.json["supported"] == ["application/json"]
    assert all_tables() == before


@pytest.mark.parametrize("media_type", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])
def test_json_is_taken_however_it_is_called(media_type: str) -> None:
    assert operator().call("POST", "sessions/", {}, content_type=media_type).status == 201


@pytest.mark.parametrize("accept", ["text/html", "text/plain, image/png", "application/xml;q=0.9", "garbage", "é"])
@pytest.mark.parametrize("path", READS)
def test_an_answer_that_is_not_accepted_is_not_given(api: Api, path: str, accept: str) -> None:
    answer = api.get(path, accept=accept)
    assert (answer.status, answer.slug) == (406, "not-acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/*", "application/json", "text/html, */*;q=0.1"])
def test_json_is_given_where_it_is_accepted(api: Api, accept: str) -> None:
    answer = api.get("sessions/s/", accept=accept)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")


@pytest.mark.parametrize(
    "accept", ["*/*", "application/*", "application/jsonl", "application/json", "application/json;q=1"]
)
def test_an_export_is_given_where_it_is_accepted(api: Api, accept: str) -> None:
    answer = api.get("sessions/s/export/", accept=accept)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/jsonl")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", ["sessions/", "sessions/s/frames/", "strategies/", "schema/", "docs/"])
def test_another_method_is_not_allowed(api: Api, path: str, method: str) -> None:
    before = all_tables()
    answer = api.call(method, path, {})
    assert (answer.status, answer.slug) == (405, "method-not-allowed")
    assert "GET" in answer.headers["Allow"]
    assert all_tables() == before


NOWHERE = ["", "nothing/", "sessions", "sessions/s", "sessions/s/frames", "sessions/s/frames/1", "strategies", "docs"]
NOWHERE += ["sessions//", "sessions/./", "sessions/../", "sessions/a%2Fb/", "sessions/a%20b/", "sessions/%FF/"]
NOWHERE += ["sessions/s%00/", "sessions/%E9%94%AE/", f"sessions/{'x' * 201}/", "sessions/s/nothing/", "sessions/S/"]
NOWHERE += [f"sessions/s/frames/{seq}/" for seq in ("0", "-1", "01", "1.0", "x", "5", "9" * 18, "9" * 19, "9" * 5000)]
NOWHERE += ["sessions/s/context/?version=0", "sessions/s/context/?version=2", f"sessions/s/context/?version={'9' * 18}"]
NOWHERE += ["sessions/s/context/?at_seq=0", "sessions/s/context/?at_seq=5", f"sessions/s/context/?at_seq={'9' * 18}"]


@pytest.mark.parametrize("path", NOWHERE, ids=lambda path: path[:40])
def test_what_is_not_there_is_not_found(api: Api, path: str) -> None:
    answer = api.get(path)
    assert (answer.status, answer.slug) == (404, "not-found")


@pytest.mark.parametrize("path", ["sessions", "sessions/s/frames", "sessions/s/recovery"])
def test_a_write_without_the_slash_is_not_found_and_not_sent_elsewhere(api: Api, path: str) -> None:
    before = all_tables()
    assert api.post(path, {"messages": [user()]}).slug == "not-found"
    assert all_tables() == before


@pytest.mark.parametrize("path", ["/api/v1", "/api/", "/api/v2/sessions/"])
def test_outside_of_the_root_there_is_a_problem_too(path: str) -> None:
    api = operator()
    answer = api.http.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_a_body_over_32_mib_is_too_large() -> None:
    api = operator()
    before = all_tables()
    answer = api.call("POST", "sessions/", raw=b'{"title": "' + b"x" * (32 * 1024 * 1024) + b'"}')
    assert (answer.status, answer.slug, answer.json["limit_bytes"]) == (413, "too-large", 33_554_432)
    assert all_tables() == before


def test_a_body_that_is_too_large_is_read_to_its_end_all_the_same() -> None:
    api = operator()
    api.http.defaults["HTTP_AUTHORIZATION"] = f"Token {api.token}"
    sent = b" " * (33 * 1024 * 1024)
    response = api.http.generic("POST", "/api/v1/sessions/", sent, content_type="application/json")
    assert response.status_code == 413
    assert response.wsgi_request.META["wsgi.input"].read() == b""


def test_a_body_of_32_mib_is_read() -> None:
    raw = b"{}" + b" " * (32 * 1024 * 1024 - 2)
    assert operator().call("POST", "sessions/", raw=raw).status == 201


def test_an_empty_accept_asks_for_nothing_in_particular() -> None:
    assert operator().get("sessions/", accept="").status == 200
