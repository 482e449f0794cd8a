"""Reading foreign JSON: what a damaged file still holds is given, the rest is named, and nothing raises."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.interchange import Source, jsonreading
from sessions_app.interchange.jsonreading import Document, json_lines
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from tests.interchange.samples import lines, of


def read_lines(source: Source, **options: Any) -> tuple[list[tuple[int, Any]], list[tuple[str, int, int | None]]]:
    tally = Tally()
    records = [(r.number, r.value) for r in json_lines(source, tally, **options)]
    tally.use(number for number, _ in records)
    assert not tally.unaccounted
    return records, [(s.what, s.count, s.first_line) for s in tally.skipped]


def read_document(
    source: Source, *lists: str, **options: Any
) -> tuple[list[Any], dict[str, Any], list[tuple[str, str]]]:
    tally = Tally()
    document = Document(source, tally, lists=lists, **options)
    values = []
    for record in document.records():
        tally.use([record.number])
        values.append(record.value)
    assert not tally.unaccounted
    return values, document.header, [(s.what, s.why) for s in tally.skipped]


def test_lines_are_numbered_as_in_the_file_and_empty_ones_are_no_records() -> None:
    assert read_lines(lines({"a": 1}, "", " ", {"b": 2})) == ([(1, {"a": 1}), (4, {"b": 2})], [])


def test_a_line_can_be_read_again_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonreading.lines, "LONGEST_LINE", 40)
    source = of("\ufeff" + '{"a": 1}\n\n"' + "x" * 99 + '"\n{"b": "\u00e9"}\r\n{"c": 3}')
    records = list(json_lines(source, Tally()))
    assert [r.number for r in records] == [1, 4, 5]
    assert [jsonreading.line_at(source, r.start, r.length) for r in reversed(records)] == [
        {"c": 3},
        {"b": "é"},
        {"a": 1},
    ]


def test_a_line_that_is_no_json_loses_itself_only() -> None:
    records, skipped = read_lines(lines({"a": 1}, "{oops", {"b": 2}))
    assert [n for n, _ in records] == [1, 3]
    assert skipped == [("line", 1, 2)]


def test_objects_whose_line_break_was_lost_share_the_number_of_their_line() -> None:
    source = of(b'\xef\xbb\xbf{"a": "\xff\xc3"} {"b": 2}{"c": 3}\n{"d": 4}\n{"e": 5}oops\n1 2\n')
    records, skipped = read_lines(source)
    assert records == [(1, {"a": "\ufffd\ufffd"}), (1, {"b": 2}), (1, {"c": 3}), (2, {"d": 4}), (3, {"e": 5})]
    assert skipped == [("bytes", 1, 1), ("line", 1, 3), ("line", 1, 4)]
    found = list(json_lines(source, Tally()))
    assert [jsonreading.line_at(source, r.start, r.length) for r in found] == [value for _, value in records]


def test_what_the_parser_says_of_a_fault_reads_as_a_sentence() -> None:
    tally = Tally()
    assert [r.value for r in json_lines(of('{"a": "\x01"' + " " * 99 + '}\n{"b": 1}\n'), tally)] == [{"b": 1}]
    assert tally.skipped[0].why == "is no JSON: Invalid control character at character 8"


def test_a_torn_last_line_is_told_from_a_broken_one() -> None:
    tally = Tally()
    assert len(list(json_lines(of('{"a": 1}\n{"b": "tex'), tally))) == 1
    assert tally.skipped[0].why == jsonreading.TORN


@pytest.mark.parametrize("value", ['"text"', "1", "[1]", "null", "true"])
def test_a_line_that_is_no_object_is_named(value: str) -> None:
    assert read_lines(lines(value, {"a": 1})) == ([(2, {"a": 1})], [("line", 1, 1)])


def test_bytes_that_are_no_utf8_are_read_as_replacements_and_named() -> None:
    records, skipped = read_lines(of(b'{"a": "x\xffy"}\n'))
    assert records == [(1, {"a": "x\ufffdy"})]
    assert skipped == [("bytes", 1, 1)]


def test_a_line_without_end_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonreading.lines, "LONGEST_LINE", 64)
    records, skipped = read_lines(lines({"a": "x" * 5000}, {"b": 2}))
    assert records == [(2, {"b": 2})]
    assert skipped == [("line", 1, 1)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\ud800"', "\ud800"),
        ('"a\\u0000b"', "a\0b"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("1e999", "1e999"),
        ("12345678901234567890123", 12345678901234567890123),
        ("9" * 4301, "9" * 4301),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_values_that_other_readers_lose_or_refuse_are_kept(text: str, value: Any) -> None:
    assert read_document(of(f"[{text}]"), "") == ([value], {}, [])
    assert read_lines(lines(text), objects_only=False)[0] == [(1, value)]


DEEP = '{"a": ' * 250 + "1" + "}" * 250


@pytest.mark.parametrize(("text", "values"), [(DEEP, [1, 2]), ("[" * 100_000, [1])])
def test_values_that_cannot_be_handled_are_named(text: str, values: list[Any]) -> None:
    found, _, skipped = read_document(of(f"[1, {text}, 2]"), "")
    assert found == values
    assert len(skipped) == 1
    records, skipped_lines = read_lines(lines(text, {"a": 1}))
    assert records == [(2, {"a": 1})]
    assert len(skipped_lines) == 1


def test_a_member_that_is_nested_too_deeply_loses_itself_only() -> None:
    values, header, skipped = read_document(of(f'{{"a": {DEEP}, "b": 1, "c": [{DEEP}], "m": [2]}}'), "m", unread={"c"})
    assert (values, header) == ([2], {"b": 1})
    assert skipped == [("member", "is nested over 200 levels deep")]


def test_a_file_whose_first_record_is_nested_too_deeply_is_known_by_the_next() -> None:
    assert sniff(of(f'[{DEEP}, {{"a": 1}}]')).records == ({"a": 1},)
    assert sniff(of(f'{{"m": [{DEEP}, {{"a": 1}}]}}')).first("m") == {"a": 1}
    look = sniff(lines(DEEP, {"a": 1}))
    assert (look.shape, look.records) == ("lines", ({"a": 1},))


def test_the_elements_of_a_named_list_are_records_and_the_rest_is_header() -> None:
    text = json.dumps({"id": "x", "messages": [1, {"a": [2]}], "other": [3], "big": [4, 5], "end": None})
    values, header, skipped = read_document(of(text), "messages", unread={"big"})
    assert values == [1, {"a": [2]}]
    assert header == {"id": "x", "other": [3], "end": None}
    assert skipped == []


@pytest.mark.parametrize("text", ["[]", "{}", '{"messages": []}', " [ ] ", "\ufeff[]"])
def test_empty_documents_are_whole(text: str) -> None:
    assert read_document(of(text), "", "messages")[::2] == ([], [])


@pytest.mark.parametrize(
    ("text", "values", "what"),
    [
        ('[1, 2, {"a": "b', [1, 2], "record"),
        ("[1, 2, ", [1, 2], "record"),
        ("[1, 2", [1, 2], "record"),
        ("[1, ?, 3]" + " " * 99, [1], "rest of the file"),
        ("[1, 2] 3", [1, 2], "rest of the file"),
        ('{"messages": [1], "end": {"a"', [1], "record"),
    ],
)
def test_what_stands_before_the_damage_is_given_and_the_rest_named(text: str, values: list[Any], what: str) -> None:
    found, _, skipped = read_document(of(text), "", "messages")
    assert found == values
    assert [s[0] for s in skipped] == [what]


def test_a_break_before_the_first_record_names_no_record() -> None:
    tally = Tally()
    assert list(Document(of('{"a": 1, "m'), tally, lists=("messages",)).records()) == []
    assert [(s.what, s.first_line) for s in tally.skipped] == [("record", None)]
    assert not tally.read


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(values=st.lists(json_values, max_size=8), indent=st.sampled_from([None, 1]), piece=st.integers(1, 40))
def test_a_document_read_in_pieces_is_what_json_reads(values: list[Any], indent: int | None, piece: int) -> None:
    text = json.dumps({"a": values, "m": values}, indent=indent, ensure_ascii=False)
    raw = text.encode("utf-8", errors="surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonreading.document, "_PIECE", piece)
        found, header, _ = read_document(of(raw), "m")
    expected = json.loads(raw.decode("utf-8", errors="replace"))
    assert (found, header) == (expected["m"], {"a": expected["a"]})


@given(text=st.binary(max_size=200) | st.text(alphabet='{}[],:"\\ ntrue01.e-\n', max_size=60).map(str.encode))
def test_no_bytes_raise(text: bytes) -> None:
    source = Source(io.BytesIO(text))
    sniff(source)
    read_lines(source, objects_only=False)
    read_document(source, "", "messages")


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        ("", "other"),
        ("hello\nworld\n", "other"),
        ("[1, 2]", "array"),
        ('{"a": 1}', "object"),
        ('{"a": 1}\n', "object"),
        ('{\n  "a": 1,\n  "b": {"c": 1}\n}\n', "object"),
        ('[\n{"a": 1},\n{"b": 2}\n]\n', "array"),
        ('{"a": 1}\n{"b": 2}\n', "lines"),
        ('{"a": 1}\n{"b": 2', "lines"),
        ('{"a": bad\n{"b": 2}\n{"c": 3}\n', "lines"),
        ('{"a": 1}\ngarbage\n', "lines"),
        ('{"a": 1}{"b": 2}\n{"c": 3}\n', "lines"),
        (b"PK\x03\x04rest", "zip"),
        (b"\xff\xfe{\x00", "utf-16"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x89PNG\r\n\x1a\n\0\0", "other"),
    ],
)
def test_the_shape_of_a_file(content: str | bytes, shape: str) -> None:
    assert sniff(of(content)).shape == shape


def test_a_look_gives_the_first_records_and_members_of_a_long_file() -> None:
    look = sniff(of(json.dumps({"id": "x", "messages": [{"n": n, "t": "y" * 1000} for n in range(3000)], "z": 1})))
    assert look.members["id"] == "x"
    assert look.first("messages")["n"] == 0
    assert len(look.members["messages"]) == 50
    assert "z" not in look.members


def test_lines_of_which_the_first_is_longer_than_the_look() -> None:
    look = sniff(lines({"a": "x" * 2_000_000}, {"b": 1}))
    assert look.shape == "lines"
    assert "a" in look.records[0]


def test_lines_of_which_the_second_is_longer_than_the_look() -> None:
    look = sniff(of('{"a": 1}\n{"b": "' + "x" * 1_100_000 + '"}\n'))
    assert (look.shape, look.records) == ("lines", ({"a": 1},))


def test_a_source_tells_how_far_it_was_read_and_opens_more_than_once() -> None:
    told: list[int] = []
    source = Source(io.BytesIO(b"x" * 3_000_000), on_read=told.append)
    first, second = source.open(), source.open()
    assert first.read(10) == second.read(10) == b"x" * 10
    first.read()
    assert told == sorted(told)
    assert told[-1] == 3_000_000
