"""Sessions of every kind that there can be, and what it takes to move them as bundles."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from sessions_app import compression, engine
from sessions_app.access.models import User
from sessions_app.compression import find, parse_params, strategies
from sessions_app.compression.policy import parse_policy
from sessions_app.engine import ImportedCompaction, ImportedMessage, ImportStep, Message
from sessions_app.interchange import Importer, Report, Source, export_session, import_file
from tests import builders as b
from tests.api.test_fidelity import STRANGE
from tests.compression.params import pressed
from tests.engine.strategies import fold

Made = Callable[[User], str]
LONG_TEXT = "[2026-11-30] " + "line of the log " * 40


def bundle(session_id: str, kind: Any = "bundle") -> bytes:
    export = export_session(engine.reads.session_state(session_id), kind)
    with export.file:
        return export.file.read()


def values(content: bytes) -> list[Any]:
    return [json.loads(line) for line in content.splitlines()]


def text(lines: list[Any]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def take(owner: User, content: bytes, **options: Any) -> Report:
    return import_file(Source(io.BytesIO(content)), Importer(owner_id=owner.pk, **options))


def nameless(content: bytes) -> bytes:
    """The bundle without the id of its session."""
    first, _, rest = content.partition(b"\n")
    return json.dumps({**json.loads(first), "session_id": ""}).encode() + b"\n" + rest


def compress(session_id: str, name: str, **params: Any) -> engine.Written:
    strategy = find(name)
    return engine.compress(session_id=session_id, strategy=strategy, params=parse_params(strategy, params))


def working(owner: User, **settings: Any) -> str:
    """Two windows, and a third: summaries, edits, an interruption between them, open calls at the end."""
    session_id = b.make_session(b.system(), b.user(), *b.react_rounds(6, size=900), owner=owner, **settings)
    compress(session_id, "clear_tool_results", protect_rounds=2)
    append(session_id, b.calls("x", "y"), b.reply("y"))
    engine.recover(session_id=session_id, reason="crash")
    append(session_id, b.reply("x", "late, but in time"), *b.react_rounds(3, start=20, size=900))
    compress(session_id, "digest", protect_rounds=1)
    append(session_id, b.user("And now?"), b.calls("z1", "z2"), b.reply("z2"))
    return session_id


def append(session_id: str, *messages: Any, **options: Any) -> engine.Written:
    return engine.append(session_id=session_id, messages=list(messages), **options)


def _with_settings(owner: User) -> str:
    return b.make_session(
        b.user(),
        owner=owner,
        title='修复 \\u0000 " \u202e',
        labels=["a b", "标签"],
        require_head=True,
        keep_context_history=False,
        compression_policy=parse_policy(
            {"limit_tokens": 9000, "trigger": 1, "strategy": "pipeline", "params": {"steps": ["digest"]}},
            current="",
        ),
    )


def _compressed_by_itself(owner: User, *, started_again: bool = False) -> str:
    """Three times within nine assistant frames, so that it has stopped."""
    policy = {"trigger": 10, "target": 10, "strategy": "sliding_window", "params": {"protect_rounds": 1}, "auto": True}
    session_id = b.make_session(b.user(), owner=owner, compression_policy=parse_policy(policy, current=""))
    for n in range(3):
        compression.append(session_id=session_id, messages=b.react_rounds(3, start=10 * n), created_by="ann")
    if started_again:
        stopped = engine.reads.session_state(session_id).compression_policy
        engine.change(session_id=session_id, compression_policy=parse_policy({}, current=stopped))
    return session_id


def _strange(owner: User) -> str:
    messages = [m for name in STRANGE if name != "lone surrogates in calls" for m in STRANGE[name]]
    session_id = b.make_session(owner=owner)
    notes = [{"\x00": ["\udc88", 10**40, -0.0, {"": None}]}] * len(messages)
    engine.append(session_id=session_id, messages=messages, metadata=notes, recover=True)
    append(session_id, *STRANGE["lone surrogates in calls"], recover=True)
    deep: Any = "deep"
    for _ in range(120):
        deep = [deep]
    append(session_id, {**b.user("\u202e bidi"), "x": deep, "n": int("9" * 4300)})
    return session_id


def _interrupted(owner: User) -> str:
    session_id = b.make_session(b.user(), b.calls("a", "b", "c"), b.reply("b"), owner=owner)
    engine.recover(session_id=session_id, reason="user_interrupt")
    return session_id


def _late_in_place(owner: User) -> str:
    session_id = _interrupted(owner)
    append(session_id, b.user("meanwhile"), b.reply("a", "late"))
    append(session_id, b.reply("c", ""))  # a blank one, in its place all the same
    return session_id


def _late_as_notes(owner: User) -> str:
    session_id = _interrupted(owner)
    append(session_id, b.says("I go on."), b.reply("c", "late"))
    append(session_id, {**b.reply("a"), "content": [{"type": "text", "text": "late parts"}]})
    return session_id


def _late_after_a_compression(owner: User) -> str:
    session_id = b.make_session(b.user(), *b.react_rounds(3, size=900), b.calls("a", "b"), owner=owner)
    engine.recover(session_id=session_id)
    fold(session_id)
    append(session_id, b.reply("a", "late, in the place of a message of the window before"))
    append(session_id, b.user(), *b.react_rounds(3, start=9, size=900))
    fold(session_id, keep=1)
    append(session_id, b.reply("b", "late, and its place is gone"))
    return session_id


def _the_same_id_twice(owner: User) -> str:
    session_id = b.make_session(b.user(), b.calls("a"), owner=owner)
    engine.recover(session_id=session_id)
    append(session_id, b.calls("a"), b.reply("a"), b.user(), b.calls("a"))
    engine.recover(session_id=session_id)
    append(session_id, b.reply("a", "the newer"), b.reply("a", "the older"))
    return session_id


def _restored(owner: User) -> str:
    session_id = working(owner)
    append(session_id, b.reply("z1"), b.says())
    for version in (1, 3, 2):
        engine.restore(session_id=session_id, version=version)
        append(session_id, b.user(), *b.react_rounds(1, start=30 + version, size=900))
    return session_id


def _without_history(owner: User) -> str:
    session_id = working(owner, keep_context_history=False)
    engine.change(session_id=session_id, keep_context_history=True)
    append(session_id, b.reply("z1"), *b.react_rounds(4, start=40, size=900))
    compress(session_id, "sliding_window", protect_rounds=1)
    engine.restore(session_id=session_id, version=1)
    return session_id


def _switched_off(owner: User) -> str:
    session_id = working(owner)
    engine.change(session_id=session_id, keep_context_history=False)
    return session_id


def _every_strategy(owner: User) -> str:
    session_id = b.make_session(b.system(), b.user(), owner=owner)
    for n, strategy in enumerate(strategies()):
        append(session_id, *b.react_rounds(6, start=1 + 10 * n, size=2000), b.says(LONG_TEXT), b.user(LONG_TEXT))
        with suppress(engine.NothingToCompress):  # there is no reasoning to drop, say
            compress(session_id, strategy.name, **pressed(strategy.name, 1))
    return session_id


def _imported(owner: User) -> str:
    """Orphans, a reply that still waits at the end, and compactions that keep, drop, sum up and bring back."""
    moment = datetime(2025, 2, 3, 4, 5, 6, 789000, tzinfo=UTC)

    def history() -> Iterator[ImportStep]:
        told = [b.system(), b.user(), *b.react_rounds(3), b.reply("nobody"), b.calls("a", "b"), b.user("next")]
        told += [b.reply("a", "late"), b.calls("c", "d"), b.reply("b", "it must wait")]
        for n, message in enumerate(told):
            yield ImportedMessage(Message.of(message), {"record": n}, moment)
            if n == 7:
                yield ImportedCompaction(frozenset({6, 7}), Message.of(b.user("what was")), {"trigger": "auto"})
            if n == 8:
                yield ImportedCompaction(frozenset({1, 4, 5}), None, at=moment)
        yield ImportedCompaction(frozenset({11, 1}), Message.of(b.user("all of it")), usage={"input_tokens": 5})

    imported = engine.import_session(
        owner_id=owner.pk, session_id=f"imported-{owner.pk}", history=history, strategy="import:test", created_by="ann"
    )
    return imported.state.session_id


def in_the_order_of_its_file(owner: User, *, keep_context_history: bool = True) -> str:
    """Windows that stand as a file says, and those that strategies and restores made of them."""

    def history() -> Iterator[ImportStep]:
        for message in [b.system(), b.user("one"), *b.react_rounds(4, size=900), b.user("two"), b.says("well " * 900)]:
            yield ImportedMessage(Message.of(message))
        kept = (10, 8, 9, 4, 5, 6, 7, 1)
        order = (*kept[:1], None, *kept[1:])
        yield ImportedCompaction(frozenset(kept), Message.of(b.user("what was")), order=order)
        yield ImportedMessage(Message.of(b.user("three")))

    imported = engine.import_session(
        owner_id=owner.pk, session_id=f"ordered-{owner.pk}", history=history, strategy="import:test"
    )
    session_id = imported.state.session_id
    engine.change(session_id=session_id, keep_context_history=keep_context_history)
    append(session_id, *b.react_rounds(2, start=50, size=900), b.says())
    compress(session_id, "clear_tool_results", protect_rounds=1)
    append(session_id, b.user("on"), b.says())
    compress(session_id, "digest", protect_rounds=1)
    if keep_context_history:
        engine.restore(session_id=session_id, version=3)
    return session_id


def _orphans_only(owner: User) -> str:
    def history() -> Iterator[ImportStep]:
        yield ImportedMessage(Message.of(b.reply("nobody")))
        yield ImportedMessage(Message.of(b.reply("nobody")))

    imported = engine.import_session(
        owner_id=owner.pk, session_id=f"orphans-{owner.pk}", history=history, strategy="import:test"
    )
    return imported.state.session_id


def _imported_and_gone_on_with(owner: User) -> str:
    session_id = _imported(owner)
    append(session_id, b.reply("d"))
    engine.recover(session_id=session_id)
    append(session_id, b.reply("c", "late"), b.says(), b.user(), *b.react_rounds(4, start=50, size=900))
    compress(session_id, "digest", protect_rounds=1)
    return session_id


SESSIONS: dict[str, Made] = {
    "empty": lambda owner: b.make_session(owner=owner),
    "one message": lambda owner: b.make_session(b.user(), owner=owner),
    "settings": _with_settings,
    "strange": _strange,
    "open calls": lambda owner: b.make_session(b.user(), b.calls("a", "b", "c"), b.reply("b"), owner=owner),
    "interrupted": _interrupted,
    "late in place": _late_in_place,
    "late as notes": _late_as_notes,
    "late after a compression": _late_after_a_compression,
    "the same id twice": _the_same_id_twice,
    "compressed": working,
    "every strategy": _every_strategy,
    "restored": _restored,
    "without history": _without_history,
    "history switched off": _switched_off,
    "imported": _imported,
    "imported and gone on with": _imported_and_gone_on_with,
    "in the order of its file": in_the_order_of_its_file,
    "in the order of its file without history": lambda o: in_the_order_of_its_file(o, keep_context_history=False),
    "orphans only": _orphans_only,
    "compressed by itself and stopped": _compressed_by_itself,
    "compressed by itself and started again": lambda owner: _compressed_by_itself(owner, started_again=True),
}
