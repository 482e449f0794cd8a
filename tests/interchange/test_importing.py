"""A file becomes sessions, each whole or not at all, and a report that accounts for every record."""

from typing import Any

import pytest

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.interchange import Importer, Report, Source, UnknownFormat, import_file
from tests import builders as b
from tests.engine.snapshots import all_tables
from tests.interchange.samples import document, lines, of

pytestmark = pytest.mark.django_db

TALK = [b.system(), b.user("Fix it.\nSoon."), b.calls("c1"), b.reply("c1"), b.says()]


@pytest.fixture
def owner() -> User:
    return b.make_user("ann")


def take(owner: User, source: Source, **options: Any) -> Report:
    named = options.pop("named", None)
    return import_file(source, Importer(owner_id=owner.pk, created_by=owner.username, **options), named=named)


def test_a_file_becomes_a_session_that_is_named_after_its_first_request(owner: User) -> None:
    report = take(owner, document(TALK))
    (session,) = report.sessions
    record = engine.reads.session_record(session.session_id)
    assert (report.format, session.status, session.frames, session.versions) == ("openai-chat", "created", 5, 1)
    assert (record.title, record.labels) == ("Fix it.", ("openai-chat",))
    assert b.raw(session.session_id) == TALK
    assert (report.records.read, report.records.used, report.records.skipped) == (5, 5, 0)


def test_the_number_of_its_record_stands_beside_each_message(owner: User) -> None:
    (session,) = take(owner, document(TALK)).sessions
    frames = engine.reads.frames_between(session.session_id, 1, 9)
    assert [f.metadata for f in frames][1:] == [{"record": n} for n in range(2, 6)]


def test_the_first_message_says_by_what_its_owner_knows_the_session(owner: User) -> None:
    (session,) = take(owner, document({"session_id": "s1", "messages": TALK})).sessions
    assert engine.reads.frame(session.session_id, 1).metadata == {"record": 1, "session": "s1", "file": "sample"}


def test_a_message_without_a_time_has_that_of_the_one_before_it_and_the_first_that_of_the_next(owner: User) -> None:
    response = {"choices": [{"message": b.says("Hi")}]}
    log = {"messages": [b.user()], "response": response, "timestamp": "2025-05-01T10:00:00Z"}
    (session,) = take(owner, document(log)).sessions
    frames = engine.reads.frames_between(session.session_id, 1, 9)
    assert {f.created_at.isoformat() for f in frames} == {"2025-05-01T10:00:00+00:00"}
    assert [("time" in f.metadata) for f in frames] == [False, True]
    entry = engine.reads.ledger_entry(session.session_id, 1)
    assert entry is not None and entry.created_at == frames[0].created_at


def test_the_same_file_again_exists_and_writes_nothing(owner: User) -> None:
    first = take(owner, document(TALK))
    before = all_tables()
    second = take(owner, document(TALK))
    assert [s.status for s in second.sessions] == ["exists"]
    assert not second.has_news
    assert second.sessions[0].session_id == first.sessions[0].session_id
    assert all_tables() == before


def test_a_longer_file_of_the_same_session_extends_it(owner: User) -> None:
    take(owner, document({"session_id": "s1", "messages": TALK[:3]}))
    report = take(owner, document({"session_id": "s1", "messages": TALK}))
    assert [(s.status, s.frames) for s in report.sessions] == [("extended", 5)]


def test_another_history_under_the_same_id_is_another_session_with_a_label(owner: User) -> None:
    first = take(owner, document({"session_id": "s1", "messages": TALK}))
    other = document({"session_id": "s1", "messages": [*TALK[:2], b.says("Other.")]})
    second = take(owner, other)
    (session,) = second.sessions
    assert session.status == "created"
    assert session.session_id != first.sessions[0].session_id
    assert session.labels == engine.reads.session_record(session.session_id).labels == ("openai-chat", "diverged")
    assert [s.status for s in take(owner, other).sessions] == ["exists"]


def test_a_file_that_diverged_and_goes_on_extends_the_session_it_made(owner: User) -> None:
    def file(*messages: Any) -> Source:
        return document({"session_id": "s1", "messages": [*TALK[:2], *messages]})

    take(owner, file(b.says("One."), b.user("on"), b.says("Two.")))
    other = [b.says("Other."), b.user("on"), b.says("Two, otherwise.")]
    first = take(owner, file(*other[:1]))
    for length in (2, 3):
        report = take(owner, file(*other[:length]))
        assert [(s.session_id, s.status) for s in report.sessions] == [(first.sessions[0].session_id, "extended")]
    third = take(owner, file(*other[:2], b.says("Three.")))
    assert third.sessions[0].status == "created"
    assert take(owner, file(*other, b.user("more"))).sessions[0].session_id == first.sessions[0].session_id


