"""A body is an object of known members (contract, section 4, Errors)."""

import pytest

from tests.api.client import operator
from tests.api.refusals import refused
from tests.builders import says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

ROUTES = {
    "sessions/": "POST",
    "sessions/s/": "PATCH",
    "sessions/s/frames/": "POST",
    "sessions/s/compressions/": "POST",
    "sessions/s/recovery/": "POST",
    "sessions/s/comparisons/": "POST",
    "sessions/s/replays/": "POST",
    "compress/": "POST",
}


@pytest.mark.parametrize("raw", [b"null", b"[]", b"5", b'"x"', b"true", b"[{}]"])
@pytest.mark.parametrize(("path", "method"), ROUTES.items())
def test_a_body_is_an_object(path: str, method: str, raw: bytes) -> None:
    api = operator()
    api.create(user(), session_id="s")
    before = all_tables()
    assert refused(api.call(method, path, raw=raw), before) == [""]


@pytest.mark.parametrize("name", ["x", "Messages", "", "a/b", "a~b", "__proto__", "\x00", "键"])
@pytest.mark.parametrize(("path", "method"), ROUTES.items())
def test_an_unknown_member_is_refused(path: str, method: str, name: str) -> None:
    api = operator()
    api.create(user(), session_id="s")
    before = all_tables()
    body = {"messages": [says()], "strategy": "digest", "strategies": [{"strategy": "digest"}]}
    known = {
        "sessions/s/frames/": ["messages"],
        "sessions/s/compressions/": ["strategy"],
        "sessions/s/comparisons/": ["strategies"],
        "sessions/s/replays/": ["strategies"],
        "compress/": ["messages", "strategy"],
    }
    sent = {member: body[member] for member in known.get(path, [])}
    pointers = refused(api.call(method, path, {**sent, name: 1}), before)
    assert pointers == ["/" + name.replace("~", "~0").replace("/", "~1")]


def test_an_unknown_member_that_is_no_text_is_refused_too() -> None:
    api = operator()
    before = all_tables()
    refused(api.post("sessions/", {"\ud800": 1}), before)
