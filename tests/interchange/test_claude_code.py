"""Claude Code: a file is a log of rows that name their parents; the session is the way to its newest row."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.interchange.formats.claude_code import chains as claude_code_chains
from sessions_app.interchange.formats.claude_code.importer import ClaudeCode
from sessions_app.interchange.jsonreading import TORN
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from tests.interchange.claude_code_rows import answered, boundary, outline, result, said, summary, text, use
from tests.interchange.samples import Read, document, lines, of, real, real_files

FORMAT = ClaudeCode()

TALK = [said("u1", None, "Start"), answered("a1", "u1", text("Ready"))]


def read(*rows: Any) -> Read:
    return Read(FORMAT, lines(*rows))


def branches(read: Read) -> list[tuple[str, tuple[str, ...]]]:
    return [(t.branch, t.labels) for t in read.transcripts]


# --- the chain -------------------------------------------------------------------------------


def test_the_session_is_the_chain_from_the_newest_row_to_its_root() -> None:
    file = read(*TALK, said("u2", "a1", "Go on"), answered("a2", "u2", text("Done")))
    assert outline(file) == ["u:Start", "a:Ready", "u:Go on", "a:Done"]
    assert (file.transcripts[0].native_id, branches(file)) == ("s1", [("", ())])


def test_a_branch_is_a_session_of_its_own_that_reads_by_itself() -> None:
    file = read(*TALK, said("b1", "a1", "First try"), answered("b2", "b1", text("No")), said("c1", "a1", "Second try"))
    assert branches(file) == [("", ()), ("b1", ("branch",))]
    assert outline(file, 0) == ["u:Start", "a:Ready", "u:Second try"]
    assert outline(file, 1) == ["u:Start", "a:Ready", "u:First try", "a:No"]
    assert [t.native_id for t in file.transcripts] == ["s1", "s1"]


def test_branches_that_repeat_too_much_are_named_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_code_chains, "REPEATED", 1)
    monkeypatch.setattr(claude_code_chains, "REPEATED_AT_LEAST", 0)
    rows: list[dict[str, Any]] = [said("u0", None, "start")]
    for n in range(20):
        rows += [
            answered(f"a{n}", f"u{n}", text("ok")),
            said(f"x{n}", f"a{n}", "left"),
            said(f"u{n + 1}", f"a{n}", "on"),
        ]
    file = read(*rows)
    assert len(file.transcripts) < 21
    assert file.skipped == [("branch", 21 - len(file.transcripts))]
    assert sum(len(steps) for steps in file.steps) <= 2 * len(rows)


def test_a_branch_of_a_branch_is_known_by_its_own_first_row() -> None:
    file = read(
        *TALK, said("b1", "a1", "1"), answered("b2", "b1", text("2")), said("b3", "b2", "3"), said("b4", "b2", "4"),
        said("c1", "a1", "5"),
    )  # fmt: skip
    assert branches(file) == [("", ()), ("b1", ("branch",)), ("b3", ("branch",))]
    assert outline(file, 1)[-1] == "u:4"
    assert outline(file, 2)[-1] == "u:3"


def test_the_newest_row_is_the_last_of_the_file_whatever_its_clock_says() -> None:
    file = read(
        said("u1", None, "Start", timestamp="2025-01-01T12:00:00Z"),
        said("b1", "u1", "Old", timestamp="2025-01-01T13:00:00Z"),
        said("c1", "u1", "New", timestamp="2025-01-01T11:00:00Z"),
    )
    assert outline(file) == ["u:Start", "u:New"]
    assert [s.at and s.at.hour for s in file.said()] == [12, 11]


def test_rows_that_the_model_does_not_see_are_passed_by_and_named() -> None:
    file = read(
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
        *TALK,
        {"type": "system", "subtype": "turn_duration", "uuid": "x1", "parentUuid": "a1"},
        {"type": "progress", "uuid": "x2", "parentUuid": "x1", "data": {}},
        {"type": "attachment", "uuid": "x3", "parentUuid": "x2", "attachment": {"type": "hook_success"}},
        said("u2", "x3", "Go on"),
        {"type": "queue-operation", "operation": "enqueue"},
        {"type": "new-thing", "uuid": "x4", "parentUuid": "u2"},
        {"silly": "this"},
    )
    assert outline(file) == ["u:Start", "a:Ready", "u:Go on"]
    assert file.skipped == [
        ("file-history-snapshot", 1), ("system/turn_duration", 1), ("progress", 1), ("attachment/hook_success", 1),
        ("queue-operation", 1), ("new-thing", 1), ("line", 1),
    ]  # fmt: skip


def test_a_row_out_of_sight_is_no_leaf() -> None:
    progress = {"type": "progress", "uuid": "x1", "parentUuid": "b1"}
    file = read(*TALK, said("b1", "a1", "Old"), said("c1", "a1", "New"), progress)
    assert outline(file) == ["u:Start", "a:Ready", "u:New"]


def test_rows_in_a_circle_end_and_none_is_lost() -> None:
    file = read(*TALK, said("x", "z", "1"), said("y", "x", "2"), said("z", "y", "3"), said("self", "self", "4"))
    assert [outline(file, n) for n in range(3)] == [["u:4"], ["u:Start", "a:Ready"], ["u:1", "u:2", "u:3"]]


def test_a_row_whose_parent_is_unknown_begins_a_conversation() -> None:
    file = read(*TALK, said("u2", "gone", "Go on"), answered("a2", "u2", text("Done")))
    assert [outline(file, n) for n in range(2)] == [["u:Go on", "a:Done"], ["u:Start", "a:Ready"]]
    assert branches(file) == [("", ()), ("u1", ("branch",))]


def test_a_line_that_cannot_be_read_loses_itself_only() -> None:
    file = read(
        *TALK, '{"type": "user", "uuid": "u2", "par', answered("a2", "u2", text("Done")), said("u3", "a2", "On")
    )
    assert outline(file) == ["u:Start", "a:Ready", "a:Done", "u:On"]
    assert file.skipped == [("line", 1)]


def test_a_torn_last_line_loses_itself_only() -> None:
    content = "\n".join(json.dumps(row) for row in TALK) + '\n{"parentUuid": "a1", "type": "us'
    file = Read(FORMAT, of(content))
    assert outline(file) == ["u:Start", "a:Ready"]
    assert [(s.why, s.first_line) for s in file.tally.skipped] == [(TORN, 3)]


def test_a_parent_may_stand_below_its_child() -> None:
    u1, a1 = TALK
    assert outline(read(a1, u1, said("u2", "a1", "Go on"))) == ["u:Start", "a:Ready", "u:Go on"]


def test_rows_that_are_not_linked_are_in_the_order_of_the_file() -> None:
    rows = [said("u1", None, "1"), answered("a1", None, use("c1")), result("r1", None, "c1"), said("u2", None, "2")]
    expected = ["u:1", "a:+c1", "t:c1", "u:2"]
    assert outline(read(*rows)) == expected
    assert outline(read(*({n: v for n, v in row.items() if n != "parentUuid"} for row in rows))) == expected


def test_a_file_of_several_sessions_gives_each() -> None:
    other = [said("v1", None, "Other", sessionId="s2"), answered("v2", "v1", text("Yes"), sessionId="s2")]
    file = read(*TALK, *other)
    assert [(t.native_id, t.branch) for t in file.transcripts] == [("s1", ""), ("s2", "")]
    assert outline(file, 1) == ["u:Other", "a:Yes"]


def test_a_session_that_went_on_from_another_has_the_id_of_its_newest_row() -> None:
    assert read(*TALK, said("u2", "a1", "Go on", sessionId="s2")).transcripts[0].native_id == "s2"


def test_a_row_that_was_written_again_is_not_doubled() -> None:
    file = read(*TALK, *TALK, said("u2", "a1", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:Go on"]
    assert branches(file) == [("", ())]
    assert file.skipped == [("user", 1), ("assistant", 1)]


def test_rows_that_were_written_again_under_other_names_are_not_doubled() -> None:
    def at(minute: int, row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "timestamp": f"2025-01-01T12:0{minute}:00.123Z"}

    rows = [at(1, said("u2", "a1", "More")), at(2, answered("a2", "u2", text("Yes")))]
    again = [{**rows[0], "uuid": "v2"}, {**rows[1], "uuid": "b2", "parentUuid": "v2"}]
    file = read(*TALK, *rows, *again, said("u3", "b2", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:More", "a:Yes", "u:Go on"]
    assert branches(file) == [("", ())]
    kept = [{**again[0], "parentUuid": "cs"}, again[1]]
    file = read(*TALK, *rows, boundary("cb", "a2"), summary("cs", "cb"), *kept, said("u3", "b2", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:More", "a:Yes", "C", "u:Go on"]
    assert file.compacted()[0].keeps == {"u2", "a2"}
    # The same words at another time are said again.
    assert len(read(*TALK, *rows, {**at(3, rows[0]), "uuid": "v2"}).transcripts) == 2


def test_two_rows_of_one_name_that_say_different_things_are_two() -> None:
    assert outline(read(*TALK, said("x", "a1", "1"), said("x", "x", "2"))) == ["u:Start", "a:Ready", "u:1", "u:2"]


# --- one response, many rows -----------------------------------------------------------------


def test_rows_of_one_response_are_one_message_and_its_usage_counts_once() -> None:
    file = read(
        TALK[0],
        answered("a1", "u1", text("Look"), id="m1", usage={"input_tokens": 9, "output_tokens": 1}, requestId="r1"),
        answered(
            "a2", "a1", use("c1"), id="m1", requestId="r1", stop_reason="tool_use",
            usage={"input_tokens": 9, "output_tokens": 40, "service_tier": "standard"},
        ),
    )  # fmt: skip
    assert outline(file) == ["u:Start", "a:Look+c1"]
    response = file.said()[1]
    assert (response.records, response.keys) == ((2, 3), ("a1", "a2"))
    assert response.metadata == {
        "model": "m",
        "usage": {"input_tokens": 9, "output_tokens": 40},
        "stop_reason": "tool_use",
        "response_id": "m1",
        "request_id": "r1",
        "extra": {"uuid": ["a1", "a2"], "usage": {"service_tier": "standard"}},
    }


def test_results_below_the_rows_of_their_calls_are_no_branches() -> None:
    file = read(
        TALK[0],
        answered("a1", "u1", use("c1"), id="m1"),
        answered("a2", "a1", use("c2"), id="m1"),
        answered("a3", "a2", use("c3"), id="m1"),
        result("r2", "a2", "c2"),
        {"type": "progress", "uuid": "p", "parentUuid": "a1"},
        result("r1", "p", "c1"),
        result("r3", "a3", "c3"),
        answered("a4", "r1", text("Done")),
    )
    assert outline(file) == ["u:Start", "a:+c1+c2+c3", "t:c2", "t:c1", "t:c3", "a:Done"]
    assert branches(file) == [("", ())]


def test_a_call_that_was_written_after_the_first_result_belongs_to_the_response() -> None:
    file = read(
        TALK[0],
        answered("a1", "u1", use("c1"), id="m1"),
        result("r1", "a1", "c1"),
        answered("a2", "r1", use("c2"), id="m1"),
        result("r2", "a2", "c2"),
        answered("a3", "r2", text("Done")),
    )
    assert outline(file) == ["u:Start", "a:+c1+c2", "t:c1", "t:c2", "a:Done"]


def test_rows_of_one_response_may_stand_beside_each_other() -> None:
    rows = [
        answered("a1", "u1", text("1"), id="m1"),
        answered("a2", "u1", use("c1"), id="m1"),
        result("r1", "a2", "c1"),
    ]
    assert outline(read(TALK[0], *rows)) == ["u:Start", "a:1+c1", "t:c1"]


def test_an_id_of_a_response_that_comes_again_later_is_another_response() -> None:
    rows = [answered("a1", "u1", text("1"), id="m"), said("u2", "a1", "2"), answered("a2", "u2", text("3"), id="m")]
    assert outline(read(TALK[0], *rows)) == ["u:Start", "a:1", "u:2", "a:3"]
    first, _, second = rows
    again = [{**first, "requestId": "r1"}, {**second, "parentUuid": "a1", "requestId": "r2"}]
    assert outline(read(TALK[0], *again)) == ["u:Start", "a:1", "a:3"]


def test_a_result_whose_parent_is_unknown_finds_its_call() -> None:
    file = read(*TALK, answered("a2", "a1", use("c1")), result("r1", "gone", "c1"), said("u2", "r1", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "a:+c1", "t:c1", "u:Go on"]


def test_what_a_tool_adds_to_its_result_comes_after_all_results() -> None:
    file = read(
        TALK[0],
        answered("a1", "u1", use("c1"), id="m1"),
        answered("a2", "a1", use("c2"), id="m1"),
        result("r1", "a1", "c1", text="Beside"),
        said("x", "r1", "The skill", isMeta=True, sourceToolUseID="c1"),
        result("r2", "a2", "c2"),
        answered("a3", "r2", text("Done")),
    )
    assert outline(file) == ["u:Start", "a:+c1+c2", "t:c1", "t:c2", "u:Beside", "u:The skill", "a:Done"]
    assert branches(file) == [("", ())]


def test_a_response_that_goes_on_while_a_result_comes_in_is_no_branch() -> None:
    file = read(
        TALK[0],
        answered("a1", "u1", use("c1")),
        answered("a2", "a1", use("c2")),
        result("r2", "a2", "c2"),
        result("r1", "a1", "c1"),
        answered("a3", "r1", text("Done")),
    )
    assert outline(file) == ["u:Start", "a:+c1", "t:c1", "a:+c2", "t:c2", "a:Done"]
    assert branches(file) == [("", ())]


def test_a_prompt_below_a_result_is_a_branch_beside_what_went_on() -> None:
    rows = [answered("a1", "u1", use("c1")), result("r1", "a1", "c1"), said("u2", "a1", "Stop")]
    file = read(TALK[0], *rows, answered("a2", "r1", text("1")))
    assert branches(file) == [("", ()), ("u2", ("branch",))]


def test_a_retry_after_a_result_is_a_branch() -> None:
    rows = [answered("a1", "u1", use("c1")), result("r1", "a1", "c1"), answered("a2", "r1", text("1"))]
    file = read(TALK[0], *rows, answered("a3", "r1", text("2")))
    assert branches(file) == [("", ()), ("a2", ("branch",))]
    assert outline(file, 1) == ["u:Start", "a:+c1", "t:c1", "a:1"]


def test_a_row_may_hold_results_and_text() -> None:
    rows = [answered("a1", "u1", use("c1"), use("c2")), result("r1", "a1", "c1", "c2", text="And now?", origin="me")]
    file = read(TALK[0], *rows)
    assert outline(file)[2:] == ["t:c1", "t:c2", "u:And now?"]
    assert [s.records for s in file.said()[2:]] == [(3,)] * 3
    # What else the row holds is told once.
    assert [s.metadata for s in file.said()[2:]] == [{"extra": {"uuid": "r1", "origin": "me"}}, {}, {}]


def test_a_failed_result_says_so_and_a_result_is_kept_once() -> None:
    failed = {"type": "tool_result", "tool_use_id": "c1", "content": "Not found", "is_error": True}
    row = said("r1", "a1", [failed], toolUseResult="Error: Not found")
    file = read(TALK[0], answered("a1", "u1", use("c1")), row)
    assert file.messages()[-1] == {"role": "tool", "tool_call_id": "c1", "content": "Not found", "is_error": True}
    assert file.said()[-1].metadata == {"extra": {"uuid": "r1"}}
    structured = {**row, "toolUseResult": {"stdout": "x"}}
    file = read(TALK[0], answered("a1", "u1", use("c1")), structured)
    assert file.said()[-1].metadata["extra"]["toolUseResult"] == {"stdout": "x"}


def test_calls_and_results_without_ids_stay_without() -> None:
    call = {"type": "tool_use", "name": "Read", "input": {}}
    rows = [answered("a1", "u1", call), said("r1", "a1", [{"type": "tool_result", "content": "Yes"}])]
    assert outline(read(TALK[0], *rows)) == ["u:Start", "a:+", "t:"]


def test_thinking_its_signature_and_images_go_where_every_format_puts_them() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "abc"}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    asked, response = read(said("u1", None, [image]), answered("a1", "u1", thinking, text("Yes"))).messages()
    assert asked["content"] == [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
    assert response == {
        "role": "assistant", "content": "Yes", "reasoning_content": "Hm.", "reasoning_details": [thinking],
    }  # fmt: skip


def test_what_is_the_same_in_each_row_is_told_where_it_changes() -> None:
    u1, a1 = (row | {"cwd": "/a"} for row in TALK)
    file = read(u1, a1, said("u2", "a1", "Go on", cwd="/b"))
    assert [s.metadata["extra"].get("cwd") for s in file.said()] == ["/a", None, "/b"]


# --- what the model sees ---------------------------------------------------------------------


def test_rows_that_stand_in_the_users_place_are_kept_and_give_no_title() -> None:
    file = read(
        said("u1", None, "Caveat: the messages below", isMeta=True),
        said("u2", "u1", "<command-name>/clear</command-name>\n<command-message>clear</command-message>"),
        said("u3", "u2", "<local-command-stdout></local-command-stdout>"),
        said("u4", "u3", "\n  Fix it.\nSoon."),
    )
    assert len(file.messages()) == 4
    assert file.transcripts[0].title == "Fix it."


def test_a_command_is_a_title_where_nothing_else_is_or_where_it_says_more() -> None:
    command = "<command-name>/init</command-name>\n<command-args>{}</command-args>"
    assert read(said("u1", None, command.format("")), TALK[1]).transcripts[0].title == "/init"
    assert read(said("u1", None, command.format("the docs")), TALK[1]).transcripts[0].title == "/init the docs"


@pytest.mark.parametrize("text", ["word " * 40, "<command-name>/x</command-name><command-args>" + "word " * 40])
def test_a_title_that_was_cut_ends_in_a_sign_of_it(text: str) -> None:
    title = read(said("u1", None, text), TALK[1]).transcripts[0].title
    assert (len(title), title[-1]) == (80, "…")


def test_what_was_said_while_the_model_was_at_work_is_a_message() -> None:
    attachment = {"type": "queued_command", "prompt": "Faster", "commandMode": "prompt"}
    row = {"type": "attachment", "uuid": "q", "parentUuid": "a1", "attachment": attachment}
    file = read(*TALK, row, said("u2", "q", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:Faster", "u:Go on"]
    extra = file.said()[2].metadata["extra"]
    assert extra["attachment"] == {"type": "queued_command", "commandMode": "prompt"}


def test_a_boundary_that_cleared_results_is_named_as_a_window_that_is_not_derived() -> None:
    row = {"type": "system", "subtype": "microcompact_boundary", "uuid": "x", "parentUuid": "a1", "content": "Cleared"}
    (named,) = read(*TALK, row).tally.skipped
    assert named.what == "system/microcompact_boundary"
    assert named.why.endswith("that window is not derived")


def test_what_a_local_command_printed_is_a_message() -> None:
    row = {"type": "system", "subtype": "local_command", "uuid": "x", "parentUuid": "a1", "content": "<out>"}
    assert outline(read(*TALK, row)) == ["u:Start", "a:Ready", "u:<out>"]


def test_what_a_command_printed_before_anything_was_said_is_no_conversation() -> None:
    row = {"type": "system", "subtype": "local_command", "uuid": "x", "parentUuid": None, "content": "<out>"}
    file = read(row, *TALK)
    assert outline(file) == ["u:Start", "a:Ready"]
    assert (branches(file), file.skipped) == ([("", ())], [("system/local_command", 1)])


def test_an_error_of_the_api_is_no_message_but_a_made_up_answer_is() -> None:
    error = answered("e1", "a1", text("API Error: 529"), isApiErrorMessage=True)
    made_up = answered("a2", "u2", text("No response requested."))
    made_up["message"]["model"] = "<synthetic>"
    file = read(*TALK, error, said("u2", "e1", "Again"), made_up)
    assert outline(file) == ["u:Start", "a:Ready", "u:Again", "a:No response requested."]
    assert file.skipped == [("API error", 1)]
    assert file.said()[-1].metadata["model"] == "<synthetic>"


def test_rows_of_odd_shapes_are_kept_or_named() -> None:
    file = read(
        *TALK,
        said("u2", "a1", ["just text"]),
        {"type": "user", "uuid": "u3", "parentUuid": "u2", "message": "bare"},
        {"type": "user", "uuid": "u4", "parentUuid": "u3", "message": {"role": "user", "contents": []}},
        said("u5", "u4", "Go on"),
        '"text"', "42", "[1]", "null",
    )  # fmt: skip
    assert outline(file) == ["u:Start", "a:Ready", "u:just text", "u:bare", "u:Go on"]
    assert [name for name, _ in file.skipped] == ["user", "line", "line", "line", "line"]


# --- side chains -----------------------------------------------------------------------------


def side(row: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**row, "isSidechain": True, **members}


def test_a_side_chain_is_a_session_of_its_own() -> None:
    file = read(
        *TALK,
        side(said("s1", None, "Look around")),
        said("u2", "a1", "Go on"),
        side(answered("s2", "s1", text("Nothing"))),
    )
    assert branches(file) == [("", ()), ("s1", ("sidechain",))]
    assert outline(file, 0) == ["u:Start", "a:Ready", "u:Go on"]
    assert outline(file, 1) == ["u:Look around", "a:Nothing"]


def test_a_side_chain_is_known_by_its_agent() -> None:
    rows = [side(said("s1", "a1", "Look"), agentId="f00"), side(answered("s2", "s1", text("No")), agentId="f00")]
    file = read(*TALK, *rows)
    assert branches(file) == [("", ()), ("f00", ("sidechain",))]
    # It begins where it leaves the conversation.
    assert outline(file, 1) == ["u:Look", "a:No"]
    assert file.said(1)[0].metadata["agent"] == "f00"


def test_a_file_of_one_agent_is_one_session() -> None:
    file = read(side(said("s1", None, "Look"), agentId="f00"), side(answered("s2", "s1", text("No")), agentId="f00"))
    assert [(t.native_id, t.branch, t.labels, t.title) for t in file.transcripts] == [
        ("s1", "f00", ("sidechain",), "Look")
    ]


def test_a_branch_within_a_side_chain_is_both() -> None:
    rows = [side(said("s1", None, "1"), agentId="f"), side(said("s2", "s1", "2"), agentId="f")]
    file = read(*TALK, *rows, side(said("s3", "s1", "3"), agentId="f"))
    assert branches(file) == [("", ()), ("f", ("sidechain",)), ("s2", ("sidechain", "branch"))]


def test_agents_that_write_at_once_are_told_apart() -> None:
    one, two = ({"agentId": "one"}, {"agentId": "two"})
    file = read(
        side(said("s1", None, "1"), **one), side(said("t1", None, "2"), **two),
        side(answered("s2", "s1", text("3")), **one), side(answered("t2", "t1", text("4")), **two),
    )  # fmt: skip
    assert [outline(file, n) for n in range(2)] == [["u:1", "a:3"], ["u:2", "a:4"]]


def test_an_agent_that_took_over_the_history_keeps_it() -> None:
    taken = [side(row, agentId="f") for row in (*TALK, said("s1", "a1", "Look"))]
    file = read(*TALK, *taken, said("u2", "a1", "Go on"))
    assert outline(file, 0) == ["u:Start", "a:Ready", "u:Go on"]
    assert outline(file, 1) == ["u:Start", "a:Ready", "u:Look"]


def test_the_conversation_goes_on_past_a_side_chain_that_stands_between() -> None:
    file = read(*TALK, side(said("s1", "a1", "Look")), said("u2", "s1", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:Go on"]


# --- compactions -----------------------------------------------------------------------------


def test_a_boundary_and_its_summary_are_a_compaction() -> None:
    cut = boundary("cb", "a1", postTokens=900, durationMs=5, preCompactDiscoveredTools=[])
    file = read(*TALK, {**cut, "timestamp": "2025-01-01T12:00:00Z"}, summary("cs", "cb"), said("u2", "cs", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "C", "u:Go on"]
    (compacted,) = file.compacted()
    assert (compacted.records, compacted.keeps) == ((3, 4), set())
    assert compacted.summary == {"role": "user", "content": "What came before."}
    assert compacted.params == {"trigger": "auto", "pre_tokens": 150_000, "post_tokens": 900, "duration_ms": 5}
    assert compacted.at is not None


KEPT = [*TALK, said("u2", "a1", "More"), answered("a2", "u2", use("c1")), result("r2", "a2", "c1")]
SEGMENT = {"preservedSegment": {"headUuid": "u2", "anchorUuid": "cs", "tailUuid": "a2"}}


def test_what_a_compaction_kept_stays_and_a_response_stays_whole() -> None:
    file = read(*KEPT, boundary("cb", "r2", **SEGMENT), summary("cs", "cb"), said("u3", "cs", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:More", "a:+c1", "t:c1", "C", "u:Go on"]
    assert file.compacted()[0].keeps == {"u2", "a2", "r2"}
    by_name = boundary("cb", "r2", preservedMessages={"anchorUuid": "cs", "uuids": ["u2", "gone"]})
    file = read(*KEPT, by_name, summary("cs", "cb"), said("u3", "cs", "Go on"))
    assert file.compacted()[0].keeps == {"u2"}


def test_a_stretch_that_does_not_lead_to_its_head_keeps_nothing() -> None:
    cut = boundary("cb", "r2", preservedSegment={"headUuid": "gone", "tailUuid": "r2"})
    assert read(*KEPT, cut, summary("cs", "cb"), said("u3", "cs", "Go on")).compacted()[0].keeps == set()


def test_what_follows_a_kept_row_after_the_compaction_follows_the_compaction() -> None:
    file = read(*KEPT, boundary("cb", "r2", **SEGMENT), summary("cs", "cb"), said("u3", "a2", "Go on"))
    assert outline(file)[-2:] == ["C", "u:Go on"]
    assert branches(file) == [("", ())]


def test_kept_rows_that_are_written_again_are_not_doubled() -> None:
    again = [{**row, "parentUuid": parent} for row, parent in zip(KEPT[2:], ("cs", "u2", "a2"), strict=True)]
    file = read(*KEPT, boundary("cb", "r2"), summary("cs", "cb"), *again, said("u3", "r2", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:More", "a:+c1", "t:c1", "C", "u:Go on"]
    assert file.compacted()[0].keeps == {"u2", "a2", "r2"}
    assert branches(file) == [("", ())]
    assert sum(count for _, count in file.skipped) == 3


def test_kept_rows_that_are_written_after_the_compaction_only_stand_before_it() -> None:
    cut = boundary("cb", "r2", preservedMessages={"uuids": ["u2", "a2", "r2"]})
    moved = [{**KEPT[3], "parentUuid": "cs"}, KEPT[4]]
    file = read(*KEPT[:3], cut, summary("cs", "cb"), *moved, said("u3", "r2", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "u:More", "a:+c1", "t:c1", "C", "u:Go on"]
    assert file.compacted()[0].keeps == {"u2", "a2", "r2"}


def test_a_second_compaction_follows_the_first() -> None:
    file = read(
        *TALK, boundary("c1", "a1"), summary("s1", "c1"), said("u2", "s1", "2"), boundary("c2", "u2"),
        summary("s2", "c2", "All that."), said("u3", "s2", "3"),
    )  # fmt: skip
    assert outline(file) == ["u:Start", "a:Ready", "C", "u:2", "C", "u:3"]


def test_a_branch_holds_the_compactions_of_its_own_way() -> None:
    rows = [boundary("cb", "a1"), summary("cs", "cb"), said("b1", "cs", "1"), said("c1", "cs", "2")]
    file = read(*TALK, *rows)
    assert outline(file, 1) == ["u:Start", "a:Ready", "C", "u:1"]


@pytest.mark.parametrize("parent", [None, "gone"])
def test_a_boundary_that_names_no_known_row_follows_the_last_one(parent: str | None) -> None:
    file = read(*TALK, boundary("cb", parent), summary("cs", "cb"), said("u2", "cs", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "C", "u:Go on"]


def test_a_summary_without_a_boundary_is_a_compaction() -> None:
    file = read(*TALK, summary("cs", None), said("u2", "cs", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "C", "u:Go on"]
    assert file.compacted()[0].keeps == set()


def test_a_boundary_without_a_summary_is_a_compaction() -> None:
    file = read(*TALK, boundary("cb", "a1", preservedMessages={"uuids": ["a1"]}), said("u2", "cb", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "C", "u:Go on"]
    (compacted,) = file.compacted()
    assert (compacted.summary, compacted.keeps) == (None, {"a1"})


def test_a_summary_row_in_the_chain_is_a_summary_and_no_title() -> None:
    row = {"type": "summary", "uuid": "cs", "parentUuid": "cb", "message": {"role": "user", "content": "Before."}}
    file = read(*TALK, boundary("cb", "a1"), row, said("u2", "cs", "Go on"))
    assert outline(file) == ["u:Start", "a:Ready", "C", "u:Go on"]
    assert file.compacted()[0].summary == {"role": "user", "content": "Before."}


def test_a_summary_of_what_another_file_holds_is_a_message() -> None:
    file = read(boundary("cb", "gone"), summary("cs", "cb"), said("u2", "cs", "Go on"))
    assert outline(file) == ["u:What came before.", "u:Go on"]
    assert file.said()[0].records == (1, 2)


def test_a_boundary_at_the_end_waits_for_its_summary() -> None:
    file = read(*TALK, boundary("cb", "a1"))
    assert file.compacted() == []
    assert file.skipped == [("system/compact_boundary", 1)]


def test_a_boundary_before_every_message_is_named() -> None:
    file = read(boundary("cb", "gone"), said("u2", "cb", "Go on"))
    assert outline(file) == ["u:Go on"]
    assert file.skipped == [("system/compact_boundary", 1)]


# --- titles ----------------------------------------------------------------------------------


def title_row(text: str, leaf: str) -> dict[str, str]:
    return {"type": "summary", "summary": text, "leafUuid": leaf}


def test_a_summary_line_names_the_chain_of_its_leaf_only() -> None:
    rows = [said("b1", "a1", "1"), said("c1", "a1", "2")]
    titles = [title_row("Elsewhere", "gone"), title_row("Old", "b1"), title_row("New", "c1")]
    file = read(*titles, *TALK, *rows)
    assert [t.title for t in file.transcripts] == ["New", "Old"]
    assert [(s.what, s.first_line) for s in file.tally.skipped] == [("summary", 1)]


def test_a_title_by_hand_counts_before_one_by_a_model_and_the_last_of_each() -> None:
    file = read(
        *TALK,
        {"type": "custom-title", "customTitle": "Mine", "sessionId": "s1"},
        {"type": "custom-title", "customTitle": "Mine!", "sessionId": "s1"},
        {"type": "ai-title", "aiTitle": "Its", "sessionId": "s1"},
        {"type": "ai-title", "aiTitle": "Other", "sessionId": "s9"},
        {"type": "ai-title", "aiTitle": " "},
    )
    assert file.transcripts[0].title == "Mine!"
    assert file.skipped == [("custom-title", 1), ("ai-title", 1), ("ai-title", 1), ("ai-title", 1)]


# --- other files of the same rows ------------------------------------------------------------


def without_links(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("type", "message", "isCompactSummary") if name in row}


def test_the_export_of_the_web_is_in_the_order_of_its_lines() -> None:
    rows = [without_links(row) for row in (*KEPT, summary("cs", None), said("u3", "cs", "Go on"))]
    for value in ({"loglines": rows}, {"title": "x", "loglines": rows}):
        file = Read(FORMAT, document(value))
        assert outline(file) == ["u:Start", "a:Ready", "u:More", "a:+c1", "t:c1", "C", "u:Go on"]
        assert [s.records for s in file.steps[0]] == [(n,) for n in range(1, 8)]


def test_an_export_with_links_and_odd_lines_is_read_like_a_file() -> None:
    rows = [*TALK, "odd", 1, said("b1", "a1", "1"), said("c1", "a1", "2")]
    file = Read(FORMAT, document({"loglines": rows}))
    assert [outline(file, n)[-1] for n in range(2)] == ["u:2", "u:1"]
    assert file.skipped == [("line", 2)]
    assert outline(Read(FORMAT, document(TALK))) == ["u:Start", "a:Ready"]


def test_a_file_of_one_line_is_a_file() -> None:
    assert outline(read(TALK[0])) == ["u:Start"]


def test_the_live_stream_is_read_by_its_own_names() -> None:
    def event(type_: str, parent: str | None, content: Any, **members: Any) -> dict[str, Any]:
        message = {"role": type_, "content": content}
        return {"type": type_, "message": message, "parent_tool_use_id": parent, "session_id": "s1", **members}

    file = read(
        {"type": "system", "subtype": "init", "session_id": "s1"},
        event("user", None, "Start"),
        event("assistant", None, [use("c1", "Task")]),
        event("user", "c1", "Look"),
        event("assistant", "c1", [text("No")]),
        event("user", None, [{"type": "tool_result", "tool_use_id": "c1", "content": "No"}]),
        {"type": "system", "subtype": "compact_boundary", "compact_metadata": {"trigger": "manual", "pre_tokens": 9}},
        event("user", None, "Before.", isCompactSummary=True),
        event("assistant", None, [text("Done")]),
        {"type": "result", "result": "Done", "session_id": "s1"},
    )
    assert outline(file, 0) == ["u:Start", "a:+c1", "t:c1", "C", "a:Done"]
    assert file.compacted()[0].params == {"trigger": "manual", "pre_tokens": 9}
    assert (branches(file)[1], outline(file, 1)) == (("c1", ("sidechain",)), ["u:Look", "a:No"])


@pytest.mark.parametrize(
    "first",
    [
        {"type": "file-history-snapshot", "messageId": "x"},
        {"type": "queue-operation", "operation": "enqueue"},
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "permission-mode", "permissionMode": "plan"},
    ],
)
def test_a_file_that_begins_with_bookkeeping_is_recognised(first: Any) -> None:
    assert outline(read(*[first] * 30, *TALK)) == ["u:Start", "a:Ready"]


@pytest.mark.parametrize(
    "source",
    [
        lines({"type": "session_meta", "payload": {}}, {"type": "response_item", "payload": {}}),
        lines({"sessionId": "s", "projectHash": "p"}, {"id": "1", "type": "user", "content": "Hi"}),
        lines({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi"}),
        document({"messages": [{"role": "user", "content": "Hi"}]}),
        document([{"type": "message", "role": "user", "content": "Hi"}]),
        of(""),
    ],
)
def test_files_of_other_formats_are_not_recognised(source: Any) -> None:
    assert not FORMAT.recognises(sniff(source))


# --- whatever the file holds -----------------------------------------------------------------

EVERYTHING = [
    title_row("New", "u3"),
    *KEPT,
    side(said("s1", None, "Look"), agentId="f"),
    boundary("cb", "r2", **SEGMENT, preservedMessages={"uuids": ["u2"]}),
    summary("cs", "cb"),
    {"type": "attachment", "uuid": "q", "parentUuid": "cs", "attachment": {"type": "queued_command", "prompt": "x"}},
    {"type": "system", "subtype": "local_command", "uuid": "l", "parentUuid": "q", "content": "<out>"},
    said("u3", "l", [text("Go on")]),
    {"type": "custom-title", "customTitle": "Mine"},
]


def take(content: bytes) -> None:
    source, tally = of(content), Tally()
    look = sniff(source)
    FORMAT.recognises(look)
    for transcript in FORMAT.read(source, look, tally):
        for step in transcript.steps:
            tally.use(step.records)
    assert not tally.unaccounted


def test_a_file_that_breaks_off_anywhere_raises_nothing() -> None:
    for content in (lines(*EVERYTHING), document({"loglines": EVERYTHING})):
        data = content.read_at(0, content.size)
        for end in range(0, len(data), 47):
            take(data[:end])
            take(data[:end] + b"\xff\0{" + data[end + 3 :])


@pytest.mark.parametrize("odd", [None, True, 7, -1.5, "x", "", [], ["x"], [[]], [{}], {}, {"type": []}, 10**40])
def test_a_member_of_any_type_raises_nothing(odd: Any) -> None:
    for number, row in enumerate(EVERYTHING):
        for name in row:
            changed = [*EVERYTHING[:number], {**row, name: odd}, *EVERYTHING[number + 1 :]]
            take("\n".join(json.dumps(r) for r in changed).encode())
        for inner in ("message", "attachment", "compactMetadata"):
            for name in row.get(inner, ()):
                changed = [*EVERYTHING[:number], {**row, inner: {**row[inner], name: odd}}, *EVERYTHING[number + 1 :]]
                take("\n".join(json.dumps(r) for r in changed).encode())


NAMES = st.sampled_from(["a", "b", "c", "d", "e", "gone"])
LINK = st.one_of(st.none(), NAMES)


@st.composite
def any_row(draw: st.DrawFn) -> dict[str, Any]:
    uuid, parent = draw(NAMES), draw(LINK)
    calls = draw(st.lists(st.sampled_from(["c1", "c2"]), max_size=2))
    row = draw(
        st.sampled_from(
            [
                said(uuid, parent, draw(st.sampled_from(["1", "2"]))),
                answered(uuid, parent, text("3"), *map(use, calls), id=draw(st.sampled_from(["m1", "m2"]))),
                result(uuid, parent, *calls, text="4"),
                summary(uuid, parent),
                boundary(
                    uuid,
                    parent,
                    preservedSegment={"headUuid": draw(LINK), "tailUuid": draw(LINK)},
                    preservedMessages={"uuids": draw(st.lists(NAMES, max_size=3))},
                ),
                {"type": "progress", "uuid": uuid, "parentUuid": parent},
            ]
        )
    )
    more = {"timestamp": draw(st.sampled_from(["", "2025-01-01T12:00:00Z"])), "agentId": draw(st.sampled_from("xy"))}
    return {**row, **more, "isSidechain": draw(st.booleans())}


@given(st.lists(any_row(), max_size=9))
@settings(max_examples=300, deadline=None)
def test_whatever_the_rows_name_as_their_parents_none_is_lost(rows: list[dict[str, Any]]) -> None:
    file = read(*rows) if rows else None
    # A session is known by its id and its branch: no two have both in common.
    known = [(t.native_id, t.branch) for t in file.transcripts] if file else []
    assert len(known) == len(set(known))


@pytest.mark.parametrize("whole", [lines, lambda *rows: document({"loglines": rows})])
def test_a_large_file_is_never_held(whole: Any) -> None:
    rows = [said(f"u{n}", f"u{n - 1}" if n else None, "x" * 1_000_000) for n in range(40)]
    source = whole(*rows)
    look = sniff(source)
    del rows
    tracemalloc.start()
    try:
        for transcript in FORMAT.read(source, look, Tally()):
            assert sum(1 for _ in transcript.steps) == 40
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


# --- real files ------------------------------------------------------------------------------


@real_files
@pytest.mark.parametrize(
    ("name", "sessions", "compactions", "skipped"),
    [
        ("agentcmd-full-session-askuserquestion.jsonl", [9], 0, [("file-history-snapshot", 2)]),
        ("ccviewer-1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl", [21], 0, []),
        ("ccviewer-5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl", [25, 6, 14], 0, []),
        ("ccviewer-agent-test-hash-456.jsonl", [2], 0, []),
        ("dag_compact_after_rewind_preserved.jsonl", [8, 4], 1, []),
        ("edge_cases.jsonl", [12, 1], 0, [("user", 1), ("line", 1), ("line", 1), ("line", 1), ("line", 1)]),
        ("session_with_compaction.jsonl", [12], 1, []),
        ("simonw-sample_session.jsonl", [7], 0, [("summary", 1)]),
        ("simonw-web-sample_session.json", [32], 1, []),
        ("todowrite_examples.jsonl", [11], 0, []),
    ],
)
def test_real_files(name: str, sessions: list[int], compactions: int, skipped: list[tuple[str, int]]) -> None:
    file = Read(FORMAT, real(f"claude-code/{name}"))
    assert [len(file.said(n)) for n in range(len(file.transcripts))] == sessions
    assert sum(len(file.compacted(n)) for n in range(len(file.transcripts))) == compactions
    assert file.skipped == skipped
    for n in range(len(file.transcripts)):
        answered: set[str] = set()
        for message in file.messages(n):
            if message["role"] == "assistant":
                answered = {call["id"] for call in message.get("tool_calls", ())}
            elif message["role"] == "tool":
                answered.remove(message["tool_call_id"])


@real_files
def test_a_real_file_with_parallel_calls_and_side_chains() -> None:
    file = Read(FORMAT, real("claude-code/ccviewer-5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl"))
    assert [t.labels for t in file.transcripts] == [(), ("sidechain",), ("sidechain",)]
    assert [t.branch[:8] for t in file.transcripts] == ["", "6340ddef", "83e2917c"]
    parallel = file.said()[8]
    assert [call["function"]["name"] for call in parallel.message["tool_calls"]] == ["Task", "Task", "TodoWrite"]
    assert (parallel.records, [s.records for s in file.said()[9:12]]) == ((12, 13, 14), [(15,), (23,), (24,)])
    assert [s.message.get("is_error") for s in file.said()[9:12]] == [True, None, None]


@real_files
def test_a_real_compaction_after_going_back() -> None:
    file = Read(FORMAT, real("claude-code/dag_compact_after_rewind_preserved.jsonl"))
    assert outline(file) == [
        "u:Start", "a:Ready", "u:Second attempt", "a:Second answer", "u:Keep going", "a:Kept going", "C",
        "u:After compaction", "a:Final answer",
    ]  # fmt: skip
    assert file.compacted()[0].keeps == {"b2a", "b2u2", "b2a2"}
    assert outline(file, 1) == ["u:Start", "a:Ready", "u:First attempt", "a:First answer"]
