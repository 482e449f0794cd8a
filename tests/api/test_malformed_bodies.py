"""A body is read strictly: what two readers would read differently is refused, and nothing is written."""

from typing import Any

import pytest

from tests.api.client import operator
from tests.builders import says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

HUGE_INTEGER = b"9" * 4301
MALFORMED = {
    "nothing in it": b" ",
    "cut off": b'{"messages": [',
    "single quotes": b"{'messages': []}",
    "a comma too many": b'{"messages": [],}',
    "a comment": b'{"messages": [] /* none */}',
    "two values": b"{} {}",
    "a raw line break in a string": b'{"messages": ["\n"]}',
    "NaN": b'{"messages": [{"role": "user", "content": "x", "n": NaN}]}',
    "Infinity": b'{"messages": [{"role": "user", "content": "x", "n": Infinity}]}',
    "-Infinity": b'{"messages": [{"role": "user", "content": "x", "n": [-Infinity]}]}',
    "1e400": b'{"messages": [{"role": "user", "content": "x", "n": 1e400}]}',
    "-1e400": b'{"messages": [{"role": "user", "content": "x", "n": -1e400}]}',
    "over 4,300 digits": b'{"messages": [{"role": "user", "content": "x", "n": %s}]}' % HUGE_INTEGER,
    "over 4,300 digits below zero": b'{"messages": [{"role": "user", "content": "x", "n": -%s}]}' % HUGE_INTEGER,
    "a member twice": b'{"messages": [{"role": "user", "content": "x", "content": "y"}]}',
    "a member twice, once escaped": b'{"messages": [{"role": "user", "content": "x", "\\u0063ontent": "y"}]}',
    "a member twice at the top": b'{"messages": [], "messages": []}',
    "no UTF-8": b'{"messages": [{"role": "user", "content": "\xff"}]}',
    "a surrogate as bytes": b'{"messages": [{"role": "user", "content": "\xed\xa0\x80"}]}',
    "Latin-1": '{"messages": [{"role": "user", "content": "é"}]}'.encode("latin-1"),
    "UTF-16": '{"messages": []}'.encode("utf-16"),
    "UTF-16 without a mark": '{"messages": []}'.encode("utf-16-le"),
    "UTF-32": '{"messages": []}'.encode("utf-32"),
    "a byte order mark": b'\xef\xbb\xbf{"messages": []}',
    "a deep list": b"[" * 100_000 + b"]" * 100_000,
    "a deep object": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
}


@pytest.mark.case(60)
@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("path", ["sessions/", "sessions/s/frames/"])
def test_what_is_no_strict_json_is_malformed(path: str, raw: bytes) -> None:
    api = operator()
    api.create(user(), session_id="s")
    before = all_tables()
    answer = api.call("POST", path, raw=raw)
    assert (answer.status, answer.slug) == (400, "malformed-json")
    assert answer.pointers == [""]
    assert all_tables() == before


def nested(levels: int) -> Any:
    """Objects and lists in turn, `levels` deep."""
    value: Any = "x"
    for n in range(levels):
        value = [value] if n % 2 else {"x": value}
    return value


def test_a_message_of_128_levels_is_taken_and_comes_back() -> None:
    api = operator()
    message = {**user(), "x": nested(127)}
    session_id = api.create(message)
    body = {"messages": [message, says()], "metadata": [{"x": nested(127)}, {}]}
    assert api.post(f"sessions/{session_id}/frames/", body).status == 201
    read = api.get(f"sessions/{session_id}/frames/").json["items"]
    assert read[0]["message"] == read[1]["message"] == message
    assert read[1]["metadata"] == {"x": nested(127)}
    assert api.get(f"sessions/{session_id}/context/messages/").json["messages"][0] == message


@pytest.mark.parametrize("member", ["x", "content"])
def test_a_message_of_129_levels_is_refused(member: str) -> None:
    api = operator()
    session_id = api.create(user())
    before = all_tables()
    deep = [{"type": "x", "x": nested(126)}] if member == "content" else nested(128)
    for answer in (
        api.append(session_id, {**user(), member: deep}),
        api.post("sessions/", {"messages": [{**user(), member: deep}]}),
    ):
        assert (answer.status, answer.slug) == (400, "malformed-json")
    assert all_tables() == before


@pytest.mark.parametrize("metadata", [{"x": nested(128)}, [{"x": nested(128)}]], ids=["an object", "a list"])
def test_metadata_of_129_levels_is_refused(metadata: Any) -> None:
    api = operator()
    session_id = api.create(user())
    before = all_tables()
    answer = api.post(f"sessions/{session_id}/frames/", {"messages": [says()], "metadata": metadata})
    assert answer.status == 400
    assert all_tables() == before
