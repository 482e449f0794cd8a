"""The measures of a window, computed by hand."""

import time
from typing import Any

import pytest
from hypothesis import given, settings

from sessions_app.compression.measures import MEASURES, History, Measure, entities_of, measure, split_of
from sessions_app.engine import ContextItem, Message, Seqs, Window
from tests.builders import call, calls, react_rounds, reply, says, system, user
from tests.compression.histories import histories
from tests.compression.raw_frames import frames_of
from tests.compression.windows import compressed, item, window_of

Msg = dict[str, Any]
NOTHING = Measure(None, 0)


def measured(messages: list[Msg], after: Window) -> dict[str, Measure]:
    return measure(History.of(frames_of(messages)), window_of(messages), after)


def summary(text: str, first: int, last: int) -> ContextItem:
    seqs = Seqs(((first, last),))
    return ContextItem.summary(seqs=seqs, message=Message.of({"role": "user", "content": text}))


def kept(messages: list[Msg], *seqs: int) -> list[ContextItem]:
    return [item(seq, messages[seq - 1]) for seq in seqs]


# --- Tail fidelity -----------------------------------------------------------------------------


def test_the_tail_is_the_last_ten_rounds_by_their_tokens() -> None:
    messages = [user("Do it."), *react_rounds(12)]
    before = window_of(messages)
    tail = before.items[5:]  # the request, and two rounds of two messages, stand before it
    after = Window.of([*before.items[:5], *tail[:-2]])
    tokens = sum(i.tokens for i in tail)
    lost = sum(i.tokens for i in tail[-2:])
    assert measured(messages, after)["tail_fidelity"] == Measure((tokens - lost) / tokens, 20)


def test_what_stands_before_the_tail_does_not_count_for_it() -> None:
    messages = [user("Do it."), *react_rounds(12)]
    assert measured(messages, Window.of(window_of(messages).items[5:]))["tail_fidelity"] == Measure(1.0, 20)


def test_an_edited_message_of_the_tail_is_not_verbatim() -> None:
    messages = [user("Do it."), says("yes " * 20)]
    before = window_of(messages)
    edited = before[1].with_message(Message.of(says("yes")))
    share = before[0].tokens / before.tokens
    assert measured(messages, Window.of([before[0], edited]))["tail_fidelity"] == Measure(share, 2)


def test_a_summary_before_a_round_is_no_part_of_the_tail() -> None:
    messages = [user("Do it."), says("a"), user("More."), says("b")]
    before = Window.of([summary("earlier: it was done", 1, 2), *kept(messages, 3, 4)])
    found = measure(History.of(frames_of(messages)), before, Window.of(before.items[1:]))
    assert found["tail_fidelity"] == Measure(1.0, 2)


def test_without_a_round_there_is_no_tail() -> None:
    assert measured([user("Do it.")], Window())["tail_fidelity"] == NOTHING


# --- Retention ---------------------------------------------------------------------------------


def test_retention_is_the_share_of_what_the_gone_frames_named_that_the_window_still_names() -> None:
    messages = [user("Look at src/a.py, src/b.py and src/c.py."), says("In src/d.py there are 1234 rows."), says("ok")]
    after = Window.of([summary("It was about src/a.py, src/d.py and src/z.py.", 1, 2), *kept(messages, 3)])
    found = measured(messages, after)
    assert found["retention_path"] == Measure(2 / 4, 4)
    assert found["retention_number"] == Measure(0.0, 1)
    assert found["retention_url"] == NOTHING


def test_what_a_verbatim_frame_names_is_not_asked_for() -> None:
    messages = [user("Look at src/a.py."), says("src/b.py it is")]
    assert measured(messages, Window.of(kept(messages, 1)))["retention_path"] == Measure(0.0, 1)


def test_what_a_verbatim_message_names_as_well_is_retained() -> None:
    messages = [user("Look at src/a.py."), says("src/a.py it is"), says("src/b.py too")]
    assert measured(messages, Window.of(kept(messages, 1)))["retention_path"] == Measure(1 / 2, 2)


def test_a_frame_that_no_window_claims_is_one_of_the_gone() -> None:
    messages = [user("Hello."), says("src/a.py")]
    history = History.of(frames_of([*messages, reply("nobody", "src/orphan.py")]))
    window = window_of(messages)
    assert measure(history, window, window)["retention_path"] == Measure(0.0, 1)


def test_constraints_in_chinese_are_retained_by_a_digest() -> None:
    messages = [
        user("必须用中文回答。不要修改数据库！ " + "很长的说明，" * 300),
        *react_rounds(6),
        user("好"),
        says("好的"),
    ]
    after = compressed(window_of(messages), "digest", protect_rounds=1)
    assert measured(messages, after)["retention_constraint"] == Measure(1.0, 2)