def test_files_that_differ_in_their_compactions_only_are_two_sessions(owner: User) -> None:
    def event(number: int, source: str, text: str) -> dict[str, Any]:
        return {"id": number, "source": source, "action": "message", "args": {"content": text}}

    events = [event(0, "user", "a"), event(1, "agent", "b"), event(2, "user", "c")]
    forget = {"id": 3, "source": "agent", "action": "condensation"}
    plain = take(owner, document(events))
    reports = [
        take(owner, document([*events, {**forget, "args": {"forgotten_event_ids": [1], "summary": text}}]))
        for text in ("S", "T")
    ]
    assert len({r.sessions[0].session_id for r in (plain, *reports)}) == 3
    assert [r.sessions[0].versions for r in reports] == [2, 2]


def test_two_users_have_their_own(owner: User) -> None:
    first = take(owner, document({"session_id": "s1", "messages": TALK}))
    second = take(b.make_user("bob"), document({"session_id": "s1", "messages": TALK}))
    assert second.sessions[0].status == "created"
    assert second.sessions[0].session_id != first.sessions[0].session_id


def test_a_dry_run_tells_the_same_and_writes_nothing(owner: User) -> None:
    before = all_tables()
    would = take(owner, document(TALK), dry_run=True)
    assert all_tables() == before
    did = take(owner, document(TALK))
    assert would.sessions == did.sessions
    assert would.dry_run


def test_an_orphan_reply_is_counted(owner: User) -> None:
    report = take(owner, document([*TALK, b.reply("zz")]))
    assert [(s.what, s.count, s.first_line) for s in report.skipped] == [("orphan_reply", 1, 6)]
    assert report.records.skipped == 0


def test_a_message_that_is_not_valid_is_left_out_and_named(owner: User) -> None:
    report = take(owner, document([b.user(), {"role": "user", "content": 5}, b.says()]))
    assert [(s.what, s.count, s.first_line) for s in report.skipped] == [("message", 1, 2)]
    assert "content" in report.skipped[0].why
    assert report.sessions[0].frames == 2


def test_what_is_whole_of_a_torn_file_is_kept(owner: User) -> None:
    whole = "".join(f"{line}\n" for line in ('{"role":"user","content":"a"}', '{"role":"assistant","content":"b"}'))
    report = take(owner, of(whole + '{"role":"user","con'))
    assert report.sessions[0].frames == 2
    assert [(s.what, s.first_line) for s in report.skipped] == [("line", 3)]


@pytest.mark.parametrize("content", ["", "plain text", '{"some": "thing"}', "[1, 2]", b"PK\x03\x04", b"\x89PNG"])
def test_an_unknown_file_is_refused_with_the_formats_that_are_known(owner: User, content: Any) -> None:
    with pytest.raises(UnknownFormat) as refused:
        take(owner, of(content))
    assert "openai-chat" in refused.value.known
    assert "openai-chat" in str(refused.value)


@pytest.mark.parametrize(("content", "why"), [(b"\x1f\x8b\x08\0", "unpack it"), ('[{"role":', "known format")])
def test_what_an_unknown_file_is_is_said(owner: User, content: Any, why: str) -> None:
    with pytest.raises(UnknownFormat, match=why):
        take(owner, of(content))
    with pytest.raises(UnknownFormat, match="save it as UTF-8"):
        take(owner, of('[{"role": "user"}]'.encode("utf-16")))


def test_a_format_may_be_named(owner: User) -> None:
    assert take(owner, document(TALK), named="openai-chat").format == "openai-chat"
    with pytest.raises(engine.InvalidInput, match="telegram"):
        take(owner, document(TALK), named="telegram")
    with pytest.raises(UnknownFormat, match="not of the format openai-chat"):
        take(owner, of("text"), named="openai-chat")
    with pytest.raises(
        UnknownFormat, match=r"not of the format claude-code. It looks like OpenAI chat \(openai-chat\)"
    ):
        take(owner, document(TALK), named="claude-code")


def test_a_title_of_the_file_is_one_line_and_says_that_it_was_cut(owner: User) -> None:
    rows = [
        {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "message": b.user()},
        {"type": "ai-title", "aiTitle": "word " * 50 + "\nmore", "sessionId": "s"},
    ]
    (session,) = take(owner, lines(*rows)).sessions
    assert (len(session.title), session.title[-1]) == (200, "…")
    assert engine.reads.session_record(session.session_id).title == session.title


def test_hostile_names_become_titles_that_can_be_stored(owner: User) -> None:
    report = take(owner, lines(b.user("\ud800 \0 <script>alert(1)</script> " + "x" * 500), b.says()))
    title = engine.reads.session_record(report.sessions[0].session_id).title
    assert title.startswith("\ufffd \ufffd <script>")
    assert len(title) == 80


def test_many_messages_go_through_the_disk_and_arrive_whole(owner: User) -> None:
    messages = [b.user("x" * 20_000), b.says("y" * 20_000)] * 300
    report = take(owner, lines(*messages))
    assert report.sessions[0].frames == 600
    assert b.raw(report.sessions[0].session_id) == messages


def test_a_document_is_recognised_behind_a_record_that_is_longer_than_a_look(owner: User) -> None:
    long = b.user("x " * 600_000)
    for value in ([long, b.says()], {"tools": [], "messages": [long]}):
        assert take(owner, document(value)).format == "openai-chat"
