"""One summary: ask, check, ask once more with what was wrong. All under one deadline."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sessions_app.compression.summaries.answer import Refused, answer_in
from sessions_app.compression.summaries.calling import Caller, connected
from sessions_app.compression.summaries.endpoint import Endpoint
from sessions_app.compression.summaries.history import history_lines
from sessions_app.compression.summaries.prompt import Message, prompt_of, repair_of
from sessions_app.compression.summaries.rendering import lines_of
from sessions_app.compression.summaries.replies import NoReply, Reply, ensure_usable
from sessions_app.compression.summaries.slots import slot
from sessions_app.compression.summaries.usage import NoSummary, Usage
from sessions_app.engine import ContextItem, Seqs, first_tokens

_FORM: Final = 500
"""Tokens of the JSON around a summary's lines."""
_THINKING: Final = 4_000
"""Tokens that a model may spend on thinking aloud; what it does not spend costs nothing."""
_SPARE: Final = 0.9
"""How much of the limit is used: another model's tokens are not ours."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is to be summarised: old messages, an earlier summary among them. `room`: tokens of the lines to be written;
    `limit_tokens`: of the model.
    """

    items: Sequence[ContextItem]
    room: int
    limit_tokens: int
    instructions: str
    count_text: Callable[[str], int]

    @property
    def answer_tokens(self) -> int:
        return min(2 * self.room + _FORM + _THINKING, self.limit_tokens // 3)

    @property
    def repeated_tokens(self) -> int:
        """How much of a refused answer is shown to the model again."""
        return 2 * self.room + _FORM

    def prompt(self) -> list[Message] | None:
        """None where the messages do not fit into the model's limit, however short their texts are cut."""
        earlier = [item for item in self.items if item.kind == "summary"]
        messages = [item for item in self.items if item.kind != "summary"]
        around = prompt_of(earlier=earlier, history="", instructions=self.instructions, room=self.room)
        budget = int(self.limit_tokens * _SPARE) - self.answer_tokens - self.repeated_tokens
        budget -= sum(self.count_text(message["content"]) for message in around)
        history = history_lines(messages, budget=budget, count_text=self.count_text)
        if history is None:
            return None
        return prompt_of(earlier=earlier, history=history, instructions=self.instructions, room=self.room)


@dataclass(frozen=True, slots=True)
class Summary:
    """The lines, at most `room` tokens of them, and what they cost."""

    lines: str
    usage: Usage


def write(source: Source, endpoint: Endpoint) -> Summary:
    """Raises NoSummary, and Busy where two are being written already. No database is touched meanwhile."""
    usage = Usage(endpoint.model)
    with slot():
        prompt = source.prompt()
        if prompt is None:
            raise NoSummary("The old messages do not fit into the model's limit.", usage)
        try:
            return Summary(asyncio.run(_in_time(source, prompt, endpoint, usage)), usage)
        except (NoReply, Refused) as e:
            raise NoSummary(str(e), usage) from e
        except TimeoutError as e:
            raise NoSummary(f"The model did not answer within {endpoint.total_s:g} s.", usage) from e


async def _in_time(source: Source, prompt: list[Message], endpoint: Endpoint, usage: Usage) -> str:
    async with asyncio.timeout(endpoint.total_s) as limit, connected(endpoint) as client:
        deadline = limit.when()
        assert deadline is not None  # it was given one
        caller = Caller(client, endpoint, usage, deadline)
        reply = await caller.ask(prompt, max_tokens=source.answer_tokens)
        try:
            return _lines(reply, source)
        except Refused as e:
            shown = first_tokens(reply.text, source.repeated_tokens)
            repair = repair_of(answer=shown, why=str(e), room=source.room)
        return _lines(await caller.ask([*prompt, *repair], max_tokens=source.answer_tokens), source)


def _lines(reply: Reply, source: Source) -> str:
    ensure_usable(reply)
    lines = lines_of(answer_in(reply.text), Seqs.union(item.original_seqs for item in source.items))
    tokens = source.count_text(lines)
    if tokens > source.room:
        raise Refused(f"The model's summary has {tokens} tokens; at most {source.room} may stand in the window.")
    return lines
