"""`manage.py make_session`: a session of any length, as an agent would have made it."""

import io
from collections import Counter
from itertools import islice
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from sessions_app import engine
from sessions_app.management.made_conversation import conversation
from sessions_app.management.made_session import STRATEGIES
from sessions_app.models import Session
from tests.builders import make_user, raw

pytestmark = pytest.mark.django_db


def made(*arguments: str) -> str:
    """The id of the session that the command prints."""
    out = io.StringIO()
    call_command("make_session", *arguments, stdout=out)
    session_id, address = out.getvalue().splitlines()
    assert address == f"{settings.PUBLIC_URL}/sessions/{session_id}/"
    return session_id


def strategies_of(session_id: str) -> list[str | None]:
    state = engine.reads.session_state(session_id)
    versions = engine.reads.versions(session_id, current=state.context_compression_version)
    assert all(version.kept for version in versions)
    return [version.entry.strategy for version in versions]


@pytest.mark.parametrize("frames", [1, 2, 37, 200])
def test_it_has_as_many_frames_as_were_asked_for(frames: int) -> None:
    session_id = made("--frames", str(frames))
    state = engine.reads.session_state(session_id)
    assert state.frame_count == frames
    assert Session.objects.get(session_id=session_id).owner.username == "admin"


def test_it_is_compressed_at_even_distances_by_one_strategy_after_the_other() -> None:
    session_id = made("--frames", "400", "--compress", "4")
    assert strategies_of(session_id) == [None, *STRATEGIES, STRATEGIES[0]]
    starts = [engine.reads.ledger_entry(session_id, version) for version in (2, 3, 4, 5)]
    for entry, due in zip(starts, (80, 160, 240, 320), strict=True):
        assert entry is not None and due <= entry.from_next_msg_seq - 1 < due + 80


def test_what_is_too_short_to_be_compressed_is_left_as_it_is() -> None:
    assert strategies_of(made("--frames", "3", "--compress", "2")) == [None]


def test_the_same_seed_makes_the_same_frames_and_another_one_others() -> None:
    first, again, other = (
        made("--frames", "200", "--compress", "2", "--id", name, "--seed", seed)
        for name, seed in (("first", "7"), ("again", "7"), ("other", "8"))
    )
    assert raw(first) == raw(again) != raw(other)
    windows = [[i.original_seqs for i in engine.reads.current_window(s).window] for s in (first, again)]
    assert windows[0] == windows[1]


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    assert raw(made("--frames", "150"))[:100] == raw(made("--frames", "100"))


def test_its_frames_lie_back_in_time_and_end_now() -> None:
    session_id = made("--frames", "200")
    frames = engine.reads.frames_between(session_id, 1, 200)
    times = [frame.created_at for frame in frames]
    assert times == sorted(times)
    record = engine.reads.session_record(session_id)
    assert record.updated_at == times[-1]
    assert (times[-1] - record.created_at).total_seconds() == 200 * 12


def test_it_belongs_to_whom_it_is_made_for_and_has_the_title_that_was_given() -> None:
    ann = make_user("ann")
    record = engine.reads.session_record(made("--frames", "2", "--owner", "ann", "--title", "长会话"))
    assert (record.state.owner_id, record.title) == (ann.pk, "长会话")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--frames", "0"], "must be at least 1"),
        (["--frames", "2", "--compress", "-1"], "at least 0"),
        (["--frames", "2", "--owner", "nobody"], "There is no user 'nobody'"),
        (["--frames", "2", "--id", ".."], "session_id"),
        (["--frames", "2", "--id", "there"], "name another one by --id"),
    ],
)
def test_what_cannot_be_made_is_said_in_a_sentence(arguments: list[str], why: str) -> None:
    made("--frames", "2", "--id", "there")
    with pytest.raises(CommandError, match=why):
        made(*arguments)


def test_a_conversation_has_what_agents_have() -> None:
    steps = list(islice(conversation(1), 400))
    messages = [message for step in steps for message in step.messages]
    replies: list[dict[str, Any]] = [m for m in messages if m["role"] == "tool"]
    sizes = [len(m["content"].encode()) for m in replies]
    tools = Counter(c["function"]["name"] for m in messages for c in m.get("tool_calls", ()))
    assert len(tools) == 10
    assert any(len(m.get("tool_calls", ())) > 1 for m in messages), "parallel calls"
    assert any(step.dies for step in steps), "interruptions"
    assert 0.02 < sum("is_error" in m for m in replies) / len(replies) < 0.12
    assert 0.001 < sum(size > 20_000 for size in sizes) / len(sizes) < 0.02
    assert sorted(sizes)[len(sizes) // 2] < 1_000
    asked = [m["content"] for m in messages if m["role"] == "user"]
    assert 0.2 < sum(not text.isascii() for text in asked) / len(asked) < 0.5, "Chinese and English"
