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
from sessions_app.compression.summaries.replies import ENDLESS, NoReply, Reply, ensure_usable
from sessions_app.compression.summaries.slots import slot
from sessions_app.compression.summaries.usage import NoSummary, Usage
from sessions_app.engine import ContextItem, Seqs, first_tokens

_FORM: Final = 500
"""Tokens of the JSON around a summary's lines."""
_THINKING: Final = 4_000
"""Tokens that a model may spend on thinking aloud; what it does not spend costs nothing."""
_SPARE: Final = 0.9
"""How much of the limit is used: another model's tokens are not ours."""
_LINES: Final = 5
_ANSWER: Final = 3
_SHOWN_AGAIN: Final = 16
"""Of the limit the summary's lines have at most a fifth, the answer around them a third, a refused one a sixteenth."""
_REPAIR: Final = 200
"""Tokens of what is said of a refused answer."""
_LONGEST_TOKEN: Final = 32
"""Code points: no text has more to a token on average. What has more is not even parsed."""
_PIECE: Final = 65_536
"""Code points that are counted at once, as the tokenizer does it."""
_HISTORY: Final = 0.25
"""The part of the limit that the history must have at least: what is written from less is not worth its price."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is to be summarised: old messages, an earlier summary among them. `room`: tokens that the window has for the
    lines to be written; `limit_tokens`: of the model.
    """

    items: Sequence[ContextItem]
    room: int
    limit_tokens: int
    instructions: str
    count_text: Callable[[str], int]

    @property
    def most(self) -> int:
        """Tokens of the lines: a small model is asked for fewer, so that it can read more."""
        return min(self.room, self.limit_tokens // _LINES)

    @property
    def answer_tokens(self) -> int:
        return min(2 * self.most + _FORM + _THINKING, self.limit_tokens // _ANSWER)

    @property
    def repeated_tokens(self) -> int:
        """How much of a refused answer is shown to the model again."""
        return min(2 * self.most + _FORM, self.limit_tokens // _SHOWN_AGAIN)

    def prompt(self) -> list[Message] | None:
        """None where the messages do not fit into the model's limit, however short their texts are cut, or where what
        stands around them leaves them next to nothing of it.
        """
        earlier = [item for item in self.items if item.kind == "summary"]
        messages = [item for item in self.items if item.kind != "summary"]
        around = prompt_of(earlier=earlier, history="", instructions=self.instructions, room=self.most)
        budget = int(self.limit_tokens * _SPARE) - self.answer_tokens - self.repeated_tokens - _REPAIR
        budget -= sum(self.count_text(message["content"]) for message in around)
        if budget < self.limit_tokens * _HISTORY:
            return None
        history = history_lines(messages, budget=budget, count_text=self.count_text)
        if history is None:
            return None
        return prompt_of(earlier=earlier, history=history, instructions=self.instructions, room=self.most)


@dataclass(frozen=True, slots=True)
class Summary:
    """The lines, as many tokens of them as there was room for, and what they cost."""

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
            repair = repair_of(answer=shown, why=str(e), room=source.most)
        return _lines(await caller.ask([*prompt, *repair], max_tokens=source.answer_tokens), source)


def _lines(reply: Reply, source: Source) -> str:
    ensure_usable(reply)
    if len(reply.text) > source.answer_tokens * _LONGEST_TOKEN:
        raise Refused(ENDLESS.trouble)
    answer = answer_in(reply.text)
    _ensure_short(answer.text, source)  # as it was written; the lines are made of it only then, and have headings
    lines = lines_of(answer, Seqs.union(item.original_seqs for item in source.items))
    _ensure_short(lines, source)
    return lines


def _ensure_short(text: str, source: Source) -> None:
    """Counted no further than is needed to know: a model may send millions of words. Raises Refused."""
    tokens, at = 0, 0
    while at < len(text) and tokens <= source.most:
        tokens += source.count_text(text[at : at + _PIECE])
        at += _PIECE
    if tokens <= source.most:
        return
    said = f"{tokens}" if at >= len(text) else f"more than {tokens}"
    source_tokens = sum(item.tokens for item in source.items)
    longer = f"; its source has {source_tokens}" if tokens > source_tokens else ""
    raise Refused(f"The model's summary has {said} tokens{longer}; at most {source.most} may stand in the window.")
