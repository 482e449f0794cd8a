"""A bundle makes an equal session, under its own id or one that follows from it (docs/bundle.md)."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.compression import parse_params, strategies
from sessions_app.interchange import Importer, copies, import_file
from sessions_app.models import RawFrame
from tests import builders as b
from tests.api.test_fidelity import any_members, any_text
from tests.api.threads import at_once
from tests.compression.params import pressed
from tests.engine.copies import everything
from tests.engine.snapshots import all_tables
from tests.engine.strategies import fold
from tests.interchange.bundles import SESSIONS, append, bundle, nameless, take, text, values, working
from tests.interchange.samples import real, real_files
from tests.interchange.test_real_files import files

Step = Callable[..., engine.Written]

pytestmark = pytest.mark.django_db
EACH = pytest.mark.parametrize("name", SESSIONS)


@pytest.fixture
def ann() -> User:
    return b.make_user("ann")


@pytest.fixture
def bob() -> User:
    return b.make_user("bob")


@EACH
def test_what_it_makes_is_equal_in_every_row_and_gives_the_same_bundle(ann: User, bob: User, name: str) -> None:
    session_id = SESSIONS[name](ann)
    content = bundle(session_id)
    report = take(bob, content)
    assert (report.format, report.skipped) == ("bundle", ())
    (made,) = report.sessions
    state = engine.reads.session_state(session_id)
    assert (made.status, made.frames, made.versions) == (
        "created",
        state.frame_count,
        state.context_compression_version,
    )
    assert everything(made.session_id) == everything(session_id)
    assert nameless(bundle(made.session_id)) == nameless(content)


def test_the_fate_strip_is_no_part_of_a_bundle_and_follows_from_it(ann: User, bob: User) -> None:
    session_id = working(ann)
    content = bundle(session_id)
    assert b"bins" not in content
    (made,) = take(bob, content).sessions
    for version in (1, 2, 3):
        strips = [engine.reads.strip(engine.reads.session_state(i), version) for i in (session_id, made.session_id)]
        assert strips[0] is not None and strips[0] == strips[1]


@EACH
def test_where_its_id_is_free_the_bundle_is_the_same_to_the_byte(ann: User, bob: User, name: str) -> None:
    session_id = SESSIONS[name](ann)
    content = bundle(session_id)
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    assert [s.session_id for s in take(bob, content).sessions] == [session_id]
    assert bundle(session_id) == content
    assert engine.reads.session_state(session_id).owner_id == bob.pk


@given(members=any_members, content=any_text, call_id=any_text.filter(bool), meta=any_members)
@settings(max_examples=40)
def test_any_text_and_any_member_is_equal_after_a_bundle(members: Any, content: str, call_id: str, meta: Any) -> None:
    asks = {**members, "role": "assistant", "tool_calls": [b.call(call_id, name=content or "x", arguments=content)]}
    messages = [{"role": "user", "content": content, **members}, asks, b.user(content)]
    session_id = b.make_session()
    append(session_id, *messages, recover=True, metadata=[meta] * 3)
    append(session_id, {**members, **b.reply(call_id, content)})
    fold_if_it_can(session_id)
    content_of = bundle(session_id)
    (made,) = take(b.make_user(), content_of).sessions
    assert everything(made.session_id) == everything(session_id)
    assert nameless(bundle(made.session_id)) == nameless(content_of)


def fold_if_it_can(session_id: str) -> None:
    with suppress(engine.NothingToCompress, engine.RuleBroken):
        fold(session_id, keep=0)


@EACH
def test_the_copy_goes_on_as_the_session_does(ann: User, bob: User, name: str) -> None:
    session_id = SESSIONS[name](ann)
    (made,) = take(bob, bundle(session_id)).sessions
    for step in steps_of(session_id):
        outcomes = [outcome(step, one) for one in (session_id, made.session_id)]
        assert outcomes[0] == outcomes[1]
    one, other = (everything(i, but_times=True) for i in (session_id, made.session_id))
    assert one == other


def steps_of(session_id: str) -> list[Step]:
    """All that may be done to a session, in an order in which one leads to the next."""
    state = engine.reads.session_state(session_id)
    awaited = [*(c.id for c in state.open_calls), *(c.id for c in state.recovered_calls)]
    steps: list[Step] = [partial(append_to, b.reply(i, "a reply at last")) for i in awaited[1:]]
    steps += [engine.recover, *(partial(append_to, b.reply(i, "later still")) for i in awaited[:1])]
    steps += [partial(append_to, b.calls("n1", "n2")), partial(append_to, b.user("and on"), recover=True)]
    steps += [partial(append_to, b.reply("n1", "late")), partial(append_to, *b.react_rounds(5, start=70, size=2000))]
    for strategy in strategies():
        params = parse_params(strategy, pressed(strategy.name, 1))
        steps.append(partial(engine.compress, strategy=strategy, params=params))
        steps.append(partial(append_to, *b.react_rounds(5, start=80, size=2000)))
    steps += [partial(engine.restore, version=version) for version in range(1, state.context_compression_version + 2)]
    return steps


def append_to(*messages: Any, session_id: str, **options: Any) -> engine.Written:
    return append(session_id, *messages, **options)


def outcome(step: Step, session_id: str) -> Any:
    try:
        written = step(session_id=session_id)
    except engine.EngineError as e:
        return type(e), str(e)
    return [f.message for f in written.frames], written.context


# --- Under which id --------------------------------------------------------------------------------


def test_a_bundle_of_ones_own_session_exists_while_it_is_equal(ann: User) -> None:
    content = bundle(working(ann, session_id="s:1"))
    before = all_tables()
    report = take(ann, content)
    assert [(s.session_id, s.status) for s in report.sessions] == [("s:1", "exists")]
    assert not report.has_news
    assert all_tables() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda: append("s", b.user(), recover=True),
        lambda: engine.restore(session_id="s", version=1),
        lambda: engine.change(session_id="s", title="other"),
        lambda: engine.change(session_id="s", labels=["other"]),
        lambda: engine.change(session_id="s", require_head=True),
        lambda: engine.change(session_id="s", keep_context_history=False),
        lambda: RawFrame.objects.filter(session_id="s", seq=2).update(metadata='{"a":1}'),
        lambda: RawFrame.objects.filter(session_id="s", seq=2).update(message="damaged"),
    ],
)
def test_one_that_is_no_longer_equal_makes_another_session_and_that_one_exists_the_next_time(
    ann: User, change: Callable[[], object]
) -> None:
    content = bundle(working(ann, session_id="s"))
    change()
    (made,) = take(ann, content).sessions
    assert (made.status, made.session_id != "s") == ("created", True)
    assert UUID(made.session_id).version == 5
    assert nameless(bundle(made.session_id)) == nameless(content)
    (again,) = take(ann, content).sessions
    assert (again.session_id, again.status) == (made.session_id, "exists")


def test_a_copy_that_was_gone_on_with_leads_to_the_next(ann: User) -> None:
    content = bundle(working(ann, session_id="s"))
    taken = {"s"}
    for n in range(3):
        for session_id in taken:
            append(session_id, b.user(f"on {n}"), recover=True)
        (made,) = take(ann, content).sessions
        assert made.status == "created" and made.session_id not in taken
        taken.add(made.session_id)


def test_an_id_that_is_anothers_is_not_taken(ann: User, bob: User) -> None:
    content = bundle(working(ann, session_id="s"))
    (made,) = take(bob, content).sessions
    assert (made.status, made.session_id != "s") == ("created", True)
    assert engine.reads.session_state(made.session_id).owner_id == bob.pk
    assert [s.status for s in take(bob, content).sessions] == ["exists"]
    assert engine.reads.session_state("s").owner_id == ann.pk
    carl = take(b.make_user(), content).sessions[0].session_id
    assert carl not in ("s", made.session_id)


def test_the_copy_of_a_deleted_session_is_another_incarnation(ann: User) -> None:
    content = bundle(working(ann, session_id="s"))
    old = engine.delete(session_id="s", expected=engine.ANY_HEAD).head
    take(ann, content)
    with pytest.raises(engine.StaleHead):
        append("s", b.user(), expected=old)


def test_where_every_id_is_taken_it_says_so(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "COPIES", 1)
    content = bundle(working(ann, session_id="s"))
    append("s", b.user(), recover=True)
    (made,) = take(ann, content).sessions
    append(made.session_id, b.user(), recover=True)
    before = all_tables()
    with pytest.raises(engine.SessionExists) as refused:
        take(ann, content)
    assert refused.value.session_id == made.session_id
    assert all_tables() == before


@pytest.mark.django_db(transaction=True)
def test_of_several_who_import_one_bundle_at_once_one_makes_the_session(ann: User) -> None:
    content = bundle(working(ann, session_id="s"))
    engine.delete(session_id="s", expected=engine.ANY_HEAD)
    made = [s for report in at_once(4, lambda _: take(ann, content)) for s in report.sessions]
    assert sorted(s.status for s in made) == ["created", "exists", "exists", "exists"]
    assert {s.session_id for s in made} == {"s"}
    assert bundle("s") == content


@pytest.mark.django_db(transaction=True)
def test_of_several_who_import_it_for_themselves_each_has_its_own(ann: User) -> None:
    content = bundle(working(ann, session_id="s"))
    engine.delete(session_id="s", expected=engine.ANY_HEAD)
    owners = [b.make_user() for _ in range(4)]
    made = [s for report in at_once(4, lambda n: take(owners[n], content)) for s in report.sessions]
    assert [s.status for s in made] == ["created"] * 4
    assert len({s.session_id for s in made}) == 4 and "s" in {s.session_id for s in made}
    assert {engine.reads.session_state(s.session_id).owner_id for s in made} == {o.pk for o in owners}


def test_a_dry_run_tells_the_same_and_writes_nothing(ann: User, bob: User) -> None:
    content = bundle(working(ann))
    before = all_tables()
    would = take(bob, content, dry_run=True)
    assert all_tables() == before
    did = take(bob, content)
    assert would.sessions == did.sessions
    assert take(bob, content, dry_run=True).sessions[0].status == "exists"


def test_several_bundles_may_follow_each_other_in_one_file(ann: User, bob: User) -> None:
    contents = [bundle(SESSIONS[name](ann)) for name in ("empty", "compressed", "imported")]
    report = take(bob, b"\n".join(contents))
    assert [s.status for s in report.sessions] == ["created"] * 3
    assert [nameless(bundle(s.session_id)) for s in report.sessions] == [nameless(c) for c in contents]
    assert (report.skipped, report.records.skipped) == ((), 0)
    assert [s.status for s in take(bob, b"".join(contents)).sessions] == ["exists"] * 3


def test_of_several_bundles_a_damaged_one_is_left_out_and_named(ann: User, bob: User) -> None:
    one, two, three = (bundle(SESSIONS[name](ann)) for name in ("one message", "compressed", "imported"))
    report = take(bob, one + two.replace(b'"seq":5', b'"seq":6') + three)
    assert [nameless(bundle(s.session_id)) for s in report.sessions] == [nameless(one), nameless(three)]
    first = one.count(b"\n") + 1
    assert [(s.what, s.count, s.first_line) for s in report.skipped] == [
        ("bundle", 1, first),
        ("line", two.count(b"\n") - 1, first + 1),
    ]
    assert "frame 5 is missing" in report.skipped[0].why
    assert report.records.read == report.records.used + report.records.skipped
    assert report.records.skipped == two.count(b"\n")


@pytest.mark.parametrize("spelling", ["indented", "other order", "ascii", "a byte order mark", "another time zone"])
def test_another_spelling_of_the_same_values_makes_the_same_session(ann: User, bob: User, spelling: str) -> None:
    content = bundle(SESSIONS["strange"](ann))
    lines = values(content)
    if spelling == "other order":
        lines = [dict(reversed(line.items())) for line in lines]
    elif spelling == "another time zone":
        lines = [{**x, "created_at": x["created_at"].replace("Z", "+00:00")} if "created_at" in x else x for x in lines]
    spelt = text(lines)
    if spelling == "indented":
        spelt = b"\r\n\r\n".join(b" " + line + b"\t" for line in spelt.splitlines())
    if spelling == "a byte order mark":
        spelt = b"\xef\xbb\xbf" + spelt
    (made,) = take(bob, spelt).sessions
    assert nameless(bundle(made.session_id)) == nameless(content)
    assert [s.status for s in take(bob, content).sessions] == ["exists"]


@real_files
@pytest.mark.parametrize("name", files())
def test_what_a_real_file_became_is_equal_after_a_bundle(ann: User, bob: User, name: str) -> None:
    for session in import_file(real(name), Importer(owner_id=ann.pk)).sessions[:20]:
        content = bundle(session.session_id)
        (made,) = take(bob, content).sessions
        assert everything(made.session_id) == everything(session.session_id)
