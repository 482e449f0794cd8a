"""The turns of one ShareGPT conversation as messages, in the spelling of `from`/`value` or of typed parts."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.sharegpt.calls import Result, called, results, tagged
from sessions_app.interchange.neutral import Message

_ROLES: Final = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "function_call": "call",
    "tool_call": "call",
    "observation": "tool",
    "tool": "tool",
    "function": "tool",
    "function_response": "tool",
    "tool_response": "tool",
}
_SPEAKER: Final = ("from", "role")
_SAID: Final = ("value", "content", "text")
_OTHERS: Final = "value"
"""A part with this member is typed: `{type, value}`."""


def role_of(turn: Any) -> str:
    """Of the neutral roles, or `call`; empty for what is no turn."""
    if not isinstance(turn, dict):
        return ""
    speaker = next((turn[name] for name in _SPEAKER if isinstance(turn.get(name), str)), "")
    return _ROLES.get(speaker.lower(), "")


def is_typed(turn: Any) -> bool:
    """Whether the content of a turn is a list of `{type, value}`."""
    content = turn.get("content") if isinstance(turn, dict) else None
    return isinstance(content, list) and any(isinstance(p, dict) and "type" in p and _OTHERS in p for p in content)


def messages_of(turns: Sequence[Any]) -> Iterator[tuple[int, Message]]:
    """(index of its turn, message). Turns that are none are left out; calls in a row are of one response."""
    open_calls = n = 0
    while n < len(turns):
        turn, role = turns[n], role_of(turns[n])
        start, n = n, n + 1
        if role == "tool":
            for result in _results(turns, start, open_calls):
                name = result.name or turn.get("name")
                yield start, neutral.reply(result.call_id, result.content, name=name)
                open_calls = max(0, open_calls - 1)
        elif role in ("call", "assistant"):
            while role == "call" and n < len(turns) and role_of(turns[n]) == "call":
                n += 1
            message = _calling(turns[start:n]) if role == "call" else _answer(turn, is_answered=_is_tool(turns, n))
            calls = message.get("tool_calls", [])
            yield start, _with_ids(message, _results(turns, n, len(calls)) if _is_tool(turns, n) else [])
            open_calls = len(calls)
        elif role:
            open_calls = 0
            yield start, {"role": role, "content": _text(turn)}


def _is_tool(turns: Sequence[Any], n: int) -> bool:
    return n < len(turns) and role_of(turns[n]) == "tool"


def _results(turns: Sequence[Any], n: int, open_calls: int) -> list[Result]:
    """What the turn tells: of one call where another such turn follows, else of all that are open."""
    value = _text(turns[n]) if is_typed(turns[n]) else _said(turns[n])
    return results("" if value is None else value, 0 if _is_tool(turns, n + 1) else open_calls)


def _with_ids(message: Message, told: Sequence[Result]) -> Message:
    """The calls with the ids that only their results have."""
    calls = message.get("tool_calls", [])
    ids = [result.call_id for result in told if result.call_id]
    if not calls or len(set(ids)) != len(calls) or any(call["id"] for call in calls):
        return message
    return {**message, "tool_calls": [{**call, "id": i} for call, i in zip(calls, ids, strict=True)]}


def _calling(turns: Sequence[dict[str, Any]]) -> Message:
    found = [called(_said(turn)) for turn in turns]
    thought = "\n\n".join(thought for thought, _ in found if thought)
    return neutral.assistant(None, [c for _, calls in found for c in calls], reasoning_content=thought)


def further(turn: dict[str, Any]) -> dict[str, Any]:
    """What a turn says besides: a weight for training, say."""
    return {name: value for name, value in turn.items() if name not in (*_SPEAKER, *_SAID, "name")}


def _said(turn: dict[str, Any]) -> Any:
    return next((turn[name] for name in _SAID if turn.get(name) is not None), None)


def _answer(turn: dict[str, Any], *, is_answered: bool) -> Message:
    if not is_typed(turn):
        text = _text(turn)
        # Calls between tags are calls where a result follows.
        rest, calls = tagged(text) if is_answered and isinstance(text, str) else (text, [])
        return neutral.assistant((rest or None) if calls else rest, calls)
    thoughts: list[str] = []
    calls, others = [], []
    for part in turn["content"]:
        kind, value = (part.get("type"), part.get(_OTHERS)) if isinstance(part, dict) else ("text", part)
        if kind == "reasoning" and isinstance(value, str):
            thoughts.append(value)
        elif kind == "tool_call":
            calls += called(value)[1]
        else:
            others.append(_part(part))
    return neutral.assistant(neutral.parts_or_text(others), calls, reasoning_content="\n\n".join(thoughts))


def _text(turn: dict[str, Any]) -> Any:
    said = _said(turn)
    if isinstance(said, list):
        return neutral.parts_or_text([_part(p) for p in said]) or ""
    if said is None:
        return ""
    return said if isinstance(said, str) else neutral.json_text(said)


def _part(part: Any) -> Message:
    match part:
        case {"type": "text", "value": str(text), **rest} if not rest:
            return neutral.text_part(text)
        case {"type": "image_url", "value": str(url)} if url:
            return neutral.image_part(url=url)
        case {"type": str()}:
            return dict(part)
    return neutral.text_part(part if isinstance(part, str) else neutral.json_text(part))
