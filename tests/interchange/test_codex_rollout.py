"""Codex rollouts: what is said once, what stands beside it, and what becomes of the window."""

import json
from typing import Any

import pytest

from sessions_app.interchange.formats.codex_rollout.importer import CodexRollout
from sessions_app.interchange.formats.codex_rollout.window import WORDS_KEPT
from sessions_app.interchange.jsonreading import TORN
from sessions_app.interchange.registry import recognise
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import SUMMARY
from tests import builders as b
from tests.interchange import response_items as r
from tests.interchange.samples import Read, lines, of, real, real_files, texts

FORMAT = CodexRollout()
SESSION_ID = "0199aaaa-1111-7111-8111-aaaaaaaaaaaa"


def line(kind: str, at: int = 0, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-02T03:04:{at:02}.500Z", "type": kind, "payload": payload}


def meta(**members: Any) -> dict[str, Any]:
    return line("session_meta", id=SESSION_ID, **members)


def item(value: r.Item, at: int = 0) -> dict[str, Any]:
    return line("response_item", at, **{"type": "message", **value})


def event(kind: str, **members: Any) -> dict[str, Any]:
    return line("event_msg", type=kind, **members)


def counts(given: int, total: int) -> dict[str, Any]:
    info = {
        "last_token_usage": {"input_tokens": given, "output_tokens": 1},
        "total_token_usage": {"input_tokens": total},
    }
    return event("token_count", info=info)


def read(*values: Any) -> Read:
    return Read(FORMAT, lines(meta(), *values))


ASKED = item(r.user("Look."))


def test_what_is_said_is_taken_once_and_from_the_response_items():
    made = read(
        event("user_message", message="Look."),
        ASKED,
        event("agent_reasoning", text="Hm."),
        item(r.thinks("Hm.", "gAAA")),
        item(r.calls("c1")),
        item(r.output("c1")),
        item(r.says("Seen.")),
        event("agent_message", message="Seen."),
    )

    assert texts(made.messages()) == ["Look.", None, "ok", "Seen."]
    assert made.messages()[1]["reasoning_content"] == "Hm."
    assert made.skipped == [("user_message", 1), ("agent_reasoning", 1), ("agent_message", 1)]


def test_the_items_of_a_response_are_one_message_with_the_time_of_the_first():
    made = read(item(r.thinks(), 4), item(r.says("I look."), 5), item(r.calls("c1"), 6), item(r.output("c1"), 3))

    asked, answered = made.said()
    assert asked.message == b.calls("c1", text="I look.") | {"reasoning_content": "Hm."}
    assert asked.records == (1, 2, 3, 4)
    assert asked.at is not None and answered.at is not None
    assert (asked.at.second, answered.at.second) == (4, 3)


def test_where_there_are_only_events_they_tell_what_was_said():
    told = (event("user_message", message="Look."), event("agent_reasoning", text="Hm."))
    made = read(*told, event("agent_message", message="Seen."))

    assert made.messages() == [b.user("Look."), b.says("Seen.") | {"reasoning_content": "Hm."}]


def test_the_session_is_known_by_its_own_id_and_told_of_beside_its_first_message():
    made = read(line("turn_context", model="gpt-5", cwd="/a", turn_id="t1"), ASKED, item(r.says()))

    assert made.transcripts[0].native_id == SESSION_ID
    asked, said = made.said()
    assert asked.records == (1, 2, 3)
    assert asked.metadata == {"extra": {"turn_context": {"cwd": "/a"}}}
    assert said.metadata == {"model": "gpt-5"}


def test_a_session_without_a_first_line_is_known_by_the_name_of_its_file():
    content = "\n".join(json.dumps(v) for v in (ASKED, item(r.says())))
    made = Read(FORMAT, of(content, f"rollout-2026-01-02T03-04-05-{SESSION_ID}.jsonl"))

    assert made.transcripts[0].native_id == SESSION_ID


def test_the_base_instructions_are_the_system_message():
    made = Read(FORMAT, lines(meta(base_instructions={"text": "You are Codex."}, cwd="/a"), ASKED))

    assert made.messages() == [b.system("You are Codex."), b.user("Look.")]
    assert made.said()[0].metadata == {"extra": {"session_meta": {"cwd": "/a"}}}


def test_settings_that_stay_the_same_are_told_once():
    turns = [line("turn_context", model="gpt-5", cwd=cwd, turn_id=str(n)) for n, cwd in enumerate("aab")]
    made = read(turns[0], ASKED, turns[1], item(r.says()), turns[2], ASKED)

    assert [s.metadata.get("extra") for s in made.said()] == [
        {"turn_context": {"cwd": "a"}},
        None,
        {"turn_context": {"cwd": "b"}},
    ]
    assert made.skipped == [("turn_context", 1)]


def test_the_title_is_what_the_user_asks_for_first():
    injected = [item(r.user(f"<{tag}>\n x</{tag}>")) for tag in ("environment_context", "user_instructions")]
    asked = "# Context from my IDE setup:\n\n## My request for Codex:\nMend the test.\nSoon."
    made = read(*injected, item(r.user("# AGENTS.md instructions for /a\n\nx")), item(r.user(asked)))

    assert made.transcripts[0].title == "Mend the test."


def test_a_session_that_goes_on_from_another_holds_what_that_one_held():
    parent = line("session_meta", id="parent")
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}
    made = Read(FORMAT, lines(meta(forked_from_id="parent", source=source), parent, ASKED, item(r.says())))

    assert (made.transcripts[0].native_id, made.transcripts[0].labels) == (SESSION_ID, ("sidechain", "branch"))
    assert texts(made.messages()) == ["Look.", "Done."]
    assert made.skipped == [("session_meta", 1)]


