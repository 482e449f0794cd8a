"""Replies with the calls that they answer, and what stands in the place of a reply."""

from collections.abc import Iterable, Iterator

from sessions_app.compression.digesting.results import is_interruption, placeholder
from sessions_app.compression.kept import if_shorter
from sessions_app.engine import Call, ContextItem


def with_calls(items: Iterable[ContextItem]) -> Iterator[tuple[ContextItem, Call | None]]:
    """Each message, and beside a reply its call. An id may be used again: it is that of the newest call before."""
    calls: dict[str, Call] = {}
    for item in items:
        if item.role == "assistant":
            calls = {call.id: call for call in item.message.calls}
        yield item, calls.get(item.message.tool_call_id or "") if item.role == "tool" else None


def tool_of(item: ContextItem, call: Call | None) -> str:
    return (call.name if call is not None else "") or item.message.tool_name or "a tool"


def cleared(item: ContextItem, tool: str) -> ContextItem:
    """The reply with a placeholder for its result.

    One that says only that its call was interrupted stays: cleared, it would read as if the tool had run.
    """
    return replaced(item, placeholder(tool))


def replaced(item: ContextItem, text: str) -> ContextItem:
    # Replaced before: a window is compressed again and again, and nothing need be counted anew for these.
    if item.message.data.get("content") == text or is_interruption(item.message.body):
        return item
    return if_shorter(item, {**item.message.data, "content": text})
