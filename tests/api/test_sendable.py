"""`GET context/messages/`: the list to send, fit for providers (contract, section 4)."""

from typing import Any

import pytest

from tests.api.client import Api, operator
from tests.api.sessions import compress_twice, items
from tests.builders import calls, user

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return operator()


BLANK: list[Any] = ["", " ", "\n\t ", None, [], [{"type": "text", "text": ""}], [{"type": "text", "text": " \n"}]]


@pytest.mark.case(64)
@pytest.mark.parametrize("content", BLANK, ids=repr)
def test_messages_to_send_are_never_empty(api: Api, content: Any) -> None:
    session_id = api.create(
        {"role": "user", "content": content},
        {"role": "assistant", "content": content},
        {**calls("a"), "content": content},
        {"role": "tool", "tool_call_id": "a", "content": content},
        {"role": "assistant", "content": content, "tool_calls": []},
        user("go on"),
    )
    sent = api.get(f"sessions/{session_id}/context/messages/").json["messages"]
    assert sent == [
        {"role": "user", "content": "(empty)"},
        {**calls("a"), "content": content},
        {"role": "tool", "tool_call_id": "a", "content": "(no output)"},
        user("go on"),
    ]
    assert [i["message"]["content"] for i in items(api, session_id)][:5] == [content] * 5


@pytest.mark.case(64)
def test_what_says_something_without_text_is_sent(api: Api) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:,x"}}
    told = [
        {"role": "user", "content": [picture]},
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        {"role": "user", "content": [{"type": "text", "text": ""}, picture]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
    ]
    session_id = api.create(*told)
    assert api.get(f"sessions/{session_id}/context/messages/").json["messages"] == told


def test_the_messages_to_send_are_those_of_the_current_window(api: Api) -> None:
    compressed = compress_twice(api)
    sent = api.get(f"sessions/{compressed}/context/messages/").json
    assert sent == {"messages": [i["message"] for i in items(api, compressed)]}
