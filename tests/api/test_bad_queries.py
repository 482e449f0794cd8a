"""Query parameters that are wrong or unknown (contract, section 4)."""

from urllib.parse import quote

import pytest

from tests.api.client import Api, operator
from tests.api.refusals import refused
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


NO_WHOLE_NUMBER = ["", "abc", "-1", "1.0", "1e3", "+1", " 1", "1 ", "0x1", "١", "²", "9" * 19, "9" * 5000, "null"]


@pytest.mark.parametrize("value", NO_WHOLE_NUMBER)
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("sessions/", "limit"),
        *(("sessions/s/frames/", name) for name in ("limit", "after_seq", "before_seq")),
        *(("sessions/s/context/", name) for name in ("limit", "version", "at_seq", "after_position")),
    ],
)
def test_a_number_in_a_query_is_a_whole_one(api: Api, path: str, name: str, value: str) -> None:
    before = all_tables()
    assert refused(api.get(f"{path}?{name}={quote(value)}"), before) == [f"/{name}"]


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("sessions/", "limit", "0"),
        ("sessions/", "limit", "201"),
        ("sessions/", "ordering", "-updated"),
        ("sessions/", "ordering", ""),
        ("sessions/", "state", "done"),
        ("sessions/", "state", ""),
        ("sessions/", "state", "Empty"),
        ("sessions/", "search", "%00"),
        ("sessions/", "label", "a%00"),
        ("sessions/s/frames/", "limit", "0"),
        ("sessions/s/frames/", "limit", "501"),
        ("sessions/s/frames/", "role", "function"),
        ("sessions/s/frames/", "role", ""),
        ("sessions/s/frames/", "errors", "yes"),
        ("sessions/s/frames/", "errors", ""),
        ("sessions/s/frames/", "search", "%00"),
        ("sessions/s/frames/", "tool", "%00"),
        ("sessions/s/context/", "limit", "0"),
        ("sessions/s/export/", "kind", ""),
        ("sessions/s/export/", "kind", "everything"),
        ("sessions/s/export/", "kind", "Bundle"),
        ("sessions/s/export/", "kind", "%00"),
    ],
)
def test_a_value_that_is_not_among_the_possible_ones_is_refused(api: Api, path: str, name: str, value: str) -> None:
    assert refused(api.get(f"{path}?{name}={value}"), all_tables()) == [f"/{name}"]


@pytest.mark.parametrize(
    "cursor", ["", "abc", "%00", "é", "!!!!", "W10", "bnVsbA", "WyJ1cGRhdGVkIiwxLCJzIl0", "9" * 9999]
)
def test_a_cursor_that_we_did_not_make_is_refused(api: Api, cursor: str) -> None:
    assert refused(api.get(f"sessions/?cursor={cursor}"), all_tables()) == ["/cursor"]


def test_a_cursor_of_another_ordering_is_refused(api: Api) -> None:
    api.create()
    cursor = api.get("sessions/?limit=1").json["next_cursor"]
    assert refused(api.get(f"sessions/?ordering=tokens&cursor={cursor}"), all_tables()) == ["/cursor"]


@pytest.mark.parametrize("path", READS)
def test_an_unknown_parameter_is_refused(api: Api, path: str) -> None:
    assert refused(api.get(f"{path}?x=1&a/b=2&format=json"), all_tables()) == ["/x", "/a~1b", "/format"]


@pytest.mark.parametrize(
    "path", ["sessions/s/frames/", "sessions/s/recovery/", "sessions/s/compressions/", "compress/"]
)
def test_a_write_takes_no_parameter(api: Api, path: str) -> None:
    assert refused(api.post(f"{path}?dry_run=true", {}), all_tables()) == ["/dry_run"]


def test_a_parameter_given_twice_is_refused(api: Api) -> None:
    assert refused(api.get("sessions/s/frames/?limit=1&limit=1"), all_tables()) == ["/limit"]


def test_more_parameters_than_are_read_are_refused(api: Api) -> None:
    assert refused(api.get("sessions/?" + "&".join(f"x{n}=" for n in range(1500))), all_tables()) == [""]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [("frames/?after_seq=1&before_seq=3", "/before_seq"), ("context/?version=1&at_seq=2", "/version")],
)
def test_two_places_at_once_are_refused(api: Api, query: str, pointer: str) -> None:
    assert refused(api.get(f"sessions/s/{query}"), all_tables()) == [pointer]


@pytest.mark.parametrize("path", READS)
def test_a_problem_is_as_the_standard_says(api: Api, path: str) -> None:
    problem = api.get(f"{path}?x=1")
    assert problem.headers["Content-Type"] == "application/problem+json"
    assert {k: problem.json[k] for k in ("type", "title", "status", "detail")} == {
        "type": "/problems/invalid-request",
        "title": "The request is not valid",
        "status": 400,
        "detail": "/x is not known here",
    }
