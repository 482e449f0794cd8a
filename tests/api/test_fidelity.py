"""What was sent comes back equal, wherever it is read (contract, section 4, the last paragraph)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api.client import Api, operator
from tests.builders import call, calls, reply, says, user

pytestmark = pytest.mark.django_db

LONG_ID, LONG_NAME = "call_" + "7" * 295, "tool_" + "n" * 995

MADE_FIT = {"no text", "an assistant without content"}
STRANGE: dict[str, list[dict[str, Any]]] = {
    "NUL": [user("a\x00b"), calls("n\x00l", name="t\x00l"), reply("n\x00l", "\x00")],
    "NUL in member names": [{**user(), "a\x00": {"\x00": ["\x00"]}}],
    "lone surrogates": [user("\udc88"), says("half \ud83d"), user("\ude00 other half"), {**user(), "\udfff": "\ud800"}],
    "lone surrogates in calls": [calls("\ud800", name="\udbff"), reply("\ud800")],
    "a literal escape": [user("\\u0000 \\ud800 \\\\u0000"), calls("\\u0000", name="\\ud800"), reply("\\u0000")],
    "the order of members": [{"zebra": 1, "content": "x", "alpha": {"z": 1, "a": 2}, "role": "user", "0": 0}],
    "arguments kept verbatim": [
        calls("a") | {"tool_calls": [call("a", arguments='{"zebra":1,"alpha":2}'), call("b", arguments='{"q": "ab')]},
        reply("a"),
        reply("b"),
    ],
    "arguments as long as they are": [calls("a") | {"tool_calls": [call("a", arguments=" ")]}, reply("a")],
    "great integers": [{**user(), "n": [2**63, -(2**63) - 1, 10**40, int("9" * 4300), -int("9" * 4300)]}],
    "floats": [{**user(), "n": [1e16, -0.0, 0.1, 5e-324, 1.7976931348623157e308, 1.0, 100.0]}],
    "truth is no number": [{**user(), "n": [True, 1, 1.0, False, 0, 0.0, None]}],
    "a long id and a long name": [calls(LONG_ID, name=LONG_NAME), reply(LONG_ID)],
    "no text": [
        user(""),
        user(" "),
        {"role": "user", "content": None},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "text", "text": ""}]},
        {"role": "system", "content": ""},
        {"role": "developer", "content": None},
    ],
    "an assistant without content": [
        {"role": "assistant"},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": []},
        {"role": "assistant", "tool_calls": calls("a")["tool_calls"]},
        {"role": "tool", "tool_call_id": "a", "content": None},
    ],
    "no calls": [
        {**says(), "tool_calls": None},
        {**says(), "tool_calls": []},
        {**user(), "tool_calls": [], "tool_call_id": None, "name": None, "function_call": None},
    ],
    "unknown members": [
        {**user(), "x": {"y": [{}, [], "", None]}, "": "the empty name", "__proto__": 1, "id": 5},
        {**says(), "refusal": None, "annotations": [], "audio": {"id": "x"}, "reasoning_content": "hm"},
        {**calls("a"), "tool_calls": [{**call("a"), "index": 0, "extra": {"signature": "s" * 900}}]},
        {**reply("a"), "status": "error", "is_error": True, "name": "run"},
    ],
    "parts of all kinds": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "看"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 4000}},
                {"type": "", "text": 5},
                {"type": "input_audio", "z": 1, "a": 2},
            ],
        },
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "…", "signature": "c2ln"}]},
    ],
    "a custom call": [
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sh", "input": "\n"}}]},
        reply("c"),
    ],
    "Chinese and emoji": [
        user("修复上传测试 👩‍👩‍👧‍👦 🇨🇳 e\u0301 \u200f\u202e\ufeff\u2028\u2029"),
        says("好的。\r\n\t\x7f\x1b[0m"),
    ],
    "markup": [user("</script><script>alert(1)</script> & &amp; {{ 7*7 }} {% csrf_token %} %s %(x)s")],
}


def text_of(value: Any) -> str:
    """Equal only where type, order and code points are: `1` is not `1.0`, `0.0` not `-0.0`."""
    return json.dumps(value)


def messages_read_from(api: Api, session_id: str, place: str) -> list[Any]:
    answer = api.get(f"sessions/{session_id}/{place}")
    assert answer.status == 200, answer.content[:500]
    return [item["message"] for item in answer.json["items"]]


@pytest.mark.case(14)
@pytest.mark.case(19)
@pytest.mark.case(57)
@pytest.mark.case(59)
@pytest.mark.case(64)
@pytest.mark.case(66)
@pytest.mark.parametrize("name", STRANGE)
def test_what_was_sent_comes_back_equal(name: str) -> None:
    api, messages = operator(), STRANGE[name]
    session_id = api.create()
    sent = text_of(messages)
    appended = api.append(session_id, *messages)
    assert appended.status == 201, appended.content[:500]
    assert text_of([f["message"] for f in appended.json["frames"]]) == sent
    assert text_of([i["message"] for i in appended.json["context"]]) == sent
    assert text_of(messages_read_from(api, session_id, "frames/?limit=500")) == sent
    assert text_of(messages_read_from(api, session_id, "context/")) == sent
    if name not in MADE_FIT:
        assert text_of(api.get(f"sessions/{session_id}/context/messages/").json["messages"]) == sent
    for n, message in enumerate(messages, start=1):
        one = api.get(f"sessions/{session_id}/frames/{n}/").json
        assert text_of(one["message"]) == text_of(message)


def test_what_was_sent_unescaped_comes_back_equal() -> None:
    api = operator()
    session_id = api.create()
    raw = '{"messages":[{"role":"user","content":"修复 😀 \x7f","n":[1E16,-0,-0.0,1e-400,12e0]}]}'.encode()
    assert api.call("POST", f"sessions/{session_id}/frames/", raw=raw).status == 201
    assert text_of(messages_read_from(api, session_id, "frames/")) == text_of(json.loads(raw)["messages"])


def test_a_creation_keeps_its_messages_as_an_append_does() -> None:
    api = operator()
    messages = [m for name in ("NUL", "lone surrogates", "great integers", "floats") for m in STRANGE[name]]
    assert text_of(messages_read_from(api, api.create(*messages), "frames/")) == text_of(messages)


@pytest.mark.case(62)
def test_five_megabytes_of_tool_output_come_back_whole() -> None:
    api = operator()
    output = "第 1 行 of the log\n" * 330_000
    assert len(output) > 5_000_000
    session_id = api.create(user(), calls("a"), reply("a", output))
    assert messages_read_from(api, session_id, "frames/?after_seq=2")[0]["content"] == output
    assert api.get(f"sessions/{session_id}/context/messages/").json["messages"][2]["content"] == output


def test_a_missed_frame_reads_as_it_was_sent() -> None:
    api = operator()
    session_id = api.create(user())
    api.append(session_id, *STRANGE["lone surrogates"], *STRANGE["NUL"])
    stale = api.append(session_id, user(), if_match='"2.1"')
    sent = [*STRANGE["lone surrogates"], *STRANGE["NUL"]]
    assert text_of([f["message"] for f in stale.json["missed"]]) == text_of(sent)


@pytest.mark.case(66)
def test_an_open_call_is_named_as_it_was_sent() -> None:
    api = operator()
    session_id = api.create(calls("\ud800\x00", LONG_ID, name=LONG_NAME))
    named = [{"id": i, "name": LONG_NAME, "seq": 1} for i in ("\ud800\x00", LONG_ID)]
    assert api.get(f"sessions/{session_id}/").json["open_tool_calls"] == named
    assert api.append(session_id, user()).json["open_tool_calls"] == named


@pytest.mark.parametrize(
    "metadata",
    [{}, {"z": 1, "a": {"\x00": "\ud800"}, "n": [2**63, 10**40, 1e16, -0.0]}, {"": [None, [], {}]}],
    ids=["empty", "strange", "hollow"],
)
def test_metadata_comes_back_equal(metadata: dict[str, Any]) -> None:
    api = operator()
    session_id = api.create()
    one = api.post(f"sessions/{session_id}/frames/", {"messages": [user()], "metadata": metadata})
    two = api.post(f"sessions/{session_id}/frames/", {"messages": [says(), user()], "metadata": [metadata, {"b": 2}]})
    assert text_of(one.json["frames"][0]["metadata"]) == text_of(metadata)
    read = api.get(f"sessions/{session_id}/frames/").json["items"]
    assert text_of([f["metadata"] for f in read]) == text_of([metadata, metadata, {"b": 2}])
    assert [f["metadata"] for f in two.json["frames"]] == [metadata, {"b": 2}]


def test_without_metadata_a_frame_has_an_empty_object() -> None:
    api = operator()
    assert api.get(f"sessions/{api.create(user())}/frames/1/").json["metadata"] == {}


def test_titles_and_labels_come_back_equal() -> None:
    api = operator()
    names = {"title": "修复 \\u0000 \" ' <b> \n 😀", "labels": ["a b", '"', "\\", "%_", "é\n", "标签"]}
    session_id = api.create(**names)
    read = api.get(f"sessions/{session_id}/").json
    assert {k: read[k] for k in names} == names
    assert {k: api.patch(f"sessions/{session_id}/", names).json[k] for k in names} == names


any_text = st.text(st.characters(codec=None), max_size=20)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)
TYPED = {"role", "content", "tool_calls", "tool_call_id", "name", "function_call"}
any_members = st.dictionaries(any_text.filter(lambda name: name not in TYPED), any_json, max_size=5)


@given(members=any_members, content=any_text, arguments=any_text, call_id=any_text.filter(bool), meta=any_members)
@settings(max_examples=60)
def test_any_members_come_back_equal(members: Any, content: str, arguments: str, call_id: str, meta: Any) -> None:
    api = operator()
    session_id = api.create()
    asks = {**members, "role": "assistant", "tool_calls": [call(call_id, arguments=arguments)]}
    messages = [{"role": "user", "content": content, **members}, asks, {**members, **reply(call_id, content)}]
    body = {"messages": messages, "metadata": [meta, {}, meta]}
    assert api.post(f"sessions/{session_id}/frames/", body).status == 201
    assert text_of(messages_read_from(api, session_id, "frames/")) == text_of(messages)
    assert text_of(messages_read_from(api, session_id, "context/")) == text_of(messages)
    frames = api.get(f"sessions/{session_id}/frames/").json["items"]
    assert text_of([f["metadata"] for f in frames]) == text_of(body["metadata"])
