"""What the very first start shows."""

import pytest

from sessions_app import engine
from sessions_app.management import demo
from tests.builders import make_user, window

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_demo_was_compressed_twice_and_one_summary_stands_for_several_rounds() -> None:
    demo.load(make_user())
    state = engine.reads.session_state(demo.FLAKY)
    versions = engine.reads.versions(demo.FLAKY, current=state.context_compression_version)
    assert [v.entry.strategy for v in versions] == [None, "clear_tool_results", "digest"]
    assert all(v.entry.after.tokens < v.entry.before.tokens for v in versions[1:])
    summaries = [i for i in engine.reads.current_window(demo.FLAKY).window if i.kind == "summary"]
    assert len(summaries) == 1
    frames = engine.reads.frames_between(demo.FLAKY, summaries[0].original_seqs.first, summaries[0].original_seqs.last)
    assert sum(f.role == "assistant" and f.seq in summaries[0].original_seqs for f in frames) > 5


def test_the_second_demo_died_in_a_tool() -> None:
    demo.load(make_user())
    state = engine.reads.session_state(demo.DEPLOY)
    assert state.state == engine.State.AWAITING_TOOLS
    assert [c.name for c in state.open_calls] == ["deploy"]
    engine.recover(session_id=demo.DEPLOY, reason="crash")
    assert "deploy" in window(demo.DEPLOY)[-1]["content"]