OLD = [
    {"id": SESSION_ID, "timestamp": "2025-08-18T01:16:13.522Z", "instructions": None, "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "id": None, **r.user("Look.")},
    r.thinks(),
    {"type": "local_shell_call", "call_id": "c1", "status": "completed", "action": {"type": "exec", "command": ["ls"]}},
    r.output("c1", {"content": "a.txt", "success": True}),
    {"record_type": "state"},
    r.says("Seen."),
]


def test_an_old_file_holds_the_bare_payloads():
    made = Read(FORMAT, lines(*OLD))

    assert [m["role"] for m in made.messages()] == ["user", "assistant", "tool", "assistant"]
    assert made.messages()[2] == b.reply("c1", "a.txt")
    assert made.transcripts[0].native_id == SESSION_ID
    assert made.said()[0].metadata["extra"]["session_meta"]["git"] == {"branch": "main"}
    assert made.skipped == [("record_type", 2)]


def test_tokens_that_are_counted_after_a_response_are_its_own():
    made = read(
        ASKED,
        item(r.calls("c1")),
        event("token_count", info=None),
        counts(10, 10),
        counts(10, 10),
        item(r.output("c1")),
        item(r.says("Seen.")),
        counts(20, 30),
        item(r.says("One more thing.")),
    )

    assert texts(made.messages()) == ["Look.", None, "ok", "Seen.", "One more thing."]
    assert [s.metadata.get("usage", {}).get("input_tokens") for s in made.said()] == [None, 10, None, 20, None]
    assert made.said()[1].records == (3, 5)
    assert made.skipped == [("token_count", 1), ("token_count", 1)]


def test_tokens_that_are_counted_before_a_response_are_its_own():
    made = read(
        ASKED, counts(10, 10), item(r.calls("c1")), item(r.output("c1")), counts(20, 30), item(r.says()), counts(1, 31)
    )

    assert [s.metadata.get("usage", {}).get("input_tokens") for s in made.said()] == [None, 10, None, 20]
    assert made.skipped == [("token_count", 1)]


def test_a_turn_that_is_aborted_leaves_its_calls_unanswered():
    made = read(ASKED, item(r.calls("c1")), event("turn_aborted", reason="interrupted"), item(r.says("Again.")), ASKED)

    assert made.messages()[1:3] == [b.calls("c1"), b.says("Again.")]
    assert made.said()[1].metadata == {"stop_reason": "interrupted"}
    assert made.said()[1].records == (3, 4)


def test_a_turn_that_is_aborted_in_silence_is_named():
    assert read(ASKED, event("turn_aborted", reason="interrupted")).skipped == [("turn_aborted", 1)]


@pytest.mark.parametrize(
    ("output", "is_error", "duration"),
    [
        (json.dumps({"output": "x", "metadata": {"exit_code": 1, "duration_seconds": 0.25}}), True, 250),
        (json.dumps({"output": "x", "metadata": {"exit_code": 0, "duration_seconds": 2}}), False, 2000),
        ("Exit code: 2\nWall time: 1.5 seconds\nOutput:\nx", True, 1500),
        ("Chunk ID: 1\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\nExit code: 9", False, 50),
        ("Exit code 1", False, None),
        ('{"output": "x", "metadata": [1]}', False, None),
        ('{"output": ', False, None),
    ],
)
def test_a_command_failed_that_ended_with_another_code_than_0(output, is_error, duration):
    said = read(item(r.calls("c1")), item(r.output("c1", output))).said()[1]

    assert said.message["content"] == output
    assert (said.message.get("is_error", False), said.metadata.get("duration_ms")) == (is_error, duration)


def test_a_summary_stands_beside_the_opening_and_the_newest_words_of_the_user():
    long = "x" * 4 * WORDS_KEPT
    made = read(
        item(r.user("<environment_context>a</environment_context>")),
        item(r.user("Too long ago.")),
        item(r.user(long[:-12])),
        item(r.says()),
        item(r.user("Go on.")),
        counts(50, 50),
        line("compacted", 9, message="All is well."),
        item(r.says("Thanks.")),
    )

    (step,) = made.compacted()
    assert made.steps[0].index(step) == 5
    assert step.keeps == {0, 2, 4}
    assert step.summary == b.user("All is well.")
    assert step.usage == {"input_tokens": 50, "output_tokens": 1}
    assert step.records == (7, 8)
    assert step.at is not None and step.at.second == 9


def test_the_summary_of_a_compaction_stands_behind_the_words_that_it_keeps():
    made = read(item(r.user("one")), item(r.says()), item(r.user("two")), line("compacted", message="SUM"))

    assert made.compacted()[0].order == (0, 2, SUMMARY)


def test_a_window_that_is_written_out_stands_in_its_own_order():
    window = [r.user("two"), r.user("New."), r.calls("c1"), r.output("c1"), {"type": "compaction"}, r.user("one")]
    made = read(
        item(r.user("one")),
        item(r.calls("c1")),
        item(r.output("c1")),
        item(r.user("two")),
        line("compacted", message="", replacement_history=window),
    )

    assert made.compacted()[0].order == (3, 1, 2, SUMMARY, 0)


def test_turns_that_are_taken_back_leave_the_others_in_the_order_of_the_window():
    made = read(
        item(r.user("one")),
        item(r.says()),
        item(r.user("two")),
        item(r.says()),
        line("compacted", message="SUM"),
        item(r.user("three")),
        item(r.says()),
        event("thread_rolled_back", num_turns=1),
    )

    assert [step.order for step in made.compacted()] == [(0, 2, SUMMARY), (0, 2, SUMMARY)]


def test_a_compaction_without_a_summary_says_so():
    (step,) = read(ASKED, item(r.says()), line("compacted", message="")).compacted()

    assert step.summary == b.user("(no summary available)")


def test_a_window_that_is_written_out_keeps_the_messages_that_are_in_it_and_the_rest_is_its_summary():
    made = read(
        item(r.user("Go on.")),
        item(r.says("One.")),
        item(r.user("Go on.")),
        item(r.thinks()),
        item(r.says("Two.")),
        item(r.calls("c1")),
        item(r.output("c1")),
        line(
            "compacted",
            message="",
            window_number=2,
            replacement_history=[
                {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]},
                {"type": "message", **r.user("Go on.")},
                r.says("Two."),
                r.calls("c1"),
                r.output("c1"),
                {"type": "compaction_summary", "encrypted_content": "x" * 99},
            ],
        ),
    )

    (step,) = made.compacted()
    assert step.keeps == {2, 3, 4}, "of what was said twice the newest is meant"
    assert step.summary is not None
    assert texts([step.summary]) == [
        [
            {"type": "text", "text": "[developer]"},
            {"type": "text", "text": "Be brief."},
            {
                "type": "text",
                "text": "[An opaque summary: 99 bytes, encrypted, that only the provider's model can read.]",
            },
        ]
    ]
    assert step.params == {
        "window_number": 2,
        "sealed": [{"type": "compaction_summary", "encrypted_content": "x" * 99}],
    }


