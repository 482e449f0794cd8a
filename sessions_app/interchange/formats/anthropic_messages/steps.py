"""The messages of Anthropic's API, one after another, as the steps of a session."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.anthropic_messages.blocks import (
    Block,
    assistant_message,
    blocks_of,
    system_message,
    user_messages,
)
from sessions_app.interchange.formats.anthropic_messages.turns import Turn
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Compacted, Said, Step


def steps_of(turns: Iterable[Turn], tally: Tally) -> Iterator[Step]:
    has_history = False
    for turn in _whole_responses(turns):
        if turn.role == "assistant":
            for step in _assistant(turn, has_history, tally):
                has_history = True
                yield step
        else:
            messages = user_messages(turn.content) if turn.role == "user" else [system_message(turn.content)]
            for n, message in enumerate(messages):
                if message is None:
                    tally.skip("system", "is empty", turn.records[0])
                    continue
                has_history |= turn.role == "user"
                yield Said(message, turn.records, turn.metadata if n == 0 else {}, turn.at)


def _whole_responses(turns: Iterable[Turn]) -> Iterator[Turn]:
    """To the API, messages of one role in a row are one: an assistant's with calls takes in the next, so that its
    calls are not taken for unanswered ones.
    """
    held: Turn | None = None
    for turn in turns:
        if held is not None and turn.role == "assistant":
            turn = replace(
                turn,
                content=[*blocks_of(held.content), *blocks_of(turn.content)],
                records=tuple(dict.fromkeys((*held.records, *turn.records))),
                metadata=held.metadata | turn.metadata,
                iterations=held.iterations + turn.iterations,
            )
        elif held is not None:
            yield held
        held = None
        if turn.role == "assistant" and any(block["type"] == "tool_use" for block in blocks_of(turn.content)):
            held = turn
        else:
            yield turn
    if held is not None:
        yield held


def _assistant(turn: Turn, has_history: bool, tally: Tally) -> Iterator[Step]:
    """The message, parted by its compaction blocks: what stands before one is not what the model saw after it."""
    if not isinstance(turn.content, list):
        yield _said(turn, turn.content)
        return
    passes = [p for p in turn.iterations if isinstance(p, dict) and p.get("type") == "compaction"]
    pending: list[Block] = []
    was_compacted = False
    for block in blocks_of(turn.content):
        if block["type"] != "compaction":
            pending.append(block)
        elif not _summary(block):
            tally.skip("compaction", "holds no summary: it failed, and changed nothing", turn.records[0])
        else:
            if pending:
                yield _said(replace(turn, metadata={}), pending)
            used = passes.pop(0) if passes else {}
            yield _compaction(turn, block, used, has_history=has_history or bool(pending))
            has_history, was_compacted, pending = True, True, []
    if pending or not was_compacted:
        yield _said(turn, pending)


def _said(turn: Turn, content: Any) -> Said:
    return Said(assistant_message(content), turn.records, turn.metadata, turn.at)


def _summary(block: Block) -> Any:
    """The text of a compaction, or the block itself where its content is sealed; None for one that failed."""
    content = block.get("content")
    if content is None and block.get("encrypted_content"):
        return [{name: value for name, value in block.items() if name != "cache_control"}]
    return content if isinstance(content, str) else None


def _compaction(turn: Turn, block: Block, used: dict[str, Any], *, has_history: bool) -> Step:
    summary = {"role": "user", "content": _summary(block)}
    if not has_history:
        # The client had dropped what it stands for: all that is left of that is the summary.
        return Said(summary, turn.records, {"extra": {"compaction": True}}, turn.at)
    params = {k: v for k, v in block.items() if k not in ("type", "content", "cache_control") and v is not None}
    return Compacted(turn.records, summary, keeps=(), params=params, usage=dict(neutral.usage(used)), at=turn.at)
