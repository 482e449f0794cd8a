"""Items of the Responses API as messages: which belong together, and what of each goes where."""

from typing import Any

import pytest

from sessions_app.engine import parse_messages
from sessions_app.interchange.call_ids import CallIds
from sessions_app.interchange.formats.openai_responses.importer import OpenAIResponses
from tests import builders as b
from tests.interchange import response_items as r
from tests.interchange.samples import Read, document

FORMAT = OpenAIResponses()


def read(*items: Any) -> Read:
    """Between two items by which any list of them is known."""
    return Read(FORMAT, document([r.user("Begin."), *items, {"type": "message", "role": "user", "content": "End."}]))


def messages(*items: Any) -> list[dict[str, Any]]:
    return read(*items).messages()[1:-1]


def test_what_a_response_holds_is_one_message():
    said = messages(r.thinks("First look."), r.says("I look."), r.calls("c1"), r.calls("c2"))

    assert said == [b.calls("c1", "c2", text="I look.") | {"reasoning_content": "First look."}]


def test_with_the_last_reply_a_response_is_whole():
    said = messages(r.calls("c1"), r.output("c1"), r.says("Next."), r.calls("c2"), r.output("c2"), r.says("Done."))

    assert said == [b.calls("c1"), b.reply("c1"), b.calls("c2", text="Next."), b.reply("c2"), b.says("Done.")]


def test_while_a_call_waits_for_its_reply_the_model_goes_on_with_the_same_response():
    said = messages(r.calls("c1"), r.calls("c2"), r.output("c1"), r.says("Two looks."), r.output("c2"))

    assert said == [b.calls("c1", "c2", text="Two looks."), b.reply("c1"), b.reply("c2")]


def test_what_the_user_says_ends_a_response_whose_call_has_no_reply():
    said = messages(r.calls("c1"), r.user("Stop."), r.says("Stopped."), r.output("c1", "late"))

    assert said == [b.calls("c1"), b.user("Stop."), b.says("Stopped."), b.reply("c1", "late")]


def test_the_id_of_an_item_is_not_that_of_its_call():
    (asked, _), first = messages(r.calls("c1", id="fc_1"), r.output("c1")), read(r.calls("c1", id="fc_1")).said()[1]

    assert asked["tool_calls"][0]["id"] == "c1"
    assert first.metadata == {"extra": {"items": [{"type": "function_call", "id": "fc_1"}]}}


def test_a_call_without_an_id_keeps_none_and_the_reply_ends_it():
    said = messages({"type": "function_call", "call_id": None, "name": "f"}, r.output("", "42"), r.says())

    assert [m["role"] for m in said] == ["assistant", "tool", "assistant"]
    assert said[0]["tool_calls"][0]["id"] == said[1]["tool_call_id"] == ""


@pytest.mark.parametrize("text", ["Hm.", ""])
def test_sealed_reasoning_is_kept_as_it_came_beside_what_can_be_read(text):
    sealed = r.thinks(text, "gAAA", id="rs_1")
    (said,) = messages(sealed, r.says("Yes."))

    assert said == b.says("Yes.") | ({"reasoning_content": text} if text else {}) | {"reasoning_details": [sealed]}


def test_reasoning_that_is_given_in_full_can_be_read():
    thought = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Step 1"}]}

    assert messages(thought, r.says())[0]["reasoning_content"] == "Step 1"