def test_a_message_of_which_a_part_is_left_is_not_kept():
    window = [r.says("Two."), {"type": "message", **r.user("So far so good.")}]
    made = read(
        ASKED, item(r.says("Two.")), item(r.calls("c1")), line("compacted", message="", replacement_history=window)
    )

    (step,) = made.compacted()
    assert step.keeps == frozenset()
    assert step.summary is not None
    assert [p["text"] for p in step.summary["content"]] == ["[assistant]", "Two.", "So far so good."]


@pytest.mark.parametrize(
    ("message", "window", "summary", "params"),
    [
        ("So far.", [], b.user("So far."), {}),
        ("So far.", [r.user("Look.")], b.user("So far."), {}),
        ("So far.", [r.user("So far.")], b.user("So far."), {}),
        ("So far.", [r.user("Otherwise.")], b.user("Otherwise."), {"message": "So far."}),
        ("", [r.user("Look.")], None, {}),
    ],
)
def test_the_message_of_a_compaction_is_told_once(message, window, summary, params):
    made = read(ASKED, item(r.says()), line("compacted", message=message, replacement_history=window))

    (step,) = made.compacted()
    assert (step.summary, step.params) == (summary, params)


def test_turns_that_are_taken_back_leave_the_window():
    made = read(
        item(r.user("A")),
        item(r.says("a")),
        item(r.user("B")),
        item(r.says("b")),
        event("thread_rolled_back", num_turns=1),
        item(r.user("C")),
        event("thread_rolled_back", num_turns=9),
        event("thread_rolled_back", num_turns=1),
    )

    assert texts(made.messages()) == ["A", "a", "B", "b", "C"]
    assert [(c.keeps, c.summary, c.params) for c in made.compacted()] == [
        ({0, 1}, None, {"num_turns": 1}),
        (frozenset(), None, {"num_turns": 9}),
    ]
    assert made.skipped == [("thread_rolled_back", 1)]