def test_the_frame_numbers_and_counts_of_a_digest_name_nothing() -> None:
    messages = [user("Read the files. " + "Take your time. " * 300), *react_rounds(130), user("Go on."), says("Yes.")]
    after = compressed(window_of(messages), "digest", protect_rounds=1)
    [digest] = [i for i in after if i.kind == "summary"]
    assert "[260]" in digest.message.body and "× 130" in digest.message.body
    assert {text for kind, text in entities_of(digest) if kind == "number"} == set()


# --- Fabrication -------------------------------------------------------------------------------


def test_fabrication_is_the_share_of_paths_and_numbers_in_no_raw_frame() -> None:
    messages = [user("Look at src/a.py: 1234 rows."), says("ok")]
    after = Window.of([summary("src/a.py has 1234 rows, src/made_up.py has 5678.", 1, 2)])
    assert measured(messages, after)["fabrication"] == Measure(2 / 4, 4)


def test_a_path_told_by_its_end_or_a_directory_is_not_made_up() -> None:
    messages = [user("Look at /srv/app/src/a.py."), says("ok")]
    after = Window.of([summary("a.py in src/a.py, of /srv/app/ it is; b.py is not", 1, 2)])
    assert measured(messages, after)["fabrication"] == Measure(1 / 4, 4)


def test_a_number_within_a_word_of_a_frame_is_not_made_up() -> None:
    messages = [user("See issue-4711b, lines 100-250 and 1,234,567 bytes."), says("ok")]
    after = Window.of([summary("4711, from 100 to 250; 1234567 bytes, 999 not", 1, 2)])
    assert measured(messages, after)["fabrication"] == Measure(1 / 5, 5)


def test_a_number_in_an_argument_is_known() -> None:
    caller = calls("c1")
    caller["tool_calls"] = [call("c1", "wait", '{"seconds": 4711}')]
    messages = [user("Wait."), caller, reply("c1")]
    assert measured(messages, Window.of([summary("It waited 4711 seconds.", 1, 3)]))["fabrication"] == Measure(0.0, 1)


def test_a_shortened_path_is_not_counted() -> None:
    messages = [user("Look at src/long_name.py."), says("ok")]
    after = Window.of([summary("Look at src/long_na…", 1, 2)])
    assert measured(messages, after)["fabrication"] == NOTHING


