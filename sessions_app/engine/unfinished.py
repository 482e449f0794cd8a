"""A message that was stored while it was still being written: what its whole has beyond it."""

from typing import Any

from sessions_app.engine.messages import Message

Parts = list[dict[str, Any]]


def rest_of(whole: Message, part: Message) -> Message | None:
    """The assistant message that says what `whole` says after `part`; None where `part` is no beginning of it.

    Agents log one message in several lines, so that a file may end, and be imported, in the middle of one.
    """
    if whole.role != "assistant" or part.role != "assistant":
        return None
    rest: dict[str, Any] = {"role": "assistant", "content": None}
    # In the order of the whole: the rest must read the same each time.
    for member in {**whole.data, **part.data}:
        said, told = part.data.get(member), whole.data.get(member)
        if member == "content":
            said, told = _parts(said), _parts(told)
        if member == "role" or said == told:
            continue
        beyond = _beyond(told, said)
        if beyond is None:
            return None
        rest[member] = beyond
    content = rest["content"]
    if isinstance(content, list) and len(content) == 1 and content[0].keys() == {"type", "text"}:
        rest["content"] = content[0]["text"]
    return Message.of(rest) if len(rest) > 2 or rest["content"] else None


def _beyond(told: Any, said: Any) -> Any:
    """What of a member comes after what was said of it; None where it does not begin so."""
    if said is None:
        return told
    if isinstance(said, str) and isinstance(told, str) and told.startswith(said):
        return told[len(said) :]
    if isinstance(said, list) and isinstance(told, list) and told[: len(said)] == said:
        return told[len(said) :]
    return None


def _parts(content: Any) -> Any:
    if content is None or content == "":
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