def test_what_another_agent_writes_is_to_this_one_what_a_user_says():
    made = read(line("inter_agent_communication", author="/root", recipient="/root/a", content="Go."))

    (said,) = made.said()
    assert said.message == b.user("Go.")
    assert said.metadata == {"agent": "/root", "extra": {"recipient": "/root/a"}}


def test_what_is_no_message_is_skipped_and_named():
    made = read(
        ASKED,
        event("task_started", turn_id="t1"),
        event("thread_name_updated", thread_name="Looking"),
        line("world_state", full=True),
        item({"type": "ghost_snapshot"}),
        item(r.compaction()),
        {"type": 3},
        '"text"',
    )

    assert made.transcripts[0].title == "Looking"
    assert made.skipped == [
        ("task_started", 1),
        ("thread_name_updated", 1),
        ("world_state", 1),
        ("ghost_snapshot", 1),
        ("compaction", 1),
        ("line", 1),
        ("line", 1),
    ]


def test_a_torn_last_line_loses_that_line_only():
    content = "\n".join(json.dumps(v) for v in (meta(), ASKED, item(r.says())))
    made = Read(FORMAT, of(content[:-5]))

    assert texts(made.messages()) == ["Look."]
    assert [(s.what, s.why, s.first_line) for s in made.tally.skipped] == [("line", TORN, 3)]


def test_what_stands_beside_a_message_that_never_came_is_named():
    made = Read(FORMAT, lines(meta(), line("turn_context", model="m", cwd="/a"), line("turn_context", cwd="/b")))

    assert made.skipped == [("session_meta", 1), ("turn_context", 1), ("turn_context", 1)]


@pytest.mark.parametrize(
    "source",
    [
        lines(
            {"type": "thread.started", "thread_id": "x"}, {"type": "item.completed", "item": {"type": "agent_message"}}
        ),
        lines(r.user("Look."), r.says(), r.calls("c1")),
        lines({"type": "event_msg"}, {"type": "session_meta", "payload": 1}),
        lines({"id": "x", "timestamp": "t", "text": "y"}, {"id": "z", "timestamp": "t", "text": "y"}),
    ],
    ids=["codex exec --json", "items", "no payloads", "other records with ids"],
)
def test_what_is_of_another_format_is_left_to_it(source):
    assert not FORMAT.recognises(sniff(source))


