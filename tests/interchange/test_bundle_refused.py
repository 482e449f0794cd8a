"""A bundle is hostile input: it makes a session that this engine could have made, or none at all (docs/bundle.md)."""

import json
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.engine import commit
from sessions_app.interchange import Report, UnknownFormat, jsonreading
from sessions_app.models import Session
from tests import builders as b
from tests.engine.snapshots import all_tables
from tests.engine.strategies import fold
from tests.interchange import damage
from tests.interchange.bundles import (
    SESSIONS,
    append,
    bundle,
    in_the_order_of_its_file,
    nameless,
    take,
    text,
    values,
    working,
)
from tests.interchange.hostile import variants
from tests.interchange.test_real_files import check_windows

pytestmark = pytest.mark.django_db

Lines = list[dict[str, Any]]
Change = Callable[[Lines], object]


@pytest.fixture
def ann() -> User:
    return b.make_user("ann")


def refused(owner: User, content: bytes) -> Report:
    """Nothing is stored, and every line is named."""
    before = all_tables()
    report = take(owner, content)
    assert all_tables() == before
    assert report.sessions == ()
    assert report.records.used == 0
    assert sum(s.count for s in report.skipped) == report.records.read
    return report


def why(owner: User, content: bytes) -> str:
    report = refused(owner, content)
    assert report.skipped[0].what == "bundle"
    return report.skipped[0].why


def of(lines: Lines, type: str, /, **members: Any) -> dict[str, Any]:
    """The first line of a kind whose members are these."""
    return next(x for x in lines if x["type"] == type and all(x.get(k) == v for k, v in members.items()))


def windows(lines: Lines, version: int) -> Lines:
    return [x for x in lines if x["type"] == "context" and x["version"] == version]


def renumbered(lines: Lines, version: int) -> None:
    for n, line in enumerate(windows(lines, version), start=1):
        line["position"] = n
    of(lines, "version", version=version)["context_messages"] = len(windows(lines, version))


def gone(lines: Lines, which: Lines) -> Lines:
    for line in which:
        lines.remove(line)
    return which


def without(lines: Lines, *which: dict[str, Any]) -> Lines:
    """The messages of a window, and no sign that they were there."""
    for line in gone(lines, list(which)):
        renumbered(lines, line["version"])
    return list(which)


def moved_back(version: dict[str, Any]) -> None:
    """As if it had been made one frame earlier."""
    version["from"]["next_msg_seq"] -= 1
    version["fates"]["kept"] -= 1


