"""`cascade`: when it does anything, in which order, and where it stops."""

from typing import Any

import pytest

from sessions_app.compression import find, parse_params
from sessions_app.compression.long_answers import with_long_answers_cut
from sessions_app.engine import CannotCompress, Compressed, Toolbox, Window, made_by
from tests.builders import call, calls, react_rounds, reply, says, system, user
from tests.compression.model_server import Summariser, answer_of
from tests.compression.model_server import says as answers
from tests.compression.windows import broken, compressed, data_of, window_of

RESULT = "a line of output\n" * 200
THOUGHT = {"reasoning_content": "Let me think it over. " * 60}
ANSWER = "The root cause is the fixed buffer. " * 200
OLD = [m for n in range(4) for m in ({**calls(f"c{n}", text=ANSWER), **THOUGHT}, reply(f"c{n}", RESULT))]
WINDOW = window_of([system(), user(), *OLD, *react_rounds(3, start=90)])
CLEARED = compressed(WINDOW, "clear_tool_results")
DROPPED = compressed(CLEARED, "drop_reasoning", protect_rounds=3)


def cascaded(window: Window = WINDOW, *, tools: Toolbox = Toolbox(), **params: Any) -> Compressed:
    """At its trigger, unless a test says otherwise."""
    strategy = find("cascade")
    params = {"trigger": float(window.tokens), **params}
    return made_by(strategy, window, params=parse_params(strategy, params), tools=tools)


def test_below_the_trigger_nothing_is_done() -> None:
    with pytest.raises(CannotCompress, match=f"has {WINDOW.tokens} tokens, below the trigger of {WINDOW.tokens + 1}"):
        cascaded(trigger=float(WINDOW.tokens + 1))


def test_at_the_trigger_it_begins() -> None:
    assert cascaded(trigger=float(WINDOW.tokens), target=2.0).window.tokens < WINDOW.tokens


def test_trigger_and_target_of_up_to_one_are_fractions_of_the_limit() -> None:
    limit = Toolbox(limit_tokens=WINDOW.tokens)
    assert cascaded(tools=limit, trigger=0.99, target=CLEARED.tokens / WINDOW.tokens).window == CLEARED
    with pytest.raises(CannotCompress, match="below the trigger"):
        cascaded(tools=Toolbox(limit_tokens=WINDOW.tokens * 2), trigger=0.99)


def test_a_target_that_is_met_already_asks_for_nothing() -> None:
    with pytest.raises(CannotCompress, match="meets the target"):
        cascaded(target=float(WINDOW.tokens))


@pytest.mark.parametrize("over", [0, 100_000])
def test_a_target_above_the_trigger_counts_as_the_trigger(over: int) -> None:
    trigger = float(CLEARED.tokens)
    assert cascaded(trigger=trigger, target=float(WINDOW.tokens + over)).window == CLEARED


def test_first_old_tool_results_are_cleared() -> None:
    made = cascaded(target=float(CLEARED.tokens))
    assert made.window == CLEARED
    assert (made.used, made.why) == ("", "Done: cleared old tool results; then the target was met.")


def test_then_old_reasoning_goes() -> None:
    made = cascaded(target=float(CLEARED.tokens - 1))
    assert made.window == DROPPED
    assert made.why == "Done: cleared old tool results, dropped old reasoning; then the target was met."


def test_then_long_old_answers_are_cut_to_head_and_tail_and_their_calls_stay() -> None:
    made = cascaded(target=float(DROPPED.tokens - 1))
    before, after = WINDOW[2].message, made.window[2].message
    assert after.calls == before.calls
    assert (
        after.body.startswith(ANSWER[:500]) and after.body.endswith(ANSWER[-200:]) and "tokens left out" in after.body
    )
    assert made.window[2].tokens < 450
    assert made.why.startswith("Done: cleared old tool results, dropped old reasoning, cut long old answers; then")


def test_only_what_is_not_enough_by_then_is_summarised() -> None:
    made = cascaded(target=float(WINDOW[0].tokens + 900))
    assert [i.kind for i in made.window][:3] == ["original", "original", "summary"]
    assert data_of(made.window)[-6:] == data_of(WINDOW)[-6:]
    assert broken(WINDOW, made.window) == []


def test_without_a_model_the_summary_is_a_digest_and_it_says_so() -> None:
    made = cascaded(target=700.0)
    assert made.used == "digest"
    assert "summarised the rest; then the target was met." in made.why
    assert made.why.endswith("met. No model is set up: the summary is a digest.")
    assert made.usage == {}


