"""Which frames hold a text: exact, from the newest down, and where an index tells, through the whole session."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.engine.reads import FrameFilter, Hits, frame_pages, frames_page, hits, text_index
from sessions_app.engine.search import Needle
from sessions_app.models import RawFrame
from tests.builders import Msg, call, calls, make_session, reply, says, user

pytestmark = pytest.mark.django_db


def looked_for(session_id: str, text: str, *, last_seq: int, **options: Any) -> Hits:
    return hits(session_id, last_seq=last_seq, wanted=FrameFilter(search=text), **options)


@pytest.fixture
def without_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_pages, "text_index_exists", lambda: False)
    monkeypatch.setattr(frame_pages, "SCAN", 4)


TALK: list[Msg] = [
    user("Fix the upload."),
    calls("a", name="needle") | {"tool_calls": [call("a", "needle", '{"q":"修复上传"}')]},
    reply("a", "A NEEDLE in the hay"),
    says("hay"),
    says("the needle"),
    user("修好了"),
]


def test_hits_are_the_frames_whose_text_or_arguments_hold_it() -> None:
    session_id = make_session(*TALK)
    assert looked_for(session_id, "needle", last_seq=6) == Hits((3, 5), first=1, last=6, further=None)
    assert looked_for(session_id, "修", last_seq=6).seqs == (2, 6)
    assert looked_for(session_id, "修复", last_seq=6).seqs == (2,)
    assert looked_for(session_id, "assistant", last_seq=6).seqs == ()


def test_hits_fit_the_other_filters_too() -> None:
    session_id = make_session(*TALK)
    assert hits(session_id, last_seq=6, wanted=FrameFilter(search="needle", role="assistant")).seqs == (5,)
    assert hits(session_id, last_seq=6, wanted=FrameFilter(search="修", tool="needle")).seqs == (2,)


@pytest.mark.usefixtures("without_index")
def test_without_an_index_some_frames_are_looked_through_and_said_which() -> None:
    session_id = make_session(*TALK)
    assert looked_for(session_id, "needle", last_seq=6) == Hits((3, 5), first=3, last=6, further=2)
    assert looked_for(session_id, "needle", last_seq=6, upto=2) == Hits((), first=1, last=2, further=None)


def test_a_full_page_of_hits_ends_at_its_oldest() -> None:
    session_id = make_session(*[says(f"hit {n}") for n in range(7)])
    newest = looked_for(session_id, "hit", last_seq=7, limit=3)
    assert newest == Hits((5, 6, 7), first=5, last=7, further=4)
    older = looked_for(session_id, "hit", last_seq=7, upto=newest.further, limit=4)
    assert older == Hits((1, 2, 3, 4), first=1, last=4, further=None)


@pytest.mark.parametrize("upto", [0, -5])
def test_before_the_first_frame_there_is_nothing(upto: int) -> None:
    assert looked_for(make_session(user()), "fix", last_seq=1, upto=upto) == Hits((), first=1, last=0, further=None)
    assert looked_for(make_session(), "fix", last_seq=0) == Hits((), first=1, last=0, further=None)


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("abc", True),
        ("x ab1", True),
        ("ab c", False),
        ("修复", False),
        ("修abc复", True),
        ("é1é2é", False),
        ("a%b_c", False),
    ],
)
def test_an_index_of_trigrams_is_asked_for_three_ascii_letters_or_digits_in_a_row(text: str, has: bool) -> None:
    assert Needle(text).has_trigram is has


# --- The index -----------------------------------------------------------------------------------

FRAMES = 20_000


def copies_of_first_frame(session_id: str) -> None:
    """Many frames, each with another text, by one statement: the needle and a Chinese text stand far down."""
    columns = [str(f.column) for f in RawFrame._meta.concrete_fields if f.column not in ("seq", "message")]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO sessions_app_rawframe (seq, message, {', '.join(columns)})"
            ' SELECT n, \'{"role":"user","content":"\' || CASE n WHEN 70 THEN \'the rare xyzzyne\''
            " WHEN 71 THEN '前修复后' ELSE repeat('common words ', 30) || md5(n::text) END || '\"}',"
            f" {', '.join(columns)} FROM sessions_app_rawframe, generate_series(2, %s) n"
            " WHERE session_id = %s AND seq = 1",
            [FRAMES, session_id],
        )
        # What a vacuum does: new entries wait in a list that each search reads through.
        cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [text_index.NAME])
        cursor.execute("ANALYZE sessions_app_rawframe")


@pytest.fixture
def ask_again() -> Iterator[None]:
    text_index.ask_again()
    yield
    text_index.ask_again()


@pytest.mark.postgres
@pytest.mark.usefixtures("ask_again")
def test_a_rare_word_is_found_by_the_index_however_far_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_pages, "SCAN", 1_000)
    session_id = make_session(user())
    copies_of_first_frame(session_id)
    assert text_index.text_index_exists()
    with CaptureQueriesContext(connection) as captured:
        assert looked_for(session_id, "XYZZYne", last_seq=FRAMES) == Hits((70,), 1, FRAMES, None)
        page = frames_page(session_id, last_seq=FRAMES, wanted=FrameFilter(search="xyzzy"))
    assert [frame.seq for frame in page.items] == [70]
    searches = [q["sql"] for q in captured.captured_queries if "ILIKE" in q["sql"]]
    assert searches
    with connection.cursor() as cursor:
        for sql in searches:
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(row[0] for row in cursor.fetchall())
            assert text_index.NAME in plan, plan
    for text in ("修", "修复"):
        far = looked_for(session_id, text, last_seq=FRAMES, upto=1_000)
        assert (far.seqs, far.first, far.further) == ((71,), 1, None)
        near = looked_for(session_id, text, last_seq=FRAMES)
        assert (near.seqs, near.first, near.further) == ((), FRAMES - 999, FRAMES - 1_000)


@pytest.mark.postgres
@pytest.mark.usefixtures("ask_again")
def test_whether_there_is_an_index_is_asked_once() -> None:
    with CaptureQueriesContext(connection) as captured:
        assert text_index.text_index_exists() == text_index.text_index_exists()
    assert len(captured.captured_queries) == 1


@pytest.mark.sqlite
def test_sqlite_is_not_asked_for_an_index() -> None:
    with CaptureQueriesContext(connection) as captured:
        assert not text_index.text_index_exists()
    assert not captured.captured_queries


ARGUMENTS = json.dumps({"path": "存在.txt", "say": 'He said "hi"\nand left', "dir": "C:\\tmp", "smile": "😀"})
"""As most programs write them: all but ASCII escaped."""


@pytest.mark.parametrize("text", ["存", "存在", 'said "hi"', 'hi"\nand', "C:\\tmp", "😀", "path", "\\u5b58"])
def test_arguments_are_found_as_they_read_and_as_they_stand(text: str) -> None:
    message = calls("a") | {"tool_calls": [call("a", "write", ARGUMENTS)]}
    session_id = make_session(user("x"), message)
    assert looked_for(session_id, text, last_seq=2).seqs == (2,)


@pytest.mark.parametrize("arguments", ["{not json \\u5b58", "[" * 500 + "\\n", '"\\ud800"'])
def test_arguments_that_are_no_json_are_looked_through_as_text(arguments: str) -> None:
    session_id = make_session(user("x"), calls("a") | {"tool_calls": [call("a", "write", arguments)]})
    assert looked_for(session_id, arguments[:6], last_seq=2).seqs == (2,)
    assert looked_for(session_id, "存", last_seq=2).seqs == ()


def test_a_word_that_stands_in_every_message_in_vain_is_not_looked_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frame_pages, "text_index_exists", lambda: True)
    monkeypatch.setattr(frame_pages, "LOOKED_AT", 5)
    session_id = make_session(*[user(f"Message {n}") for n in range(12)])
    first = looked_for(session_id, "role", last_seq=12)
    assert first == Hits((), first=8, last=12, further=7)
    second = looked_for(session_id, "role", last_seq=12, upto=first.further)
    assert second == Hits((), first=3, last=7, further=2)
    page = frames_page(session_id, last_seq=12, wanted=FrameFilter(search="role"), after_seq=0)
    assert (page.items, page.next_after_seq) == ((), 5)