@pytest.mark.parametrize("request_tokens", [5, 900])
def test_a_digest_makes_nothing_up(request_tokens: int) -> None:
    rounds: list[Msg] = []
    for n in range(120):
        caller = calls(f"c{n}")
        caller["tool_calls"] = [call(f"c{n}", "bash", f'{{"command": "cat src/file_{n}.py"}}')]
        rounds += [caller, reply(f"c{n}", f"ValueError: row {n * 977} of /data/table_{n}.csv " + "x " * 90)]
    messages = [user("Count 31337 rows. " * (request_tokens // 5)), *rounds, user("Go on."), says("Yes.")]
    found = measured(messages, compressed(window_of(messages), "digest", protect_rounds=1, max_tokens=2_000))
    assert found["fabrication"].n > 5
    assert found["fabrication"].value == 0.0


def test_without_a_summary_nothing_is_made_up() -> None:
    messages = [user("src/a.py"), says("ok")]
    assert measured(messages, window_of(messages))["fabrication"] == NOTHING


# --- User text ---------------------------------------------------------------------------------


def test_user_text_is_the_share_of_five_tokens_in_a_row() -> None:
    messages = [user("one two three four five six seven"), says("ok")]  # 3 grams
    after = Window.of([summary("They said: One  two three four five.", 1, 2)])
    assert measured(messages, after)["user_text"] == Measure(1 / 3, 3)


def test_a_sign_is_a_token() -> None:
    messages = [user("a, b; c"), says("ok")]  # a · , · b · ; · c
    assert measured(messages, Window.of([summary("a b c", 1, 2)]))["user_text"] == Measure(0.0, 1)
    assert measured(messages, Window.of([summary("(a,b;c)", 1, 2)]))["user_text"] == Measure(1.0, 1)


def test_user_text_in_chinese_is_the_share_of_eight_characters_in_a_row() -> None:
    messages = [user("请修复上传测试并用中文回答"), says("好")]  # 13 characters, 6 grams
    after = Window.of([summary("用户说：请修复 上传测试并用。", 1, 2)])  # the first 9 of them: 2 grams
    assert measured(messages, after)["user_text"] == Measure(2 / 6, 6)


def test_a_text_that_is_too_short_is_one_gram() -> None:
    messages = [user("fix it"), says("ok"), user("修复"), says("好")]
    assert measured(messages, Window.of([summary("They said: Fix it!", 1, 4)]))["user_text"] == Measure(1 / 2, 2)
    assert measured(messages, Window.of([summary("请修复它, then fix nothing", 1, 4)]))["user_text"] == Measure(
        1 / 2, 2
    )


def test_user_text_is_found_in_any_message() -> None:
    messages = [user("one two three four five"), says("You want: one two three four five")]
    assert measured(messages, Window.of(kept(messages, 2)))["user_text"] == Measure(1.0, 1)


def test_what_is_said_twice_counts_once() -> None:
    messages = [user("one two three four five"), says("ok"), user("one two three four five")]
    assert measured(messages, Window.of(kept(messages, 2)))["user_text"] == Measure(0.0, 1)


def test_without_a_request_there_is_no_user_text() -> None:
    messages = [system(), says("ok"), user("  ")]
    assert measured(messages, window_of(messages))["user_text"] == NOTHING


# --- Cache -------------------------------------------------------------------------------------


def test_the_cache_keeps_the_messages_up_to_the_first_that_differs() -> None:
    messages = [system("Be careful."), user("Do it."), says("a"), says("b")]
    before = window_of(messages)
    found = measured(messages, Window.of([before[0], before[1], before[3]]))["cache"]
    assert found == Measure(float(before[0].tokens + before[1].tokens), before.tokens)


def test_the_cache_keeps_nothing_where_the_first_message_differs() -> None:
    messages = [user("Do it."), says("a")]
    before = window_of(messages)
    assert measured(messages, Window.of([before[1]]))["cache"] == Measure(0.0, before.tokens)


# --- All of them -------------------------------------------------------------------------------


def test_the_measures_have_their_names_and_their_order() -> None:
    assert tuple(measured([user("x")], Window())) == MEASURES
    assert MEASURES[0] == "tail_fidelity" and MEASURES[-3:] == ("fabrication", "user_text", "cache")


def test_a_session_of_nothing_has_nothing_to_measure() -> None:
    found = measure(History.of([]), Window(), Window())
    assert {m.n for m in found.values()} == {0}
    assert found.pop("cache") == Measure(0.0, 0)
    assert {m.value for m in found.values()} == {None}


def test_damaged_frames_are_passed_over() -> None:
    history = History.of(frames_of([Message("no message"), Message.of(user("Look at src/a.py, please do."))]))
    found = measure(history, Window(), Window.of([summary("src/a.py 777", 1, 2)]))
    assert found["retention_path"] == Measure(1.0, 1)
    assert found["fabrication"] == Measure(1 / 2, 2)


@settings(deadline=None, max_examples=25)
@given(histories())
def test_any_window_can_be_measured(history: Any) -> None:
    window = history.window
    frames = frames_of(i.message for i in window if i.kind == "original")
    known = History.of(frames)
    for after in (window, Window(), Window.of(window.items[::2])):
        found = measure(known, window, after)
        assert found == measure(History.of(frames), window, after)
        cache = found.pop("cache")
        assert cache.value is not None and 0 <= cache.value <= cache.n == window.tokens
        assert all((m.value is None) == (m.n == 0) for m in found.values())
        assert all(0 <= m.value <= 1 for m in found.values() if m.value is not None)


@settings(deadline=None, max_examples=25)
@given(histories())
def test_a_window_that_does_not_change_keeps_everything(history: Any) -> None:
    messages = [i.message.data for i in history.window]
    window = window_of(messages)
    found = measured(messages, window)
    assert all(found[name] == NOTHING for name in MEASURES if name.startswith("retention_"))
    assert found["tail_fidelity"].value in (1.0, None)
    assert found["user_text"].value in (1.0, None)
    assert found["cache"] == Measure(float(window.tokens), window.tokens)


def test_huge_texts_are_measured_in_seconds() -> None:
    messages = [
        user("a" * 200_000 + " 修" * 50_000),
        says('"' * 200_000),
        user("Look at one two three four five."),
    ]
    started = time.process_time()
    measured(messages, Window.of([summary("nothing " * 20_000, 1, 2), *kept(messages, 3)]))
    assert time.process_time() - started < 3


# --- Size --------------------------------------------------------------------------------------


def test_the_tokens_of_a_window_are_split_by_role_and_by_kind() -> None:
    messages = [system("Be careful."), user("Do it."), says("yes " * 30)]
    before = window_of(messages)
    edited = before[2].with_message(Message.of(says("yes")))
    told = summary("earlier it was so", 2, 2)
    split = split_of(Window.of([before[0], told, edited]))
    assert split.by_role == {
        "system": before[0].tokens,
        "developer": 0,
        "user": told.tokens,
        "assistant": edited.tokens,
        "tool": 0,
    }
    assert split.by_kind == {"verbatim": before[0].tokens, "edited": edited.tokens, "summary": told.tokens}