def test_with_a_model_the_summary_is_the_model_s_and_its_usage_is_told(summariser: Summariser) -> None:
    summariser(answers(answer_of(facts=["The buffer is fixed at 8 kB."])))
    made = cascaded(target=500.0)
    [summary] = [i for i in made.window if i.kind == "summary"]
    assert "The buffer is fixed at 8 kB." in summary.message.body
    assert made.used == ""
    assert made.usage["input_tokens"] == 700


def test_where_no_model_may_be_asked_a_digest_stands_in_and_none_is(summariser: Summariser) -> None:
    server = summariser(answers(answer_of()))
    made = cascaded(target=500.0, tools=Toolbox(may_ask_model=False))
    assert made.used == "digest"
    assert "a digest stands in" in made.why
    assert server.calls == []


def test_a_model_that_fails_leaves_the_digest(summariser: Summariser) -> None:
    summariser(answers(""), answers(""))
    made = cascaded(target=500.0)
    assert made.used == "digest"
    assert broken(WINDOW, made.window) == []


def test_where_the_room_is_too_small_for_a_model_the_digest_does_no_less_than_without_one(
    summariser: Summariser,
) -> None:
    arguments = [f'{{"path":"src/module_{n}.py"}}' for n in range(8)]
    acts = [
        {"role": "assistant", "content": None, "tool_calls": [call(f"c{n}", "read", arguments[n])]} for n in range(8)
    ]
    rounds = [m for n in range(8) for m in (acts[n], reply(f"c{n}", f"text {n} of src/f{n}.py " * 10))]
    window = window_of([system(), user(), *rounds])
    without = cascaded(window, target=2.0, tools=Toolbox(may_ask_model=False))
    server = summariser(answers(answer_of()))
    made = cascaded(window, target=2.0)
    assert made.window == without.window
    assert made.window.tokens < window.tokens
    assert made.used == "digest"
    assert "too little old history for a summary by a model" in made.why and "A digest stands in" in made.why
    assert server.calls == []


def test_where_the_limit_is_too_small_for_a_model_the_digest_does_no_less_than_without_one(
    summariser: Summariser,
) -> None:
    server = summariser(answers(answer_of()))
    tools = Toolbox(limit_tokens=1_500)
    made = cascaded(target=500.0, tools=tools)
    assert made.window == cascaded(target=500.0, tools=Toolbox(limit_tokens=1_500, may_ask_model=False)).window
    assert (made.used, server.calls) == ("digest", [])


def test_the_model_is_not_asked_where_the_target_is_met_before(summariser: Summariser) -> None:
    server = summariser(answers(answer_of()))
    cascaded(target=float(DROPPED.tokens))
    assert server.calls == []


def test_it_may_run_by_itself_after_an_append() -> None:
    cascade = find("cascade")
    assert not cascade.needs_model
    assert not cascade.asks_model(cascade.Params())


def test_where_the_target_is_out_of_reach_all_stages_run_and_it_says_so() -> None:
    assert "the target was not met." in cascaded(target=2.0).why


def test_stages_that_gain_nothing_are_passed_over_in_a_chat_without_tools() -> None:
    chat = window_of([user(), *(m for _ in range(8) for m in (says("A long answer. " * 300), user("And?")))])
    made = cascaded(chat, target=chat.tokens * 0.75)
    assert made.why == "Done: cut long old answers; then the target was met."


def test_where_no_stage_gains_anything_it_says_so() -> None:
    with pytest.raises(CannotCompress, match="None of its steps finds anything"):
        cascaded(window_of([system(), user(), *react_rounds(3)]), target=2.0)


def test_an_answer_that_keeps_its_reasoning_is_not_cut() -> None:
    signed = {"type": "thinking", "thinking": "", "signature": "eA=="}
    message = {"role": "assistant", "content": [signed, {"type": "text", "text": ANSWER}]}
    window = window_of([user(), message, *react_rounds(3)])
    assert with_long_answers_cut(window, 3, Toolbox().count_text) is window


def test_a_dead_call_far_back_does_not_pin_what_lies_before_it() -> None:
    dead = [calls("dead"), reply("dead", "Execution was interrupted. The result of run is unknown: it may have run.")]
    window = window_of([user(), *OLD, *dead, *react_rounds(12)])
    assert cascaded(window, target=500.0).window.tokens < 1_000
