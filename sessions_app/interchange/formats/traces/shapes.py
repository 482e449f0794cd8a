"""Messages in the shapes that instrumentations write down: their own, or those of the API that was called."""

from collections.abc import Iterable
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.anthropic_messages.blocks import (
    assistant_message,
    blocks_of,
    system_message,
    user_messages,
)
from sessions_app.interchange.formats.chat_messages import neutral_message
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.conversation import Conversation
from sessions_app.interchange.formats.traces import gemini_contents as gemini_contents
from sessions_app.interchange.formats.traces import genai_parts as genai_parts
from sessions_app.interchange.formats.traces import langchain as langchain
from sessions_app.interchange.loose import as_object, as_objects
from sessions_app.interchange.neutral import Message
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")
_WRAPPERS = ("message", "messages", "choices", "generations", "output")


def messages_of(value: Any, *, role: str) -> list[Message] | None:
    """The messages of an input or an output; None where it holds none that are known. A text is said by `role`."""
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value else None
    if isinstance(value, dict):
        return _of_object(value, role)
    if not isinstance(value, list) or not value:
        return None
    elements = [element for element in value if not is_definition(element)]
    if any(kinds.is_item(e) for e in elements):
        return _items(elements)
    if all(gemini_contents.is_content(e) for e in elements):
        return [m for e in elements for m in gemini_contents.messages_of(e)]
    found: list[Message] = []
    for element in elements:
        messages = _of_element(element, role)
        if messages is None:
            return None
        found += messages
    return found


def definitions_in(value: Any) -> list[Any]:
    """Tools that stand among the messages, as LangChain writes them down."""
    return [e["content"] for e in value if is_definition(e)] if isinstance(value, list) else []


def is_definition(element: Any) -> bool:
    content = as_object(as_object(element).get("content"))
    return content.get("type") == "function" and "tool_call_id" not in element and "function" in content


def _of_object(value: dict[str, Any], role: str) -> list[Message] | None:
    if isinstance(value.get("messages"), list):
        system = system_message(value.get("system"))
        messages = messages_of(value["messages"], role=role)
        return None if messages is None else [*([system] if system else ()), *messages]
    if isinstance(value.get("contents"), list) or isinstance(value.get("candidates"), list):
        return gemini_contents.request_or_response(value)
    if value.get("object") == "response":
        return messages_of(value.get("output"), role=role)
    if isinstance(value.get("content"), dict):
        return messages_of([value["content"]], role=role)
    if "role" not in value:
        for name in _WRAPPERS:
            inner = value.get(name)
            if isinstance(inner, dict | list):
                first = inner[:1] if name == "choices" and isinstance(inner, list) else inner
                return messages_of(first, role=role)
    return messages_of([value], role=role)


def _of_element(element: Any, role: str) -> list[Message] | None:
    if not isinstance(element, dict):
        return None
    if langchain.is_message(element):
        return [neutral_message(langchain.plain(element))]
    if isinstance(element.get("message"), dict) and "role" not in element:
        return _of_element(element["message"], role)
    if isinstance(element.get("toolCallId"), str) and "toolName" in element:
        return [neutral.assistant(None, [_call(element)])]
    if genai_parts.is_genai(element):
        return genai_parts.messages_of(element)
    if gemini_contents.is_content(element):
        return gemini_contents.messages_of(element)
    if element.get("role") not in _ROLES or not ("content" in element or "tool_calls" in element):
        return None
    return _of_message(element)


def _of_message(message: dict[str, Any]) -> list[Message]:
    parts = as_objects(message.get("content"))
    if any(p.get("type") in _BLOCKS for p in parts):
        return [assistant_message(parts)] if message["role"] == "assistant" else user_messages(parts)
    if any(p.get("type") in ("tool-call", "tool-result") for p in parts):
        return _with_calls_as_parts(message["role"], parts)
    return [neutral_message(langchain.plain({**message, "type": message["role"]}))]


def _with_calls_as_parts(role: str, parts: Iterable[dict[str, Any]]) -> list[Message]:
    """The AI SDK's messages: calls are parts of the assistant's, and their results of a tool message."""
    replies, calls, others = [], [], []
    for part in parts:
        if part.get("type") == "tool-result":
            output = part.get("output", part.get("result"))
            output = output.get("value", output) if isinstance(output, dict) else output
            text = "" if output is None else output
            replies.append(neutral.reply(part.get("toolCallId"), text, name=part.get("toolName")))
        elif part.get("type") == "tool-call":
            calls.append(_call(part))
        else:
            others.append(part)
    said = neutral.parts_or_text(blocks_of(others))
    if role == "assistant":
        return [neutral.assistant(said, calls), *replies]
    return replies if replies else [{"role": role, "content": said or ""}]


def _call(part: dict[str, Any]) -> Message:
    return neutral.call(part.get("toolCallId"), part.get("toolName"), part.get("input", part.get("args")))


def _items(items: list[Any]) -> list[Message]:
    """Items of the Responses API."""
    talk = Conversation(Tally())
    steps = [step for item in items for step in talk.take(as_object(item), (1,))]
    return [step.message for step in (*steps, *talk.end()) if isinstance(step, Said)]
