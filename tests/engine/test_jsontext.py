"""JSON as it is stored: what goes in comes out, and both databases can hold it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app import jsontext
from sessions_app.jsontext import MAX_DEPTH, MalformedJSON

# A pair of surrogates that stand side by side is one character to every reader of JSON.
TEXT = st.text(st.characters(exclude_categories=())).filter(
    lambda t: t == t.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    """Equal to the sign of a zero, the kind of a number and the order of members."""
    return json.dumps(one) == json.dumps(other)


@given(VALUES)
def test_what_is_stored_reads_as_what_was_given(value: Any) -> None:
    text = jsontext.dumps(value)
    assert same(jsontext.loads_stored(text), value)
    assert same(jsontext.loads(text), value)
    assert "\0" not in text
    text.encode()


@pytest.mark.case(57)
@pytest.mark.case(59)
def test_only_what_a_column_cannot_hold_is_escaped() -> None:
    assert jsontext.dumps({"z": "a\x00b", "a": "\ud83d 🙂 中 \\u0000"}) == (
        '{"z":"a\\u0000b","a":"\\ud83d 🙂 中 \\\\u0000"}'
    )


@pytest.mark.parametrize("value", [2**63, 10**40, 1e16, -0.0, 1e-7, int("9" * 4300)])
def test_numbers_come_back_as_they_were(value: float) -> None:
    assert same(jsontext.loads(jsontext.dumps(value)), value)


@given(st.lists(TEXT, max_size=4))
def test_strings_in_one_column_are_found_whole(values: list[str]) -> None:
    text = jsontext.escape_lines(values)
    assert jsontext.unescape_lines(text) == tuple(values)
    assert all(jsontext.line(v) in text for v in values)
    assert jsontext.line("no such value") not in text or "no such value" in values


@given(TEXT)
def test_one_string_is_escaped_and_unescaped(text: str) -> None:
    assert jsontext.unescape(jsontext.escape(text)) == text
    jsontext.printable(text).encode()
    assert len(jsontext.printable(text)) == len(text)


@pytest.mark.case(60)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ('{"a":1', "line 1 column"),
        ("{'a':1}", "line 1"),
        ("NaN", "NaN is no JSON"),
        ('{"a":-Infinity}', "-Infinity is no JSON"),
        ("1e999", "outside IEEE double"),
        ("9" * 4301, "4,300 digits"),
        ('{"a":1,"a":2}', "stands twice"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "128 levels"),
        ("[" * 100_000, "128 levels"),
    ],
)
def test_what_another_reader_would_not_read_alike_is_refused(text: str, why: str) -> None:
    with pytest.raises(MalformedJSON, match=why):
        jsontext.loads(text)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert jsontext.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert not jsontext.is_deeper_than("text", 0)
    assert jsontext.is_deeper_than({"a": [{}]}, 2)
    assert not jsontext.is_deeper_than({"a": [{}]}, 3)
