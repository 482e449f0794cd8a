"""Which frames a filter finds, and how far one without an index looks at once."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app import engine
from sessions_app.engine import ContextItem, ImportedCompaction, ImportedMessage, ImportStep, Message, Seqs, Window
from sessions_app.engine.reads import FrameFilter, claims, fates_of_frames, frame_pages, frame_rows, frames_page
from sessions_app.models import RawFrame
from tests.builders import Msg, calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.engine.strategies import Gives, Params, fold

pytestmark = pytest.mark.django_db


def found(session_id: str, *, limit: int = 100, **wanted: Any) -> list[int]:
    """All pages, from the newest to the oldest; those that are read upwards must give the same."""
    last = engine.reads.session_state(session_id).frame_count
    down: list[int] = []
    before: int | None = last + 1
    while before is not None:
        page = frame_rows(session_id, last_seq=last, wanted=FrameFilter(**wanted), before_seq=before, limit=limit)
        down = [row.seq for row in page.items] + down
        before = page.previous_before_seq
    up: list[int] = []
    after: int | None = 0
    while after is not None:
        frames = frames_page(session_id, last_seq=last, wanted=FrameFilter(**wanted), after_seq=after, limit=limit)
        up += [frame.seq for frame in frames.items]
        after = frames.next_after_seq
    assert up == down
    return down


@pytest.fixture
def scan_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_pages, "SCAN", 3)


def test_frames_are_found_by_their_numbers() -> None:
    session_id = make_session(user(), calls("a"), reply("a", is_error=True), says())
    assert found(session_id, seqs=(4, 2, 99)) == [2, 4]
    assert found(session_id, seqs=(2, 3), errors=True) == [3]
    assert found(session_id, seqs=()) == []
    assert found(session_id, seqs=(1, 2, 4), limit=1) == [1, 2, 4]


def dropping(session_id: str, keep: list[int]) -> int:
    """A version in which only these positions stay."""
    gives = Gives(lambda window: Window.of(window[position - 1] for position in keep))
    return engine.compress(session_id=session_id, strategy=gives, params=Params()).state.context_compression_version


@pytest.mark.usefixtures("scan_of_three")
@pytest.mark.parametrize("limit", [1, 100])
def test_dropped_frames_are_those_that_no_message_of_the_version_stands_for(limit: int) -> None:
    session_id = make_session(system(), user(), *react_rounds(6))
    fold(session_id, keep=3)
    engine.append(session_id=session_id, messages=react_rounds(2, start=7))
    dropping(session_id, [1, 2, 3, 10, 11, 12, 13])  # without frames 9 to 14
    last = engine.reads.session_state(session_id).frame_count
    for version in (1, 2, 3):
        fates = fates_of_frames(session_id, version=version, seqs=range(1, last + 1))
        written_under = dict(RawFrame.objects.filter(session_id=session_id).values_list("seq", "context_version"))
        dropped = [seq for seq, (fate, _) in fates.items() if fate == "dropped" and written_under[seq] <= version]
        assert found(session_id, limit=limit, dropped_in=version) == dropped
    assert found(session_id, dropped_in=3, role="tool") == [10, 12, 14]
    assert found(session_id, dropped_in=1) == found(session_id, dropped_in=2) == []


def test_a_version_of_many_ranges_is_looked_through_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_NAMED", 1)
    session_id = make_session(user("first"), *[says(f"{n} and on") for n in range(12)], user("go"), says("last"))
    summary = ContextItem.summary(seqs=Seqs(((2, 3), (5, 6), (8, 8), (10, 12))), message=Message.of(user(".")))
    gives = Gives(lambda window: Window.of([window[0], summary, *window.items[-2:]]))
    engine.compress(session_id=session_id, strategy=gives, params=Params())
    assert found(session_id, dropped_in=2) == [4, 7, 9, 13]
    assert found(session_id, dropped_in=2, limit=1) == [4, 7, 9, 13]


def test_an_orphan_is_dropped_and_a_frame_that_came_later_is_not() -> None:
    steps: list[ImportStep] = [
        ImportedMessage(Message.of(reply("nothing called it"))),
        *(ImportedMessage(Message.of(m)) for m in (user("one"), says("two"), user("three"))),
        ImportedCompaction(frozenset([1, 3]), Message.of(user("sum"))),
        ImportedMessage(Message.of(says("four"))),
    ]
    engine.import_session(
        owner_id=make_user().pk, session_id="imported", history=lambda: iter(steps), strategy="import:test"
    )
    assert found("imported", dropped_in=1) == [1]


MIXED: list[Msg] = [
    system(),
    user(),
    *react_rounds(5),
    calls("x", name="grep"),
    reply("x", "no", is_error=True),
    says(),
]


@pytest.mark.usefixtures("scan_of_three")
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [({"role": "system"}, [1]), ({"tool": "grep"}, [13, 14]), ({"search": "fix the"}, [2]), ({"errors": True}, [14])],
    ids=str,
)
def test_what_lies_far_is_found_over_pages_that_may_be_empty(wanted: dict[str, Any], expected: list[int]) -> None:
    assert found(make_session(*MIXED), **wanted) == expected


@pytest.mark.usefixtures("scan_of_three")
@pytest.mark.parametrize("wanted", [{"role": "system"}, {"tool": "nothing"}, {"dropped_in": 1}], ids=str)
def test_a_filter_without_an_index_looks_through_some_frames_and_says_where_to_go_on(wanted: dict[str, Any]) -> None:
    page = frame_rows(make_session(*MIXED), last_seq=15, wanted=FrameFilter(**wanted))
    assert (page.items, page.previous_before_seq) == ((), 13)


@pytest.mark.usefixtures("scan_of_three")
@pytest.mark.parametrize("wanted", [{"errors": True}, {"errors": True, "tool": "grep"}, {"seqs": (3,)}], ids=str)
def test_a_filter_that_an_index_answers_finds_all_at_once(wanted: dict[str, Any]) -> None:
    session_id = make_session(*MIXED[:-3], calls("x", name="grep"), reply("x", is_error=True), *[says()] * 10)
    page = frame_rows(session_id, last_seq=24, wanted=FrameFilter(**wanted))
    assert len(page.items) == 1
    assert page.previous_before_seq is None


@pytest.mark.parametrize("wanted", [{"role": "tool"}, {"tool": "run"}, {"errors": True}, {"dropped_in": 1}], ids=str)
def test_a_filter_reads_no_message_but_the_beginnings_that_it_shows(wanted: dict[str, Any]) -> None:
    session_id = make_session(*MIXED)
    with CaptureQueriesContext(connection) as captured:
        frame_rows(session_id, last_seq=15, wanted=FrameFilter(**wanted))
    beginning = re.compile(r'SUBSTR(ING)?\("sessions_app_rawframe"."message", 1, 2000\)')
    of_frames = [q["sql"] for q in captured.captured_queries if 'FROM "sessions_app_rawframe"' in q["sql"]]
    assert of_frames
    assert not [sql for sql in of_frames if '"message"' in beginning.sub("", sql)]