def test_a_custom_tool_is_called_with_plain_text():
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "*** Begin Patch"}
    answer = {"type": "custom_tool_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "ok"}]}

    asked, answered = messages(item, answer)
    custom = {"name": "apply_patch", "input": "*** Begin Patch"}
    assert asked["tool_calls"] == [{"id": "c1", "type": "custom", "custom": custom}]
    assert answered == b.reply("c1", "ok")


@pytest.mark.parametrize(
    ("item", "answer", "name", "arguments"),
    [
        (
            {"type": "local_shell_call", "id": "lsh_1", "action": {"type": "exec", "command": ["ls"]}},
            {"type": "local_shell_call_output", "id": "lsh_1", "output": "a.txt"},
            "local_shell",
            '{"type":"exec","command":["ls"]}',
        ),
        (
            {"type": "computer_call", "call_id": "cc_1", "action": {"type": "screenshot"}},
            {"type": "computer_call_output", "call_id": "cc_1", "output": "a.txt"},
            "computer",
            '{"type":"screenshot"}',
        ),
        (
            {"type": "mcp_approval_request", "id": "mcpr_1", "name": "pay", "arguments": "{}", "server_label": "bank"},
            {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
            "pay",
            "{}",
        ),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_every_kind_of_call_is_a_call_and_is_answered(item, answer, name, arguments):
    asked, answered = messages(item, answer)

    assert asked["tool_calls"][0]["function"] == {"name": name, "arguments": arguments}
    assert asked["tool_calls"][0]["id"] == answered["tool_call_id"] != ""


@pytest.mark.parametrize("kind", ["web_search_call", "mcp_call", "file_search_call", "mcp_list_tools"])
def test_what_the_provider_did_itself_is_part_of_what_the_model_said(kind):
    did = {"type": kind, "id": "x_1", "status": "completed", "output": "found"}
    said = messages(r.thinks(), did, r.says("Found."))

    assert said == [
        {"role": "assistant", "content": [did, {"type": "text", "text": "Found."}], "reasoning_content": "Hm."}
    ]


def test_a_picture_that_was_made_is_an_image():
    made = {"type": "image_generation_call", "id": "ig_1", "result": "iVBO", "output_format": "webp"}
    (said,) = messages(made)

    assert said["content"] == [
        {"type": "image_generation_call", "id": "ig_1", "output_format": "webp"},
        {"type": "image_url", "image_url": {"url": "data:image/webp;base64,iVBO"}},
    ]


def test_pictures_become_images_and_files_stay_as_they_are():
    picture = {"type": "input_image", "image_url": "data:image/png;base64,iVBO", "detail": "low", "file_id": None}
    paper = {"type": "input_file", "file_id": "file_1"}
    words = {"type": "input_text", "text": "See?"}
    said, _, answered = messages(
        {"role": "user", "content": [words, picture, paper]}, r.calls("c1"), r.output("c1", [picture])
    )

    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO", "detail": "low"}}
    assert said["content"] == [{"type": "text", "text": "See?"}, image, paper]
    assert answered["content"] == [image]


def test_citations_stay_with_the_text_that_they_are_about():
    cited = {"type": "url_citation", "url": "https://example.org"}
    item = {"role": "assistant", "content": [{"type": "output_text", "text": "So.", "annotations": [cited]}]}

    assert messages(item)[0]["content"] == [{"type": "text", "text": "So.", "annotations": [cited]}]


@pytest.mark.parametrize(
    ("said", "content", "is_error"),
    [
        ({"content": "no such file", "success": False}, "no such file", True),
        ({"content": "fine", "success": True}, "fine", False),
        ({"rows": 2}, '{"rows":2}', False),
        (None, "", False),
        (7, "7", False),
        ([], "", False),
    ],
)
def test_an_output_may_be_of_any_form(said, content, is_error):
    answered = messages(r.calls("c1"), r.output("c1", said))[1]

    assert (answered["content"], answered.get("is_error", False)) == (content, is_error)


def test_an_output_that_says_it_failed_is_an_error():
    assert messages(r.calls("c1"), r.output("c1", "?", status="failed"))[1]["is_error"] is True


def test_what_is_no_message_and_what_is_unknown_is_skipped_and_named():
    rest = [{"type": "item_reference", "id": "x"}, {"type": "future"}, {"role": "robot"}, "text", None, [1]]

    assert messages(*rest) == []
    assert read(*rest).skipped == [("item_reference", 1), ("future", 1), ("message", 1), ("item", 3)]


def test_what_the_model_says_after_a_compaction_is_all_that_it_sees_of_it():
    made = read(r.says("Long."), r.compaction(), r.says("Short."))
    (step,) = made.compacted()

    assert made.steps[0].index(step) == 2
    assert step.summary is not None

    assert (
        step.summary["content"]
        == "[An opaque summary: 1,234 bytes, encrypted, that only the provider's model can read.]"
    )
    assert (step.keeps, step.params) == (frozenset(), {"sealed": [r.compaction()]})


@pytest.mark.parametrize("before", [[], [r.user("Kept.")]])
def test_a_compaction_that_nothing_is_left_of_is_the_first_thing_that_is_known(before):
    said = read(*before, r.compaction(), r.user("Go on.")).said()[len(before) + 1]

    assert said.message["role"] == "user" and "1,234 bytes" in said.message["content"]
    assert said.metadata == {"extra": {"sealed": [r.compaction()]}}


@pytest.mark.parametrize("value", [None, 1, "x", [], [[]], {}, {"type": []}, [{"text": 1}], 10**400, True])
@pytest.mark.parametrize(
    "member", ["content", "summary", "call_id", "name", "arguments", "output", "role", "type", "action"]
)
def test_no_value_of_a_member_raises_and_all_that_comes_of_it_is_valid(member, value):
    for item in (r.user(), r.says(), r.thinks(), r.calls("c1"), r.output("c1"), r.compaction(), {"type": "shell_call"}):
        ids = CallIds()
        for message in read(item | {member: value}).messages():
            assert parse_messages([ids.complete(message)])
