"""Recorded exchanges with Anthropic's Messages API, put together to the conversations that they were."""

from collections.abc import Iterable, Iterator
from typing import Any

from sessions_app.interchange.exchanges import Sent, body_of, key_of
from sessions_app.interchange.formats.anthropic_messages.blocks import blocks_of
from sessions_app.interchange.formats.anthropic_messages.turns import Turn, turn_of
from sessions_app.interchange.jsonreading import Record
from sessions_app.interchange.tally import Tally

_THINKING = ("thinking", "redacted_thinking")


def sent(exchange: Any) -> Sent | None:
    """The request as keys; None where the record is no exchange with this API."""
    messages = body_of(exchange, "request").get("messages")
    if not isinstance(messages, list):
        return None
    request, response = body_of(exchange, "request"), body_of(exchange, "response")
    summaries = [_compaction_key(m) for m in messages]
    before = max((n for n, summary in enumerate(summaries) if summary), default=0)
    left = messages[before:]
    answers = (n for n, m in enumerate(left) if isinstance(m, dict) and m.get("role") == "assistant")
    return Sent(
        messages=tuple(_message_key(m) for m in left),
        before=before,
        resumes=summaries[before] if messages else "",
        compacts=_compaction_key(response),
        system=key_of(request.get("system")),
        asked=next(answers, len(left)),
        answer=_message_key(response) if response.get("role") == "assistant" else "",
    )


def turns_of(exchanges: Iterable[tuple[Record, int]], tally: Tally) -> Iterator[Turn]:
    """One conversation: what each request adds, and the last response.

    The other responses are in the request that follows; as they were given, they say more.
    """
    answer: Turn | None = None
    options: dict[str, Any] = {}
    system: Any = None
    is_first = True
    for record, known in exchanges:
        body = body_of(record.value, "request")
        messages = body["messages"][known:]
        fresh = [t for m in messages if (t := turn_of(m, (record.number,), tally)) is not None]
        if answer is not None:
            if fresh and _is_same(answer, fresh[0]):
                fresh[0] = answer
            else:
                tally.skip("response", "is not in the request that follows", answer.records[0])
        if is_first and body.get("system"):
            fresh.insert(0, Turn("system", body["system"], (record.number,)))
        elif not is_first and body.get("system") != system:
            tally.skip("system", "differs from that of the first request, which is kept", record.number)
        changed = {k: v for k, v in body.items() if k not in ("messages", "system") and options.get(k) != v}
        yield from _with_options(fresh, answer, changed)
        if fresh:
            options |= changed
        system = system if not is_first else body.get("system")
        is_first = False
        answer = _response(record, tally)
    if answer is not None:
        yield answer


def _with_options(fresh: list[Turn], answer: Turn | None, options: dict[str, Any]) -> Iterator[Turn]:
    """What a request asks for besides stands with its first new message, as far as it changed."""
    for turn in fresh:
        if options and turn is not answer:
            turn, options = turn.with_extra(request=options), {}
        yield turn


def _response(record: Record, tally: Tally) -> Turn | None:
    response = body_of(record.value, "response")
    if response.get("role") == "assistant" and isinstance(response.get("content"), list):
        return turn_of(response, (record.number,), tally)
    is_error = response.get("type") == "error" or "error" in response
    tally.skip("response", "is an error" if is_error else "is no message of this API", record.number)
    return None


def _is_same(response: Turn, sent_back: Turn) -> bool:
    """By its calls, or by its text: clients drop thinking, and much else."""
    if sent_back.role != "assistant":
        return False
    return _gist(response.content) == _gist(sent_back.content)


def _gist(content: Any) -> tuple[list[Any], str]:
    blocks = blocks_of(content)
    calls = [b.get("id") for b in blocks if b["type"] == "tool_use"]
    text = "".join(b["text"] for b in blocks if b["type"] == "text" and isinstance(b.get("text"), str))
    return calls, "" if calls else text.strip()


def _message_key(message: Any) -> str:
    if not isinstance(message, dict):
        return key_of(message)
    # Thinking of earlier turns may be left out when they are sent again.
    blocks = [block for block in blocks_of(message.get("content")) if block["type"] not in _THINKING]
    return key_of([message.get("role"), blocks])


def _compaction_key(message: Any) -> str:
    """The key of the summary in a message, by which a window that begins with it is known."""
    content = message.get("content") if isinstance(message, dict) else None
    block = next((b for b in blocks_of(content) if b["type"] == "compaction" and b.get("content")), None)
    return "" if block is None else f"compaction {key_of(block['content'])}"