@pytest.mark.parametrize("values", [[meta(), ASKED], OLD, [meta()]])
def test_the_registry_knows_it(values):
    assert recognise(sniff(lines(*values))).name == "codex-rollout"


@pytest.mark.parametrize(
    "values",
    [
        [
            meta(),
            line("turn_context", model="m"),
            ASKED,
            item(r.calls("c1")),
            counts(1, 2),
            line("compacted", message="x"),
        ],
        OLD,
        [meta(), line("compacted", replacement_history=[r.user(), r.compaction(), r.says()])],
    ],
)
def test_no_cut_and_no_garbage_raises(values):
    whole = "\n".join(json.dumps(v) for v in values)
    for stop in range(0, len(whole), 41):
        for tail in ("", '"}}\n[1]\nnull\n{"type": "event_msg", "payload": {"type": []}}'):
            source = of(whole[:stop] + tail)
            look, tally = sniff(source), Tally()
            for transcript in FORMAT.read(source, look, tally) if FORMAT.recognises(look) else ():
                for step in transcript.steps:
                    tally.use(step.records)
            assert tally.unaccounted == set()


@pytest.mark.parametrize("value", [None, 7, "x", [], [[1]], {"a": []}, 10**400, True])
@pytest.mark.parametrize(
    "member", ["type", "info", "message", "replacement_history", "num_turns", "reason", "id", "source", "model", "role"]
)
def test_no_value_of_a_member_raises(member, value):
    kinds = ["session_meta", "turn_context", "response_item", "event_msg", "compacted", "inter_agent_communication"]
    payloads = [{member: value}, {"type": "token_count", member: value}, {"type": "thread_rolled_back", member: value}]
    made = read(ASKED, *(line(kind, **payload) for kind in kinds for payload in payloads), item(r.says()))

    assert texts(made.messages())[-1] == "Done."


@real_files
def test_the_real_session():
    made = Read(FORMAT, real("codex-rollout/rollout-2025-09-25T15-12-14-real-209k.jsonl"))

    roles = [m["role"] for m in made.messages()]
    assert (roles.count("user"), roles.count("assistant"), roles.count("tool")) == (2, 35, 34)
    assert sum(len(m.get("tool_calls", ())) for m in made.messages()) == 34
    assert made.transcripts[0].native_id == "019982b8-3422-79e0-8b3b-05abaf4f3c3e"
    assert made.transcripts[0].title == "Evaluate @packages/services and create a new"
    used = [s.metadata["usage"]["input_tokens"] for s in made.said() if "usage" in s.metadata]
    assert (len(used), sum(used)) == (35, 536_834), "what the file's last count gives as its total"
    last = made.said()[-1]
    assert last.message["content"].startswith("**Findings**\n- `@repo/services` wraps Supabase CRUD")
    assert last.metadata["model"] == "gpt-5-codex"
    assert made.skipped == [("user_message", 1), ("agent_reasoning", 32), ("turn_context", 34), ("agent_message", 1)]


@real_files
def test_the_real_session_with_a_compaction():
    made = Read(FORMAT, real("codex-rollout/session_with_compaction.jsonl"))

    assert len(made.said()) == 12
    (step,) = made.compacted()
    assert made.steps[0].index(step) == 8
    assert texts(m for n, m in enumerate(made.messages()) if n in (step.keeps or ())) == [
        "Help me build the API endpoints",
        "Add the user CRUD endpoints",
        "Now add product endpoints",
    ]
    assert step.summary is not None and step.summary["content"].startswith("**Progress + Plan Status**")
    assert made.said()[-1].metadata["usage"]["input_tokens"] == 2000
    assert made.skipped == []


@real_files
def test_the_other_real_files():
    made = Read(FORMAT, real("codex-rollout/rollout-2026-01-02-synthetic.jsonl"))
    assert [m["role"] for m in made.messages()] == ["user", *["assistant", "tool"] * 3, "assistant"]
    assert made.skipped == [("user_message", 1), ("agent_message", 1), ("future_synthetic_record", 1)]

    made = Read(FORMAT, real("codex-rollout/agentsview-function_calls.jsonl"))
    assert [len(m.get("tool_calls", ())) for m in made.messages()] == [0, 2]
    assert made.skipped == []
