import pytest

from sessions_app.engine import ContextItem, Message, has_reasoning, without_reasoning
from sessions_app.engine.reasoning import REASONING_MEMBERS, REASONING_PARTS
from tests.builders import says


def item_of(**members: object) -> ContextItem:
    message = Message.of({**says(), **members})
    return ContextItem.original(seq=1, message=message, tokens=message.count_tokens())


@pytest.mark.parametrize("member", sorted(REASONING_MEMBERS))
def test_a_member_that_carries_reasoning_is_known_and_taken_away(member: str) -> None:
    assert has_reasoning(item_of(**{member: "hm"}))
    assert without_reasoning({**says(), member: "hm"}) == says()


@pytest.mark.parametrize("kind", sorted(REASONING_PARTS))
def test_a_part_that_is_reasoning_is_known_and_taken_away(kind: str) -> None:
    said = {"type": "text", "text": "Done."}
    assert has_reasoning(item_of(content=[{"type": kind}, said]))
    assert without_reasoning({"role": "assistant", "content": [{"type": kind}, said]})["content"] == [said]


@pytest.mark.parametrize("content", ["Done.", None, [{"type": "text", "text": "Done."}]])
def test_a_message_without_reasoning_has_none_and_stays(content: object) -> None:
    assert not has_reasoning(item_of(content=content, reasoning_content="", reasoning_details=[]))
    assert without_reasoning({"role": "assistant", "content": content}) == {"role": "assistant", "content": content}
