"""Inspect logs: each sample is a session, and the window of each answer is what its model was shown."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sessions_app.interchange.formats.inspect_log.importer import InspectLog
from sessions_app.interchange.formats.inspect_log.messages import Attachments
from tests import builders as b
from tests.interchange import hostile
from tests.interchange.inspect_logs import calls, compaction, log, model, reply, sample, says, system, user
from tests.interchange.samples import Read, document, of, real, real_files, texts

FORMAT = InspectLog()


def test_each_sample_is_a_session_known_by_its_evaluation_its_id_and_its_epoch():
    read = Read(FORMAT, document(log(sample(user()), sample(user(), id="b", epoch=2))))

    assert [t.native_id for t in read.transcripts] == ['["e1","r1",1,1]', '["e1","r1","b",2]']
    assert [t.title for t in read.transcripts] == ["sums: 1", "sums: b (epoch 2)"]
    assert [s.records for s in read.said(1)] == [(2,)]


def test_without_a_name_of_the_evaluation_a_sample_is_known_by_its_own_id():
    read = Read(FORMAT, document(log(sample(user(), uuid="x1"), sample(user())) | {"eval": {"task": "t"}}))
    assert [t.native_id for t in read.transcripts] == ["x1", ""]


def test_messages_calls_and_replies():
    talk = [system(), user(), calls("a1", "c1", "c2"), reply("t1", "c1"), reply("t2", "c2"), says("a2")]
    read = Read(FORMAT, document(log(sample(*talk))))

    assert read.messages() == [
        b.system(),
        b.user("Go on."),
        {"role": "assistant", "content": "", "tool_calls": [b.call(c, "run", '{"cmd":"ls"}') for c in ("c1", "c2")]},
        b.reply("c1", "a.py", name="run"),
        b.reply("c2", "a.py", name="run"),
        b.says(),
    ]
    assert read.said()[1].metadata == {"extra": {"id": "u", "source": "input"}}


def test_what_the_log_says_of_a_sample_stands_with_its_first_message():
    told: dict[str, Any] = {
        "scores": {"match": {"value": "NaN"}},
        "store": {"a": 1},
        "output": {"choices": [], "error": "E"},
    }
    read = Read(FORMAT, of(json.dumps(log(sample(user(), **told))).replace('"NaN"', "NaN")))

    extra = read.said()[0].metadata["extra"]
    assert extra["sample"] == {"id": 1, "epoch": 1, "target": "x", **told, "output": {"error": "E"}}
    assert extra["eval"]["task"] == "sums"


@pytest.mark.parametrize("error", [{"type": "timeout", "message": "Too slow."}, None])
def test_an_error_is_a_failed_reply_with_the_text_that_the_model_was_shown(error):
    read = Read(FORMAT, document(log(sample(reply("t", "c", "", error=error), reply("v", "d", "Half.", error=error)))))

    shown = [{"content": "Too slow.", "is_error": True}, {"content": "Half.", "is_error": True}] if error else [{}, {}]
    assert read.messages()[0] == b.reply("c", "", name="run") | shown[0]
    assert read.messages()[1] == b.reply("d", "Half.", name="run") | shown[1]
    if error:
        assert [s.metadata["extra"]["error"] for s in read.said()] == [{"type": "timeout"}, error]


@pytest.mark.parametrize("protocol", ["attachment", "tc"])
def test_attachments_are_put_back(protocol):
    image = {"type": "image", "image": f"{protocol}://h2", "detail": "low"}
    talk = user(
        content=[{"type": "text", "text": f"{protocol}://h1"}, image, {"type": "text", "text": "attachment://x"}]
    )
    read = Read(FORMAT, document(log(sample(talk, attachments={"h1": "Look.", "h2": "data:image/png;base64,x"}))))

    assert read.messages()[0]["content"] == [
        {"type": "text", "text": "Look."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,x", "detail": "low"}},
        {"type": "text", "text": "attachment://x"},
    ]
    assert read.skipped == [("attachment", 1)]


def test_a_text_that_is_referred_to_without_end_is_put_back_as_long_as_there_is_room():
    attachments = Attachments({"h": "x" * 60}, _room=100)
    assert attachments.resolved(["attachment://h"] * 2) == ["x" * 60, "attachment://h"]
    assert attachments.left_out == {"is referred to more often than there is room for its text": 1}


def test_reasoning_is_readable_and_its_sealed_blocks_are_kept():
    plain = {"type": "reasoning", "reasoning": "Hm."}
    sealed = {"type": "reasoning", "reasoning": "xx==", "summary": "So.", "signature": "s", "redacted": True}
    read = Read(FORMAT, document(log(sample(says("a", [plain, sealed, {"type": "text", "text": "Done."}])))))

    expected = {"content": "Done.", "reasoning_content": "Hm.\n\nSo.", "reasoning_details": [sealed]}
    assert read.messages()[0] == {"role": "assistant"} | expected


def test_other_parts_stay_as_they_are():
    parts = [{"type": "audio", "audio": "data:x", "format": "mp3"}, {"type": "text", "text": "a", "refusal": True}]
    assert Read(FORMAT, document(log(sample(user(content=parts))))).messages()[0]["content"] == parts


def test_the_events_say_when_by_which_model_and_at_what_cost():
    talk = [user(), calls("a1", "c1"), reply("t1", "c1"), says("a2")]
    tool = {"event": "tool", "id": "c1", "completed": "2026-01-01T10:00:05+00:00", "working_time": 3}
    start = {"event": "sample_init", "timestamp": "2026-01-01T09:59:59+00:00"}
    read = Read(FORMAT, document(log(sample(*talk, events=[start, model(talk[:1], talk[1]), tool]))))

    asked, answered = read.said()[1:3]
    assert asked.metadata == {
        "model": "m",
        "usage": {"input_tokens": 9, "output_tokens": 2, "cache_read_input_tokens": 4},
        "stop_reason": "stop",
        "duration_ms": 1500,
        "extra": {"id": "a1", "source": "generate"},
    }
    assert [s.at.second for s in read.said() if s.at] == [59, 2, 5, 5]
    assert answered.metadata["duration_ms"] == 3000


def test_events_that_say_nothing_of_the_messages_are_named_by_their_kinds():
    events = [{"event": "store"}, {"event": "store"}, model([user("x")], says("elsewhere")), "odd", {"event": "tool"}]
    read = Read(FORMAT, document(log(sample(user(), events=events))))
    assert read.skipped == [("store", 2), ("model", 1), ("event", 1), ("tool", 1)]


def summary(id="z", content="So far: nothing."):
    return user(id, content, metadata={"summary": True})


TALK = [system(), user(), says("a1", "One."), user("u2"), says("a2", "Two."), user("u3")]


def windows(*later, shown, before=()):
    """A sample whose last answer was made with `shown` as its window, after answers with all before them."""
    events = [model(TALK[:2], TALK[2]), model(TALK[:4], TALK[4]), *before, model(shown, says("a3", "Three."))]
    return sample(*TALK, *later, says("a3", "Three."), events=events)


def test_where_all_was_shown_nothing_was_compacted():
    read = Read(FORMAT, document(log(windows(shown=TALK))))
    assert (read.compacted(), read.skipped) == ([], [])


def test_messages_that_are_shown_no_more_are_dropped():
    shown = [*TALK[:2], TALK[5]]
    read = Read(FORMAT, document(log(windows(shown=shown, before=[compaction("trim", metadata={"trigger": "t"})]))))

    (compacted,) = read.compacted()
    assert (compacted.keeps, compacted.summary) == (frozenset({0, 1, 5}), None)
    assert compacted.params["trigger"] == "t" and compacted.params["tokens_before"] == 900
    assert compacted.at == datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert read.steps[0].index(compacted) == 6


def test_a_message_marked_as_a_summary_is_the_summary_and_no_message():
    writer = model([*TALK, user("p", "Summarise.")], says("w", "So far: nothing."))
    shown = [*TALK[:2], summary("z")]
    read = Read(FORMAT, document(log(windows(summary("z"), shown=shown, before=[writer, compaction()]))))

    (compacted,) = read.compacted()
    assert (compacted.keeps, compacted.summary) == (frozenset({0, 1}), b.user("So far: nothing."))
    assert compacted.usage == {"input_tokens": 9, "output_tokens": 2, "cache_read_input_tokens": 4}
    assert len(read.messages()) == 7
    assert read.skipped == []


def test_a_marked_summary_that_no_answer_was_made_with_is_a_message():
    read = Read(FORMAT, document(log(windows(summary("z"), shown=TALK))))
    assert (len(read.messages()), read.compacted()) == (8, [])


def test_a_second_summary_with_the_words_of_the_first_is_one_of_its_own():
    talk = [*TALK[:4], summary("z1"), TALK[4], TALK[5], summary("z2"), says("a3")]
    first, second = [*TALK[:2], summary("z1")], [*TALK[:2], summary("z1")]
    events = [model(TALK[:2], TALK[2]), model(first, TALK[4]), model(second, says("a3"))]
    read = Read(FORMAT, document(log(sample(*talk, events=events))))

    assert [c.keeps for c in read.compacted()] == [frozenset({0, 1}), frozenset({0, 1})]
    assert len(read.messages()) == 7


def test_of_two_summaries_in_a_row_the_second_counts_and_the_first_is_named():
    shown = [*TALK[:2], summary("y", "One."), summary("z", "Two.")]
    read = Read(FORMAT, document(log(windows(summary("y", "One."), summary("z", "Two."), shown=shown))))
    assert [c.summary for c in read.compacted()] == [b.user("Two.")]
    assert read.skipped == [("summary", 1)]


def test_a_message_that_is_shown_and_stands_nowhere_is_the_summary():
    shown = [*TALK[:2], user("z", "So far: nothing."), TALK[5]]
    after = [*shown, says("a3", "Three."), user("u4")]
    talk = windows(shown=shown)
    talk["messages"] += [user("u4"), says("a4")]
    talk["events"].append(model(after, says("a4")))
    read = Read(FORMAT, document(log(talk)))

    (compacted,) = read.compacted()
    assert (compacted.keeps, compacted.summary) == (frozenset({0, 1, 5}), b.user("So far: nothing."))
    assert read.skipped == []


def test_several_messages_that_stand_nowhere_cannot_be_told_and_are_named():
    shown = [*TALK[:2], user("y", "One thing."), user("z", "Another.")]
    read = Read(FORMAT, document(log(windows(shown=shown))))
    assert (read.compacted(), read.skipped) == ([], [("compaction", 1)])


def test_messages_that_come_back_into_the_window_are_kept_again():
    talk = windows(shown=[*TALK[:2], TALK[5]])
    talk["messages"] += [user("u4"), says("a4")]
    talk["events"].append(model([*TALK, says("a3", "Three."), user("u4")], says("a4")))
    read = Read(FORMAT, document(log(talk)))
    assert [c.keeps for c in read.compacted()] == [frozenset({0, 1, 5}), frozenset(range(8))]


def test_results_that_were_cleared_cannot_be_told_and_are_named():
    talk = [user(), calls("a1", "c1"), reply("t1", "c1", "long " * 99), says("a2")]
    cleared = [*talk[:2], reply("t9", "c1", "(removed)")]
    events = [model(talk[:1], talk[1]), compaction("edit"), model(cleared, says("a2"))]
    read = Read(FORMAT, document(log(sample(*talk, events=events))))
    assert (read.compacted(), read.skipped) == ([], [("compaction", 1)])


def test_a_prompt_that_an_agent_adds_to_its_calls_is_no_compaction():
    read = Read(FORMAT, document(log(windows(shown=[system("p", "Be brief."), *TALK]))))
    assert (read.compacted(), read.skipped) == ([], [("input", 1)])


def test_inputs_are_put_together_from_the_pool():
    pool = [*TALK, summary("z")]
    references = [[[0, 2]], [[0, 4]], [[0, 2], [6, 7], [-1, 4], [3, "x"], "odd", [5]]]
    read_of = {}
    for name, pooled in [("message_pool", pool), ("events_data", {"messages": pool, "calls": []})]:
        talk = windows(summary("z"), shown=[])
        for event, refs in zip(talk["events"], references, strict=True):
            event |= {"input": [], "input_refs": refs}
        read_of[name] = Read(FORMAT, document(log(talk | {name: pooled})))
    assert [r.compacted()[0].keeps for r in read_of.values()] == [frozenset({0, 1}), frozenset({0, 1})]


def test_an_agent_that_says_the_same_is_not_taken_for_this_one():
    events = [model([user("x", "Other.")], says("elsewhere", "One."))]
    read = Read(FORMAT, document(log(sample(*TALK, events=events))))
    assert (read.skipped, "usage" in read.said()[2].metadata) == ([("model", 1)], False)


def test_references_that_unfold_without_end_are_not_followed():
    talk = windows(shown=[]) | {"message_pool": TALK}
    talk["events"][-1] |= {"input": [], "input_refs": [[0, 2]] * 10_000}
    assert Read(FORMAT, document(log(talk))).compacted() == []


def test_messages_without_ids_are_known_by_their_words_even_where_they_are_said_twice():
    talk = [{n: v for n, v in m.items() if n != "id"} for m in [*TALK, says("a3", "Three.")]]
    referring = talk[1] | {"content": "attachment://h"}
    events = [model([talk[0], referring], talk[2]), model([*talk[:2], talk[5]], talk[6])]
    read = Read(FORMAT, document(log(sample(*talk, events=events, attachments={"h": "Go on."}))))

    # All three requests are the same words: a window has the start of the conversation, and its end.
    assert [c.keeps for c in read.compacted()] == [frozenset({0, 1, 5})]
    assert read.said()[2].metadata["usage"]["input_tokens"] == 9


def test_a_sample_without_messages_has_its_input():
    listed = sample() | {"input": [system(), user()]}
    assert texts(Read(FORMAT, document(log(listed))).messages()) == ["You are careful.", "Go on."]
    assert texts(Read(FORMAT, document(log(sample()))).messages()) == ["Go on."]


def test_a_sample_that_says_nothing_is_named():
    read = Read(FORMAT, document(log(sample() | {"input": None}, "odd", sample(user(), {"role": "robot"}, "odd"))))
    assert read.skipped == [("sample", 1), ("sample", 1), ("message", 2)]
    assert len(read.transcripts) == 1


def test_a_log_without_its_samples_is_named():
    content = log() | {"results": {}}
    del content["samples"]
    assert Read(FORMAT, document(content)).skipped == [("samples", 1)]


def test_the_evaluation_may_stand_behind_the_samples():
    content = log(sample(user()))
    behind = {name: content[name] for name in ("version", "status", "plan", "samples", "eval")}
    assert Read(FORMAT, document(behind)).transcripts[0].native_id == '["e1","r1",1,1]'


def test_values_of_any_type_never_raise():
    talk = [system(), user(), calls("a1", "c1"), reply("t1", "c1", error={"type": "t", "message": "m"}), summary("z")]
    shown = [talk[0], talk[4] | {"content": [{"type": "reasoning", "reasoning": "r", "signature": "s"}]}]
    events = [model(talk[:2], talk[2]), compaction(metadata={"a": 1}), model(shown, says("a2"), input_refs=[[0, 1]])]
    whole = sample(*talk, says("a2"), events=events, attachments={"h": "x"}, events_data={"messages": talk[:1]})
    hostile.take_variants(FORMAT, log(whole))


def test_a_log_that_breaks_off_never_raises():
    hostile.take_cut(FORMAT, json.dumps(log(windows(shown=TALK), sample(user()))).encode())


@real_files
def test_the_real_log_of_a_browser():
    read = Read(FORMAT, real("inspect-log/browser.json"))

    assert [m["role"] for m in read.messages()] == ["user", *["assistant", "tool"] * 4, "assistant"]
    assert read.messages()[1]["tool_calls"][0]["function"] == {
        "name": "web_browser_go",
        "arguments": '{"url":"https://www.aisi.gov.uk/"}',
    }
    assert [s.metadata["usage"]["input_tokens"] for s in read.said() if "usage" in s.metadata] == [
        1124,
        1568,
        2732,
        3896,
        5915,
    ]
    assert read.compacted() == []
    assert ("model", 1) not in read.skipped and ("sandbox", 10) in read.skipped
    assert read.transcripts[0].native_id == '["ZB2vu5GNujYaBdPSReCeop","Ta3ZFVTCTcjsb3AEX9FD9v",1,1]'


@real_files
def test_the_real_log_of_tool_errors():
    read = Read(FORMAT, real("inspect-log/log_tool_call_error.json"))
    assert len(read.messages()) == 11 and all(m["is_error"] for m in read.messages())
    assert read.transcripts[0].title == "...: 1 (epoch 4)"