# The session of `working`: 27 frames. 15 calls x and y, 16 answers y, 17 recovers x, 18 is its late reply in its place;
# 25 to 27 are a request, two calls, and the reply to one. Version 2 was made before frame 15, version 3 before 25.
CHANGES: dict[str, tuple[Change, str]] = {
    "a frame is missing": (lambda x: x.remove(of(x, "frame", seq=9)), "26 of its 27 frames"),
    "the last frame is missing": (lambda x: x.remove(of(x, "frame", seq=27)), "26 of its 27 frames"),
    "a frame stands twice": (lambda x: x.insert(9, of(x, "frame", seq=9)), "28 of its 27 frames"),
    "a gap in seq": (lambda x: of(x, "frame", seq=27).update(seq=28), "frame 27 is missing: 28"),
    "two frames in another order": (lambda x: x.insert(5, x.pop(6)), "frame 5 is missing: 6"),
    "a frame after the versions": (lambda x: x.insert(29, x.pop(27)), "the frames come first"),
    "a version after the windows": (lambda x: x.insert(33, x.pop(30)), "under version 3"),
    "a version is missing": (lambda x: x.remove(of(x, "version", version=2)), "2 of its 3 versions"),
    "two versions in another order": (lambda x: x.insert(29, x.pop(30)), "version 2 is missing: 3"),
    "more frames are promised": (lambda x: x[0].update(next_msg_seq=29), "27 of its 28 frames"),
    "another format": (lambda x: x[0].update(bundle_version=2), "no session-engine-bundle of version 1"),
    "a later version as a number of another type": (lambda x: x[0].update(bundle_version="1"), "of version 1"),
    "no kind": (lambda x: x[3].pop("type"), "line 4 is none of the lines of a bundle"),
    "an unknown kind": (lambda x: x[3].update(type="note"), "line 4 is none of the lines of a bundle"),
    "an unknown member": (lambda x: x[3].update(tokens=5), "line 4 is not valid: /tokens"),
    "a missing member": (lambda x: x[3].pop("metadata"), "line 4 is not valid: /metadata"),
    "an owner": (lambda x: x[0].update(owner=1), "line 1 is not valid: /owner"),
    "a session id that none may have": (lambda x: x[0].update(session_id="a/b"), "session_id"),
    "no session id": (lambda x: x[0].update(session_id=""), "session_id"),
    "a long title": (lambda x: x[0].update(title="x" * 201), "/title"),
    "NUL in the title": (lambda x: x[0].update(title="\0"), "/title"),
    "a lone surrogate in the title": (lambda x: x[0].update(title="\ud800"), "/title"),
    "a label twice": (lambda x: x[0].update(labels=["a", "a"]), "/labels/1"),
    "too many labels": (lambda x: x[0].update(labels=[str(n) for n in range(21)]), "/labels"),
    "an unknown strategy in the policy": (lambda x: x[0].update(compression_policy={"strategy": "x"}), "/strategy"),
    "a policy that is none": (lambda x: x[0].update(compression_policy=[]), "/compression_policy"),
    "a guard that says nothing": (lambda x: x[0].update(automatic_compression={}), "/counted_after"),
    "a guard that is none": (lambda x: x[0].update(automatic_compression=None), "/automatic_compression"),
    "NUL in a guard": (
        lambda x: x[0].update(automatic_compression={"stopped": "\0", "counted_after": 2}),
        "/automatic_compression/stopped",
    ),
    "a truth that is a number": (lambda x: x[0].update(require_head=0), "/require_head"),
    # --- Frames
    "a message that is none": (lambda x: x[5]["message"].update(role="nobody"), "line 6 is not valid: /message/role"),
    "a message without content": (lambda x: x[2]["message"].pop("content"), "line 3 is not valid: /message/content"),
    "an unknown source": (lambda x: x[5].update(source="god"), "/source"),
    "metadata that is no object": (lambda x: x[5].update(metadata=[]), "/metadata"),
    "a time that is none": (lambda x: x[5].update(created_at="yesterday"), "/created_at"),
    "a time out of reach": (lambda x: x[5].update(created_at="9999-12-31T23:59:59Z"), "/created_at"),
    "a reply to nothing": (lambda x: x[4]["message"].update(tool_call_id="zz"), "frame 4/tool_call_id"),
    "a reply without its source": (lambda x: of(x, "frame", seq=18).update(source="recovery"), "frame 18"),
    "a recovery that was none": (lambda x: of(x, "frame", seq=17).update(source="agent"), "frame 18"),
    "a recovery that says otherwise": (lambda x: of(x, "frame", seq=1).update(source="recovery"), "frame 1"),
    "a user speaks while calls are open": (
        lambda x: of(x, "frame", seq=4).update(message=b.user()),
        "frame 4/role: only tool replies are taken",
    ),
    "an orphan that no import brought": (
        lambda x: of(x, "frame", seq=27)["message"].update(tool_call_id="nobody"),
        "frame 27/tool_call_id",
    ),
    "a frame of a version to come": (lambda x: of(x, "frame", seq=3).update(context_version=3), "frame 3"),
    "a frame of a version gone by": (lambda x: of(x, "frame", seq=20).update(context_version=1), "frame 20"),
    "a frame of a version that is not": (lambda x: of(x, "frame", seq=27).update(context_version=4), "frame 27"),
    "frames of no version": (
        lambda x: [f.update(context_version=2) for f in x if f["type"] == "frame" and f["seq"] < 15],
        "frame 1 cannot have been written under version 2",
    ),
    # --- The ledger
    "a version from later": (lambda x: of(x, "version", version=2)["from"].update(next_msg_seq=99), "before frame 99"),
    "a version from another place": (
        lambda x: moved_back(of(x, "version", version=3)),
        "frame 24 was written under version 3, and does not say so",
    ),
    "version 1 from later": (lambda x: of(x, "version", version=1)["from"].update(next_msg_seq=2), "version 1"),
    "from another version": (
        lambda x: of(x, "version", version=3)["from"].update(context_compression_version=1),
        "version 3 was made from version 2, not from 1",
    ),
    "version 1 by itself": (lambda x: of(x, "version", version=1).update(automatic=True), "version 1 is made by"),
    "a version by itself, as a number": (lambda x: of(x, "version", version=2).update(automatic=1), "/automatic"),
    "version 1 by a strategy": (lambda x: of(x, "version", version=1).update(strategy="digest"), "no strategy"),
    "a version by no strategy": (lambda x: of(x, "version", version=2).update(strategy=None), "its strategy"),
    "a strategy with a long name": (lambda x: of(x, "version", version=2).update(strategy="x" * 101), "/strategy"),
    "NUL in a reason": (lambda x: of(x, "version", version=2).update(why="\0"), "/why"),
    "NUL in a name": (lambda x: of(x, "version", version=2).update(created_by="a\0"), "/created_by"),
    "a long name": (lambda x: of(x, "version", version=2).update(created_by="x" * 201), "/created_by"),
    "a count that no database holds": (lambda x: of(x, "version", version=2)["before"].update(tokens=2**63), "/tokens"),
    "a negative count": (lambda x: of(x, "version", version=2)["after"].update(tokens=-1), "/tokens"),
    "a duration that no database holds": (lambda x: of(x, "version", version=2).update(duration_ms=2**31), "/duration"),
    "more fates than frames": (lambda x: of(x, "version", version=2)["fates"].update(dropped=1), "fates of version 2"),
    "other fates": (
        lambda x: of(x, "version", version=2)["fates"].update(
            kept=of(x, "version", version=2)["fates"]["kept"] - 1, dropped=1
        ),
        "the fates in the ledger are not those",
    ),
    "another length": (lambda x: of(x, "version", version=2)["after"].update(messages=1), "the ledger says otherwise"),
    "a fate that is none": (lambda x: of(x, "version", version=2)["fates"].update(lost=0), "/fates/lost"),
    # --- Windows
    "a kept window is missing": (lambda x: gone(x, windows(x, 2)), "window of version 2 is missing"),
    "the current window is missing": (lambda x: gone(x, windows(x, 3)), "window of version 3 is missing"),
    "the current window is not kept": (
        lambda x: gone(x, windows(x, 3)) and of(x, "version", version=3).update(context_messages=None),
        "window of version 3 is missing",
    ),
    "the current window is empty": (
        lambda x: gone(x, windows(x, 3)) and of(x, "version", version=3).update(context_messages=0),
        "do not stand in it",
    ),
    "a window that is not kept": (lambda x: of(x, "version", version=2).update(context_messages=None), "of None"),
    "a window of no version": (lambda x: [c.update(version=4) for c in windows(x, 3)], "out of its order"),
    "a window out of order": (lambda x: x.append(x.pop(x.index(windows(x, 1)[0]))), "the window of version 1"),
    "windows in another order": (
        lambda x: x.extend([x.pop(x.index(c)) for c in windows(x, 2)]),
        "the window of version 2 is missing",
    ),
    "a message of a window is missing": (lambda x: x.remove(windows(x, 2)[4]), "message 5 is missing"),
    "the last message of a window is missing": (lambda x: x.remove(windows(x, 3)[-1]), "messages are there of"),
    "a window does not begin at 1": (lambda x: [c.update(position=c["position"] + 1) for c in windows(x, 2)], "1 is"),
    "a message of a window that says less": (lambda x: without(x, windows(x, 1)[-1]), "do not stand in it"),
    "an unknown kind of message": (lambda x: windows(x, 2)[0].update(kind="other"), "/kind"),
    "an original with a text": (lambda x: windows(x, 1)[0].update(message=b.user()), "is not valid"),
    "a summary without a text": (lambda x: of(x, "context", kind="summary").pop("message"), "is not valid"),
    "a summary that is no message": (lambda x: of(x, "context", kind="summary").update(message={}), "/message/role"),
    "a summary by another than the user": (
        lambda x: of(x, "context", kind="summary").update(message=b.says("I said so")),
        "a summary must have the role user",
    ),
    "an empty summary": (lambda x: of(x, "context", kind="summary").update(message=b.user(" ")), "message is empty"),
    "an original of no frame": (lambda x: windows(x, 1)[0].update(original_seqs=[[99, 99]]), "that there are not"),
    "an original of several frames": (lambda x: windows(x, 1)[0].update(original_seqs=[[1, 2]]), "1-2 is the number"),
    "an original of a late reply": (lambda x: windows(x, 3)[-1].update(original_seqs=[[18, 18]]), "18 is the number"),
    "no frames": (lambda x: windows(x, 1)[0].update(original_seqs=[]), "/original_seqs"),
    "half a range": (lambda x: windows(x, 1)[0].update(original_seqs=[[1]]), "/original_seqs"),
    "a range backwards": (lambda x: of(x, "context", kind="summary").update(original_seqs=[[4, 3]]), "ascending"),
    "ranges that touch": (lambda x: of(x, "context", kind="summary").update(original_seqs=[[3, 4], [5, 6]]), "apart"),
    "a range to the end of the world": (
        lambda x: of(x, "context", kind="summary").update(original_seqs=[[3, 2**63 - 1]]),
        "stands for frames that there are not",
    ),
    "a frame for two messages": (
        lambda x: of(x, "context", kind="summary")["original_seqs"].__setitem__(-1, [4, 20]),
        "the window of version 3",
    ),
    "a summary of what came later": (
        lambda x: of(x, "context", kind="summary").update(original_seqs=[[3, 25]]),
        "stands for frames that came later",
    ),
    "messages in another order": (
        lambda x: [c.update(original_seqs=[[n, n]]) for c, n in zip(windows(x, 2)[:2], (2, 1), strict=True)],
        "in the order of the smallest of their frames",
    ),
    "a reply without its call": (
        lambda x: without(x, of(x, "context", version=2, original_seqs=[[3, 3]])),
        "version 2",
    ),
    "a call without its reply": (
        lambda x: without(x, of(x, "context", version=3, original_seqs=[[23, 23]])),
        "version 3",
    ),
    "no open calls": (lambda x: without(x, *windows(x, 3)[-2:]), "do not stand in it"),
    "a late reply somewhere else": (
        lambda x: of(x, "context", version=2, original_seqs=[[17, 18]]).update(original_seqs=[[18, 18]]),
        "do not stand in it",
    ),
    "a late reply that says otherwise": (
        lambda x: of(x, "context", version=2, original_seqs=[[17, 18]])["message"].update(content="no"),
        "do not stand in it",
    ),
    "a recovery message that was never replaced": (
        lambda x: [
            c.update(kind="original", original_seqs=[[17, 17]], message=None) or c.pop("message")
            for c in windows(x, 2)
            if c["original_seqs"] == [[17, 18]]
        ],
        "do not stand in it",
    ),
    "two sessions in one": (lambda x: x.insert(20, deepcopy(x[0])), "of its 27 frames"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_no_engine_could_have_made_is_refused_and_said(ann: User, name: str) -> None:
    session_id = working(ann, session_id="s")
    lines = values(bundle(session_id))
    engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
    change, said = CHANGES[name]
    change(lines)
    assert said in why(ann, text(lines))


OPEN: dict[str, tuple[Change, str]] = {
    "the open group is dropped": (
        lambda x: without(x, *windows(x, 2)[-2:]),
        "the message of the open calls does not stand last of its kind",
    ),
    "the open group is summed up": (
        lambda x: (
            windows(x, 2)[-2].update(kind="summary", original_seqs=[[11, 12]], message=b.user("all of it"))
            or without(x, windows(x, 2)[-1])
        ),
        "the message of the open calls does not stand last of its kind",
    ),
    "the open call is taken back": (
        lambda x: windows(x, 2)[-2].update(kind="edited", message=b.calls("b")),
        "its open calls are others than those of the session",
    ),
    "an answered call is open": (lambda x: without(x, windows(x, 2)[-1]), "a call stands without its reply"),
    "nobody has called": (
        lambda x: [c.update(kind="edited", message=b.user()) for c in windows(x, 2)] and without(x, *windows(x, 2)[1:]),
        "the message of the open calls does not stand last of its kind",
    ),
}


@pytest.mark.parametrize("name", OPEN)
def test_a_window_that_was_made_while_calls_were_open_holds_them(ann: User, name: str) -> None:
    session_id = b.make_session(b.user(), *b.react_rounds(4), b.says(), b.calls("a", "b"), b.reply("b"), owner=ann)
    fold(session_id)
    lines = values(bundle(session_id))
    assert [s.status for s in take(b.make_user(), text(lines)).sessions] == ["created"]
    change, said = OPEN[name]
    change(lines)
    entry, items = of(lines, "version", version=2), windows(lines, 2)
    entry["after"]["messages"] = len(items)
    assert said in why(b.make_user(), text(lines))


def swapped(lines: Lines, version: int) -> None:
    """The first two calls of a window with their replies, each in the place of the other."""
    shown = windows(lines, version)
    at = next(n for n, c in enumerate(shown) if c["kind"] == "original" and c["original_seqs"] == [[9, 9]])
    for here, there in ((at, at + 2), (at + 1, at + 3)):
        for member in ("kind", "original_seqs", "message"):
            a, b = shown[here].pop(member, None), shown[there].pop(member, None)
            shown[here] |= {} if b is None else {member: b}
            shown[there] |= {} if a is None else {member: a}


# Version 2 is imported in the order of its file, 3 and 4 are made from it, 5 is version 3 again.
ORDERS: dict[str, Change] = {
    "an import that does not say so": lambda x: of(x, "version", version=2)["params"].pop("order"),
    "what was not imported": lambda x: of(x, "version", version=2).update(
        strategy="digest", requested_strategy="digest"
    ),
    "a strategy that moved messages": lambda x: swapped(x, 3),
    "version 1 as it was restored": lambda x: of(x, "version", version=5).update(params={"version": 1}),
}


@pytest.mark.parametrize("name", ORDERS)
def test_only_what_a_file_brought_in_another_order_may_stand_so(ann: User, name: str) -> None:
    lines = values(bundle(in_the_order_of_its_file(ann)))
    ORDERS[name](lines)
    assert "in the order of the smallest of their frames" in why(b.make_user(), text(lines))


def test_the_bundle_that_these_are_made_of_is_not_refused(ann: User) -> None:
    assert [s.status for s in take(b.make_user(), bundle(working(ann, session_id="s"))).sessions] == ["created"]


RAW: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "torn": (lambda c: c[: c.rindex(b'"original_seqs"')], "is cut off: the file ends in the middle of it"),
    "a line in two": (lambda c: c.replace(b'"source"', b'"so\nurce"', 1), "line 2 is no JSON"),
    "NaN": (lambda c: c.replace(b'"metadata":{}', b'"metadata":{"x":NaN}', 1), "NaN is no JSON"),
    "a number beyond double": (lambda c: c.replace(b'"metadata":{}', b'"metadata":{"x":1e999}', 1), "IEEE double"),
    "a huge integer": (lambda c: c.replace(b'"metadata":{}', b'"metadata":{"x":' + b"9" * 4301 + b"}", 1), "4,300"),
    "a member twice": (lambda c: c.replace(b'"seq":3,', b'"seq":3,"seq":3,', 1), "stands twice"),
    "no UTF-8": (lambda c: c.replace(b"careful", b"care\xffful", 1), "line 2 is no UTF-8"),
    "depth": (lambda c: c.replace(b'"metadata":{}', b'"metadata":{"x":' + b"[" * 999 + b"]" * 999 + b"}", 1), "deep"),
    "great depth": (lambda c: c.replace(b'"seq":3', b'"seq":' + b"[" * 200_000, 1), "deep"),
    "a deep message": (
        lambda c: c.replace(b'"content":', b'"x":' + b"[" * 130 + b"]" * 130 + b',"content":', 1),
        "nested over 128 levels",
    ),
    "something else before the end": (lambda c: c + b"[1]\n", "is none of the lines of a bundle"),
    "a text at the end": (lambda c: c + b"the end\n", "is no JSON that every reader reads alike"),
}


@pytest.mark.parametrize("name", RAW)
def test_a_file_that_readers_would_read_differently_is_refused(ann: User, name: str) -> None:
    content = bundle(working(ann, session_id="s"))
    change, said = RAW[name]
    assert change(content) != content
    assert said in why(b.make_user(), change(content))


def test_a_line_that_is_too_long_to_be_held_is_refused(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    content = bundle(b.make_session(b.user(), b.says("x" * 5000), owner=ann))
    monkeypatch.setattr(jsonreading.lines, "LONGEST_LINE", 4000)
    assert "line 3 is longer than" in why(b.make_user(), content)


def test_a_bundle_that_ends_too_early_is_not_stored_wherever_it_ends(ann: User) -> None:
    content = bundle(working(ann))
    owner = b.make_user()
    before = all_tables()
    for length in [*range(1, len(content) - 1, 97), content.rindex(b"\n", 0, -1) + 1]:
        try:
            report = take(owner, content[:length])
        except UnknownFormat:  # within the first line
            assert length < content.index(b"\n") + 1
            continue
        assert report.sessions == (), length
        assert report.skipped[0].what == "bundle"
    assert all_tables() == before


def test_one_byte_that_fell_makes_another_session_or_none_but_never_half_of_one(ann: User) -> None:
    owner = b.make_user()
    for name in ("compressed", "late as notes", "imported"):
        for spoilt in damage.flips(bundle(SESSIONS[name](ann)), 60, seed=len(name)):
            try:
                report = take(owner, spoilt)
            except UnknownFormat:
                continue
            check_all(report)


def check_all(report: Report) -> None:
    for session in report.sessions:
        state = engine.reads.session_state(session.session_id)
        assert state.frame_count == session.frames
        check_windows(state)
        assert take_again(session.session_id)


def take_again(session_id: str) -> bool:
    """What was let in can be let in elsewhere."""
    content = bundle(session_id)
    (made,) = take(b.make_user(), content).sessions
    return nameless(bundle(made.session_id)) == nameless(content)


@pytest.mark.slow
@pytest.mark.parametrize("line", [0, 2, 4, 17, 18, 28, 29, 45, 60, 70])
def test_any_value_in_any_place_is_taken_or_refused_but_never_raises(ann: User, line: int) -> None:
    lines = values(bundle(working(ann)))
    owner = b.make_user()
    for variant in variants(lines[line]):
        if isinstance(variant, dict):
            changed = [*lines[:line], variant, *lines[line + 1 :]]
            try:
                report = take(owner, text(changed), dry_run=True)
            except UnknownFormat:
                assert line == 0
                continue
            assert report.records.read == report.records.used + report.records.skipped
    assert not Session.objects.filter(owner=owner).exists()


def test_what_a_model_or_a_strategy_said_may_be_anything(ann: User) -> None:
    lines = values(bundle(working(ann)))
    of(lines, "context", kind="summary")["message"]["content"] = "\0 \ud800 another summary"
    of(lines, "version", version=3).update(params={"x": ["\0", 10**50]}, usage={"a": -1.5}, why="why not")
    (made,) = take(b.make_user(), text(lines)).sessions
    assert take_again(made.session_id)
    summary = next(i for i in engine.reads.current_window(made.session_id).window if i.kind == "summary")
    assert summary.message.body == "\0 \ud800 another summary"
    assert summary.tokens == summary.message.count_tokens()


def test_nothing_is_stored_where_the_database_fails_in_the_middle(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    content = bundle(working(ann))
    owner = b.make_user()
    before = all_tables()

    def fails(*_args: Any) -> Any:
        raise RuntimeError("in the middle")

    monkeypatch.setattr(commit, "_context_row", fails)
    with pytest.raises(RuntimeError, match="in the middle"):
        take(owner, content)
    assert all_tables() == before


def test_many_replies_that_match_nothing_do_not_take_for_ever(ann: User) -> None:
    """Each is held against all calls that still await their reply."""
    rounds = 1500
    lines: Lines = [b.calls(f"c{n}") for n in range(rounds)]
    session_id = b.make_session(owner=ann)
    engine.append(session_id=session_id, messages=lines[:1000], recover=True)
    engine.append(session_id=session_id, messages=lines[1000:], recover=True)
    append(session_id, b.user(), recover=True)
    began = time.monotonic()
    assert take_again(session_id)
    assert time.monotonic() - began < 30


def test_a_bundle_within_a_document_is_no_bundle(ann: User) -> None:
    with pytest.raises(UnknownFormat):
        take(ann, json.dumps(values(bundle(working(ann)))).encode())
